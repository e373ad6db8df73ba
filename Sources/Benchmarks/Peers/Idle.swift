import Foundation

/// The notification queue takes no closures, so a handle with one is the notifications' object, and an observer calls it.
private final class Handle: Sendable {
  static let name = Notification.Name("Handle")

  let closure: @Sendable () -> Void
  init(_ closure: @escaping @Sendable () -> Void) { self.closure = closure }
}

extension Methods {
  static var idle: Methods {
    let queue = NotificationQueue.default
    func schedule(_ left: Int, forModes modes: [RunLoop.Mode]? = nil) {
      let handle = Handle { Work.shared.run(left: left) }
      queue.enqueue(
        Notification(name: Handle.name, object: handle), postingStyle: .whenIdle, coalesceMask: [], forModes: modes)
    }
    return Methods(
      prepare: {
        _ = NotificationCenter.default.addObserver(forName: Handle.name, object: nil, queue: nil) {
          ($0.object as? Handle)?.closure()
        }
      },
      // It takes notifications back by name and sender only, and Apple's spells that differently.
      schedule: { left in schedule(left) },
      park: { schedule(1, forModes: [.parked]) })
  }
}
