import Foundation

extension Methods {
  static var operation: Methods {
    let schedule: @Sendable (Int) -> Void = { left in OperationQueue.main.addOperation { Work.shared.run(left: left) } }
    return Methods(
      schedule: schedule, send: schedule,
      cancelling: Cancelling(
        schedule: { left in
          let operation = BlockOperation { Work.shared.run(left: left) }
          OperationQueue.main.addOperation(operation)
          return operation
        },
        cancel: { operation in operation.cancel() },
        // The queue keeps a cancelled operation until its turn comes.
        settle: { MainLoop.runUntilReached(by: schedule) }))
  }
}
