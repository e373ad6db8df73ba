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
}
