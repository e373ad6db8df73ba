import CGTK
import Foundation
import RunLoopTasks

/// A window with a list that reloads once in each pass, however many rows the pass adds.
@MainActor final class ListWindow {
  private var rows: [String] = []
  private var reloads = 0
  private(set) var isClosed = false

  private let builder = gtk_builder_new_from_string(layout, -1)

  init() {
    connect("clicked", of: "button") { _, window in
      ListWindow.with(window) { window in
        for _ in 1...100 { window.add("Row \(window.rows.count + 1), by the button") }
      }
    }
    connect("destroy", of: "window") { _, window in ListWindow.with(window) { $0.isClosed = true } }
    gtk_window_present(UnsafeMutablePointer(object("window")))
  }

  var counts: String { "\(rows.count) rows added, \(reloads) reloads" }

  var shownRows: Int { Int(g_list_model_get_n_items(object("rows"))) }

  func add(_ row: String) {
    rows.append(row)
    RunLoop.main.perform(when: .currentLoopEnded, coalescedBy: "reload") { self.reload() }
  }

  func pressButton() { gtk_widget_activate(UnsafeMutablePointer(object("button"))) }

  private func reload() {
    reloads += 1
    let texts = rows.map { UnsafePointer(strdup($0)) }
    gtk_string_list_splice(object("rows"), 0, guint(shownRows), texts + [nil])
    for text in texts { free(UnsafeMutablePointer(mutating: text)) }
    let last = g_variant_new_uint32(guint(rows.count - 1))
    gtk_widget_activate_action_variant(UnsafeMutablePointer(object("list")), "list.scroll-to-item", last)
    gtk_label_set_text(object("counts"), counts)
  }

  // MARK: GTK's C interface

  private func object(_ name: String) -> OpaquePointer? { OpaquePointer(gtk_builder_get_object(builder, name)) }

  private func connect(_ signal: String, of name: String, to handler: @convention(c) (gpointer?, gpointer?) -> Void) {
    g_signal_connect_data(
      UnsafeMutableRawPointer(object(name)), signal, unsafeBitCast(handler, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(0))
  }

  /// For handlers, which GTK calls on the main thread.
  private nonisolated static func with(_ window: gpointer?, _ body: @MainActor (ListWindow) -> Void) {
    guard let window else { return }
    let box = Unmanaged<ListWindow>.fromOpaque(window)
    MainActor.assumeIsolated { body(box.takeUnretainedValue()) }
  }
}
