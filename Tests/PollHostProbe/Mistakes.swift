#if os(Linux)
  import Foundation
  import RunLoopHost
  import RunLoopTasks

  // The end of the embedding, and bad input.
  var mistakes: Tests {
    [
      // Also while others send. Then the loop is driven as before.
      "ends": {
        let (isOver, ended, sent, ran) = (Counter(), Counter(), Counter(), Counter())
        elsewhere {
          while isOver.value == 0 {
            RunLoopTaskQueue.main.perform { ran.count() }
            sent.count()
            usleep(1)
          }
          RunLoopTaskQueue.main.perform { ended.count() }
        }
        for _ in 1...300 { PollHost().run(seconds: 0.001) }
        isOver.count()
        RunLoop.main.runUntil { ended.value == 1 && ran.value == sent.value }
        say(ran.value == sent.value)
        let before = openDescriptors
        do { _ = EmbeddedMainLoop() }
        say(openDescriptors == before)
      },

      "forked": {
        let host = PollHost()
        host.settle()
        say(inFork { RunLoop.main.perform(when: .idle) {} })
        say(host.isReadable)
      },

      "used in a fork": {
        let host = PollHost()
        _ = inFork { host.loop.runPass() }
      },

      "two": { withExtendedLifetime(EmbeddedMainLoop()) { _ = EmbeddedMainLoop() } },

      "another thread": {
        let loop = Unchecked(EmbeddedMainLoop())
        elsewhere { loop.value.runPass() }
        while true { sleep(1) }
      },

      "made elsewhere": {
        elsewhere { _ = EmbeddedMainLoop() }
        while true { sleep(1) }
      },

      "no descriptors": {
        // Enough for its own descriptors, but not for those of Dispatch and of the main loop.
        var last = dup(0)
        while case let next = dup(0), next >= 0 { last = next }
        for descriptor in (last - 9)...last { close(descriptor) }
        _ = EmbeddedMainLoop()
      },
    ]
  }
#endif
