import Foundation
import RunLoopTasks
import Testing

@testable import RunLoopTracing

/// A hang's line in a log.
struct HangDescriptionTests {
  private func hang(
    name: String = "main", mode: RunLoop.Mode? = .default, origin: String = "Editor/Document.swift:57",
    timing: RunLoopTask.Timing? = .idle, total: (count: Int, duration: Duration) = (1, .milliseconds(371)),
    isOver: Bool = true
  ) -> RunLoopHang {
    let task = RunLoopHang.TaskRun(
      origin: origin, timing: timing, duration: min(total.duration, .milliseconds(371)), isRunning: false)
    return RunLoopHang(
      duration: .milliseconds(412), isOver: isOver, mode: mode, tasks: [task], name: name, total: total)
  }

  /// How the line goes on after the mode.
  private func end(_ hang: RunLoopHang) -> Substring { hang.description.dropFirst(39) }

  @Test func itIsThatOfTheContract() {
    #expect(
      hang().description
        == "main: busy for 412 ms in default mode, 371 ms of it in the task of Editor/Document.swift:57 (idle)")
    #expect(hang(mode: nil).description.hasPrefix("main: busy for 412 ms between two runs, 371 ms of it"))
    #expect(hang(isOver: false).description.hasPrefix("main: busy for 412 ms so far in default mode, 371 ms of it"))
  }

  @Test func batchesAndJobsAreNamed() {
    #expect(
      end(hang(origin: "RunLoopSource<URL>", timing: nil)) == "371 ms of it in a batch of RunLoopSource<URL>")
    #expect(end(hang(origin: "job", timing: nil)) == "371 ms of it in a job")
  }

  @Test func theLongestOfManyIsNamed() {
    var many = hang(total: (30, .milliseconds(800)))
    #expect(
      end(many) == "800 ms of it in 30 tasks, the longest the task of Editor/Document.swift:57 (idle)")
    many = hang(origin: "RunLoopSource<URL>", timing: nil, total: (30, .milliseconds(800)))
    #expect(end(many) == "800 ms of it in 30 tasks and batches, the longest a batch of RunLoopSource<URL>")
  }

  @Test func oddNamesLeaveItOneLine() {
    let text = hang(name: "a\nb", mode: RunLoop.Mode("c\r\nd")).description
    #expect(text.hasPrefix("a b: busy for 412 ms in c d mode, "))
  }
}
