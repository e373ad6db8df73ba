#if canImport(UIKit) && !os(watchOS)
  import UIKit
  private typealias View = UIView
#elseif canImport(AppKit)
  import AppKit
  private typealias View = NSView
#endif

#if canImport(AppKit) || canImport(UIKit) && !os(watchOS)
  import RunLoopTasks
  import Testing

  /// Views as owners of keys, with their names.
  @MainActor @Suite struct ViewKeyTests {
    @Test func aViewHasOneTaskOfEachName() {
      let (view, other) = (View(), View())
      let tasks = [OwnerKey(view), OwnerKey(other), OwnerKey(view, "layout"), OwnerKey(view)].map { key in
        RunLoop.main.perform {}.coalesced(by: key)
      }
      #expect(tasks.map(\.state) == [.cancelled, .pending, .pending, .pending])
      for task in tasks { task.cancel() }
    }
  }
#endif
