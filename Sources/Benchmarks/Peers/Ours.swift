import Foundation
import RunLoopTasks

extension Methods {
  static var ours: Methods {
    Methods(
      schedule: { left in RunLoop.current.perform { Work.shared.run(left: left) }.when(.nextLoopBegan) },
      send: { left in RunLoopTaskQueue.main.perform { Work.shared.run(left: left) } },
      park: { RunLoop.current.perform { Work.shared.run(left: 1) }.forModes(.parked) },
      cancelling: Cancelling(
        schedule: { left in RunLoop.current.perform { Work.shared.run(left: left) }.when(.nextLoopBegan) },
        cancel: { task in task.cancel() }))
  }
}
