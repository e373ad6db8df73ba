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
        timeline.note(task: .currentLoopEnded, "first ends")
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
      timeline.note(task: timing, text)
      body()
    }.when(timing)
  }

  private static func tell(_ title: String, _ text: String, _ body: (Timeline) -> Void) {
    let timeline = Timeline()
    body(timeline)
    output([title, text, ""] + timeline.passes.flatMap(lines).map { "  \($0)" } + [""])
  }

  private static func lines(of pass: Timeline.Pass) -> [String] {
    let indent = String(repeating: "    ", count: pass.depth - 1)
    return pass.steps.enumerated().flatMap { index, step in
      let head = indent + (index == 0 ? "pass \(pass.number)" : "").padded(to: 9)
      let name = "\(step.activity)".padded(to: 15)
      let first = head + name + (step.notes.first.map { "▸ \($0.text)" } ?? "")
      let rest = step.notes.dropFirst().map { String(repeating: " ", count: indent.count + 24) + "▸ \($0.text)" }
      return [first.trimmed] + rest
    }
  }
}
