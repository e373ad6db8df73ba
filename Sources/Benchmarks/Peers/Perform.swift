import Foundation

extension Methods {
  /// Foundation's own method: what is neither chained nor kept.
  static var perform: Methods {
    Methods(
      schedule: { left in RunLoop.current.perform { Work.shared.run(left: left) } },
      send: { left in RunLoop.main.perform { Work.shared.run(left: left) } },
      // It wakes no loop. Once for all that was sent is the cheapest.
      wake: { MainLoop.wake() },
      park: { RunLoop.current.perform(inModes: [.parked]) { Work.shared.run(left: 1) } })
  }
}
