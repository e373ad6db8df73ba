import CGLib
import Foundation
import Synchronization

func say(_ event: Any) { print(event) }

func elsewhere(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }

final class Counter: Sendable {
  private let number = Atomic(0)
  var value: Int { number.load(ordering: .acquiring) }
  func count() { number.add(1, ordering: .releasing) }
}

/// Calls a closure once, from a handler of GLib on the main thread. Any thread may call this.
func onIdle(_ body: @escaping () -> Void) {
  g_idle_add_full(
    G_PRIORITY_DEFAULT,
    { box in
      if let box { Unmanaged<Handler>.fromOpaque(box).takeRetainedValue().body() }
      return 0
    }, Unmanaged.passRetained(Handler(body)).toOpaque(), nil)
}

private final class Handler {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

/// Turns GLib's loop until a condition holds.
///
/// - Returns: whether it holds after some seconds.
@discardableResult
func iterate(seconds: Double = 30, until isDone: () -> Bool = { false }) -> Bool {
  let end = Date(timeIntervalSinceNow: seconds)
  // So that the loop does not sleep beyond the end.
  let alarm = g_timeout_source_new(guint(seconds * 1_000) + 1)
  g_source_set_callback(alarm, { _ in 1 }, nil, nil)
  g_source_attach(alarm, nil)
  defer {
    g_source_destroy(alarm)
    g_source_unref(alarm)
  }
  while !isDone() {
    if end.timeIntervalSinceNow <= 0 { return false }
    g_main_context_iteration(nil, 1)
  }
  return true
}
