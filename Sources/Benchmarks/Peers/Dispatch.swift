import Foundation

extension Methods {
  static var dispatch: Methods {
    let schedule: @Sendable (Int) -> Void = { left in DispatchQueue.main.async { Work.shared.run(left: left) } }
    return Methods(
      schedule: schedule, send: schedule,
      cancelling: Cancelling(
        schedule: { left in
          let item = DispatchWorkItem { Work.shared.run(left: left) }
          DispatchQueue.main.async(execute: item)
          return item
        },
        cancel: { item in item.cancel() },
        // The queue keeps a cancelled item until its turn comes.
        settle: { MainLoop.runUntilReached(by: schedule) }))
  }
}
