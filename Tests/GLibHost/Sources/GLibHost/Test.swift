import CGLib
import Foundation
import MainLoopSource
import RunLoopTasks

func test() {
  MainLoopSource.add(to: nil)
  var events: [String] = []

  // From handlers of GLib, outside any run of the main loop.
  onIdle {
    for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
      RunLoop.main.perform(when: timing) { events.append("\(timing)") }
    }
  }
  say(iterate { events.count == 3 })
  say(events)

  // Dates, keys, timers that a handler adds, the main actor.
  let (saves, ticks, hops) = (Counter(), Counter(), Counter())
  for _ in 1...10 {
    RunLoop.main.perform { saves.count() }.after(.milliseconds(20)).coalesced(by: "save")
  }
  onIdle {
    let timer = Timer(fire: .now + 0.01, interval: 0.01, repeats: true) { _ in ticks.count() }
    RunLoop.main.add(timer, forMode: .common)
    _ = iterate { ticks.value >= 20 }
    timer.invalidate()
  }
  Task { @MainActor in
    for _ in 1...100 {
      await Task.detached {}.value
      hops.count()
    }
  }
  say(iterate { saves.value == 1 && ticks.value >= 20 && hops.value == 100 })

  // A thread adds rows by the hundred while a handler holds the main thread up, and their list reloads at the end of a
  // pass.
  let (rows, reloads) = (Counter(), Counter())
  elsewhere {
    for _ in 1...10 {
      let (mayPost, arePosted) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      onIdle {
        mayPost.signal()
        arePosted.wait()
      }
      mayPost.wait()
      for _ in 1...100 {
        MainActor.perform {
          rows.count()
          RunLoop.main.perform(when: .currentLoopEnded, coalescedBy: "reload") { reloads.count() }
        }
      }
      arePosted.signal()
    }
  }
  say(iterate { rows.value == 1_000 && RunLoopTaskQueue.main.count == 0 })
  say(1...10 ~= reloads.value)

  // A dialog in a task: a GLib loop that is nested in a pass.
  let (dialog, posted) = (g_main_loop_new(nil, 0), Counter())
  RunLoop.main.perform(when: .currentLoopEnded) {
    RunLoop.main.perform { g_main_loop_quit(dialog) }.when(.idle).after(.milliseconds(30))
    elsewhere { RunLoopTaskQueue.main.perform { posted.count() } }
    g_main_loop_run(dialog)
    events.append("closed")
  }
  say(iterate { events.last == "closed" })
  say(posted.value)
}
