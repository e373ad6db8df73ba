import Foundation
import RunLoopTasks
import Testing

@testable import RunLoopTracing

/// A hang's line in a log.
struct HangDescriptionTests {
  private func hang(
    name: String = "main", mode: RunLoop.Mode? = .default, origin: String = "Editor/Document.swift:57",
    timing: RunLoopTask.Timing? = .idle, total: (count: Int, duration: Duration) = (1, .milliseconds(371)),
    duration: Duration = .milliseconds(412), isOver: Bool = true
  ) -> RunLoopHang {
    let task = RunLoopHang.TaskRun(
      origin: origin, timing: timing, duration: min(total.duration, .milliseconds(371)), isRunning: false)
    return RunLoopHang(
      duration: duration, isOver: isOver, mode: mode, tasks: [task], name: name, total: total,
      running: isOver ? nil : task)
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
    var many = hang(total: (30, .milliseconds(800)), duration: .milliseconds(820))
    #expect(
      end(many) == "800 ms of it in 30 tasks, batches and jobs, the longest the task of Editor/Document.swift:57 (idle)"
    )
    many = hang(
      origin: "RunLoopSource<URL>", timing: nil, total: (30, .milliseconds(800)), duration: .milliseconds(820))
    #expect(end(many) == "800 ms of it in 30 tasks, batches and jobs, the longest a batch of RunLoopSource<URL>")
  }

  /// Half of the tasks' time may be a quarter of the pass.
  @Test func oneOfManyTasksIsTheCulpritOnlyIfItTookHalfOfThePass() {
    func text(_ longest: Int) -> String {
      let task = RunLoopHang.TaskRun(
        origin: "A.swift:1", timing: .idle, duration: .milliseconds(longest), isRunning: false)
      return RunLoopHang(
        duration: .milliseconds(400), isOver: true, mode: .default, tasks: [task], name: "main",
        total: (11, .milliseconds(longest + 100)), running: nil
      ).description
    }
    #expect(
      text(100).hasSuffix(", 200 ms of it in 11 tasks, batches and jobs, the longest the task of A.swift:1 (idle)"))
    #expect(text(200).hasSuffix(", 200 ms of it in the task of A.swift:1 (idle)"))
  }

  @Test func aTaskThatTookLessThanOtherCodeIsNamedBehindThat() {
    #expect(
      end(hang(total: (1, .milliseconds(150))))
        == "262 ms of it in other code, 150 ms in the task of Editor/Document.swift:57 (idle)")
    #expect(end(hang(total: (1, .milliseconds(30)))) == "382 ms of it in other code")
  }

  /// The longest may have ended, and the report be the last.
  @Test func whatRunsNowIsNamed() {
    func text(_ running: RunLoopHang.TaskRun?) -> String {
      let tasks = [("A.swift:1", 200), ("B.swift:2", 50)].map { origin, milliseconds in
        RunLoopHang.TaskRun(
          origin: origin, timing: .idle, duration: .milliseconds(milliseconds), isRunning: milliseconds == 50)
      }
      return RunLoopHang(
        duration: .milliseconds(250), isOver: false, mode: .default, tasks: tasks, name: "main",
        total: (2, .milliseconds(250)), running: running.map { _ in tasks[1] }
      ).description
    }
    let start = "main: busy for 250 ms so far in default mode, 200 ms of it in the task of A.swift:1 (idle)"
    #expect(text(nil) == start)
    #expect(text(hang().tasks[0]) == start + "; now in the task of B.swift:2 (idle)")
    #expect(!hang(isOver: false).description.contains("now in"))
    #expect(
      hang(total: (1, .milliseconds(30)), isOver: false).description
        == "main: busy for 412 ms so far in default mode, 382 ms of it in other code; now in the task of "
        + "Editor/Document.swift:57 (idle)")
  }

  @Test func oddNamesLeaveItOneLine() {
    let text = hang(name: "a\nb", mode: RunLoop.Mode("c\r\nd")).description
    #expect(text.hasPrefix("a b: busy for 412 ms in c d mode, "))
  }
}
