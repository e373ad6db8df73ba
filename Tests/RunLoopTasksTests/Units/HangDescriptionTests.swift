import Foundation
import RunLoopTasks
import Testing

@testable import RunLoopTracing

/// A hang's line in a log.
struct HangDescriptionTests {
  private func hang(name: String = "main", mode: RunLoop.Mode? = .default) -> RunLoopHang {
    let task = RunLoopHang.TaskRun(
      origin: "Editor/Document.swift:57", timing: .idle, duration: .milliseconds(371), isRunning: false)
    return RunLoopHang(
      duration: .milliseconds(412), isOver: true, mode: mode, tasks: [task], name: name,
      total: (1, .milliseconds(371)))
  }

  @Test func itIsThatOfTheContract() {
    #expect(
      hang().description
        == "main: busy for 412 ms in default mode, 371 ms of it in the task of Editor/Document.swift:57 (idle)")
    #expect(hang(mode: nil).description.hasPrefix("main: busy for 412 ms between two runs, 371 ms of it"))
  }

  @Test func oddNamesLeaveItOneLine() {
    let text = hang(name: "a\nb", mode: RunLoop.Mode("c\r\nd")).description
    #expect(text.hasPrefix("a b: busy for 412 ms in c d mode, "))
  }
}
