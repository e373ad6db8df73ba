import Foundation
import RunLoopTasks
import RunLoopTracing
import Testing

/// Eight threads record eight loops, and post to each other.
@Suite(.onOwnLoop) struct TraceThreadsTests {
  @Test func eightThreadsRecordEightLoops() throws {
    let threads = (1...8).map { RunLoopThread(name: "loop \($0)") }
    let traces = Box<[RunLoopTrace]>([])
    let reporters = Box<[RunLoopHangReporter]>([])
    let ran = Counter()
    for thread in threads {
      thread.taskQueue.perform {
        traces.add([RunLoop.current.trace(capacity: 500)])
        reporters.add([RunLoop.current.reportHangs(over: .microseconds(100)) { _ in }])
      }
    }
    for round in 1...20 {
      for (index, thread) in threads.enumerated() {
        let next = threads[(index + round) % 8].taskQueue
        thread.taskQueue.perform(when: .idle) {
          next.perform { ran.count() }
          next.perform { ran.count() }.cancel()
          RunLoop.current.perform { ran.count() }.when(.currentLoopEnded)
        }
      }
      if round % 10 == 0 { #expect(try TraceContent(traces.value).count <= 8 * 500) }
    }
    waitUntil { ran.value >= 320 }
    for trace in traces.value.prefix(4) { trace.stop() }
    for reporter in reporters.value.prefix(4) { reporter.stop() }
    for thread in threads { thread.stop() }
    #expect(try TraceContent(traces.value).names.count == 8)
    for thread in threads { thread.join() }
    #expect(try TraceContent(traces.value).names.count == 8)
  }
}
