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

  // Posts of another thread.
  let posted = Counter()
  elsewhere { for _ in 1...10_000 { RunLoopTaskQueue.main.perform { posted.count() } } }
  say(iterate { posted.value == 10_000 })

  // Beside idle work, GLib's own timeouts have their turns.
  var (turns, worked) = (0, 0)
  every(milliseconds: 10) {
    turns += 1
    return worked < 300
  }
  for _ in 1...300 {
    RunLoop.main.perform {
      usleep(1_000)
      worked += 1
    }.when(.idle)
  }
  say(iterate { worked == 300 })
  say(turns >= 15)

  // A dialog in a task: a GLib loop that is nested in a pass.
  let dialog = g_main_loop_new(nil, 0)
  RunLoop.main.perform(when: .currentLoopEnded) {
    RunLoop.main.perform { g_main_loop_quit(dialog) }.when(.idle).after(.milliseconds(30))
    elsewhere { RunLoopTaskQueue.main.perform { posted.count() } }
    g_main_loop_run(dialog)
    events.append("closed")
  }
  say(iterate { events.last == "closed" })
  say(posted.value)

  // One in a block of the main queue does not spin.
  let closed = Counter()
  DispatchQueue.main.async {
    DispatchQueue.main.async { closed.count() }
    let before = MainLoopSource.passes
    iterate(seconds: 0.3)
    say(MainLoopSource.passes - before <= 3)
    say(closed.value)
  }
  say(iterate { closed.value == 1 })

  // An idle second, beside delays.
  RunLoop.main.perform {}.after(.seconds(3_600))
  iterate(seconds: 0.1)
  let before = MainLoopSource.passes
  iterate(seconds: 1)
  say(MainLoopSource.passes - before)
}
