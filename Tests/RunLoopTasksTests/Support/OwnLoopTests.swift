import Foundation
import RunLoopTasks
import Testing

/// The trait that gives each test a loop of its own.
@Suite(.onOwnLoop) struct OwnLoopTests {
  @Test(arguments: 1...20) func aTestBeginsOutsideAnyRunOfALoopWithoutTasks(number: Int) {
    #expect(RunLoop.current.currentMode == nil)
    #expect(RunLoop.current.taskQueue.count == 0)
    RunLoop.current.perform {}.when(.idle)
  }
}
