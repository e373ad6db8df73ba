import CoreFoundation
import Foundation
import RunLoopTasks

/// Shows when tasks run, with real runs of the main loop.
@MainActor
enum TimelineLesson {
  static func printAll() {
    tell(
      "The three timings",
      """
      The program schedules three tasks before the run, in this order: idle,
      nextLoopBegan, currentLoopEnded. The loop sleeps between the passes.
      """
    ) { timeline in
      schedule(.idle, timeline) { stopRun() }
      schedule(.nextLoopBegan, timeline)
      schedule(.currentLoopEnded, timeline)
      runUntilStopped()
    }
    tell(
      "A nested run",
      """
      The first task runs its loop again, as a modal panel does. Tasks that are due
      in the nested run also run there, such as the second task.
      """
    ) { timeline in
      schedule(.currentLoopEnded, timeline, "first, runs the loop") {
        schedule(.nextLoopBegan, timeline, "scheduled by the first") { stopRun() }
        runUntilStopped()
        timeline.note("currentLoopEnded: first ends", .task)
        stopRun()
      }
      schedule(.currentLoopEnded, timeline, "second")
      runUntilStopped()
    }
    tell(
      "A polled run",
      """
      A run whose time is already up never sleeps. currentLoopEnded and idle tasks run
      at its exit, and nextLoopBegan tasks run at the entry of the next run.
      """
    ) { timeline in
      for timing in RunLoopTask.Timing.allCases { schedule(timing, timeline) }
      for _ in 1...2 { _ = RunLoop.main.run(mode: .default, before: .distantPast) }
    }
  }

  private static func runUntilStopped() { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }

  private static func stopRun() { CFRunLoopStop(CFRunLoopGetMain()) }

  private static func schedule(
    _ timing: RunLoopTask.Timing, _ timeline: Timeline, _ text: String = "", then body: @escaping () -> Void = {}
  ) {
    RunLoop.main.perform {
      timeline.note(text.isEmpty ? "\(timing)" : "\(timing): \(text)", .task)
      body()
    }.when(timing)
  }

  private static func tell(_ title: String, _ text: String, _ body: (Timeline) -> Void) {
    let timeline = Timeline()
    body(timeline)
    var pass = 0
    let lines = timeline.steps.flatMap { step in
      let indent = String(repeating: "    ", count: step.depth - 1)
      let head = (indent + (step.pass == pass ? "" : "pass \(step.pass)")).padded(to: indent.count + 9)
      let first = head + "\(step.activity)".padded(to: 15)
      pass = step.pass
      let notes = step.notes.enumerated().map { ($0 == 0 ? first : "".padded(to: first.count)) + "▸ \($1.text)" }
      return notes.isEmpty ? [first.trimmed] : notes
    }
    output([title, text, ""] + lines.map { "  \($0)" } + [""])
  }
}
