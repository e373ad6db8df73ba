import Foundation
import RunLoopTasks
import Testing

/// How to test code that uses the package, with Swift Testing.
///
/// A test that is not `async` runs on one thread, so `RunLoop.current` is the same loop from beginning to end.
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
    let field = SearchField()
    for text in ["s", "sw", "swift"] {
      field.text = text
      RunLoop.current.advance(by: .milliseconds(299))
    }
    #expect(field.searches == [])
    RunLoop.current.advance(by: .milliseconds(1))
    #expect(field.searches == ["swift"])
  }

  @Test func aSearchBeginsAfterTwoSecondsAtTheLatest() {
    let field = SearchField()
    for _ in 1...20 {
      field.text += "a"
      RunLoop.current.advance(by: .milliseconds(100))
    }
    #expect(field.searches == [field.text])
  }

  @Test func aLabelShowsTheFirstAndTheLatestProgress() {
    let label = ProgressLabel()
    for percent in 0...50 {
      label.show(percent)
      RunLoop.current.advance(by: .milliseconds(1))
    }
    #expect(label.texts == ["0 %"])
    RunLoop.current.advance(by: .milliseconds(50))
    #expect(label.texts == ["0 %", "50 %"])
  }

  @Test func aCacheEmptiesItselfWhenTheLoopIsIdle() {
    let cache = SquareCache()
    #expect(cache.square(12) == 144)
    #expect(cache.squares == [12: 144])
    RunLoop.current.runUntilTasksFinish()
    #expect(cache.squares.isEmpty)
  }

  @Test func anActorRunsOnItsThread() async {
    let adder = Adder()
    #expect(await adder.add([1, 2]) == 3)
    #expect(await adder.isOnItsThread)
    adder.stop()
  }

  @Test func anActorReportsToTheLoop() {
    let (adder, queue) = (Adder(), RunLoop.current.taskQueue)
    let sum = Box(0)
    Task { await adder.add([1, 2], reportTo: queue) { sum.value = $0 } }
    #expect(RunLoop.current.runUntil(timeout: .seconds(300)) { sum.value == 3 })
    adder.stop()
  }
}
