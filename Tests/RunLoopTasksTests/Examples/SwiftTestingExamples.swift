import Foundation
import RunLoopTasks
import Testing

/// How to test code that uses the package, with Swift Testing.
///
/// A test that is not `async` runs on one thread, so `RunLoop.current` is the same loop from beginning to end.
///
/// The task clock runs on between the calls of `advance(by:)`. The tests therefore choose delays beside which their own
/// duration does not matter.
@Suite struct SwiftTestingExamples {
  @Test func aViewReloadsOncePerPass() {
    let view = RowsView()
    view.rows = ["one"]
    view.rows += ["two"]
    #expect(view.reloads == 0)
    RunLoop.current.runPass()
    #expect(view.reloads == 1)
  }

  @Test func aSearchBeginsOnceTheUserHasStoppedTyping() {
    let field = SearchField(delay: .seconds(300), longestWait: .seconds(2_000))
    for text in ["s", "sw", "swift"] {
      field.text = text
      RunLoop.current.advance(by: .seconds(200))
    }
    #expect(field.searches == [])
    RunLoop.current.advance(by: .seconds(100))
    #expect(field.searches == ["swift"])
  }

  @Test func aSearchBeginsAfterTheLongestWait() {
    let field = SearchField(delay: .seconds(300), longestWait: .seconds(2_000))
    for _ in 1...20 {
      field.text += "a"
      RunLoop.current.advance(by: .seconds(100))
    }
    #expect(field.searches == [field.text])
  }

  @Test func aLabelShowsTheFirstAndTheLatestProgress() {
    let label = ProgressLabel(interval: .seconds(100))
    for percent in 0...50 {
      label.show(percent)
      RunLoop.current.advance(by: .seconds(1))
    }
    #expect(label.texts == ["0 %"])
    RunLoop.current.advance(by: .seconds(50))
    #expect(label.texts == ["0 %", "50 %"])
  }

  @Test func aCacheEmptiesItselfWhenTheLoopIsIdle() {
    let cache = SquareCache()
    #expect(cache.square(12) == 144)
    #expect(cache.squares == [12: 144])
    #expect(RunLoop.current.runUntilTasksFinish(timeout: .seconds(1)))
    #expect(cache.squares.isEmpty)
  }

  @Test func anActorRunsOnItsThread() async {
    let adder = Adder()
    #expect(await adder.add([1, 2]) == 3)
    #expect(await adder.isOnItsThread)
    adder.stop()
  }

  /// An `async` test waits for a loop on another thread, because it may itself run on any.
  @Test func anActorReportsToALoop() async {
    let (adder, thread) = (Adder(), RunLoopThread(name: "reports"))
    let sum = await withCheckedContinuation { report in
      Task { await adder.add([1, 2], reportTo: thread.taskQueue) { report.resume(returning: $0) } }
    }
    #expect(sum == 3)
    adder.stop()
    thread.stop()
  }
}
