#if canImport(ObjectiveC)
  import Foundation
  import Testing

  @testable import RunLoopTasks

  /// What is autoreleased on a `RunLoopThread` is gone before the next pass.
  @Suite struct AutoreleaseTests {
    @Test(arguments: RunLoopTask.Timing.allCases)
    func whatATaskAutoreleases(timing: RunLoopTask.Timing) {
      expectGoneInTheNextPass { thread, released, isDone in
        thread.taskQueue.perform(when: timing) {
          autorelease(released)
          lookInTheNextPass(isDone)
        }
      }
    }

    @Test func whatTenThousandTasksOfABatchAutorelease() {
      expectGoneInTheNextPass(10_000) { thread, released, isDone in
        thread.taskQueue.perform {
          for _ in 1...10_000 { RunLoop.current.perform { autorelease(released) }.when(.currentLoopEnded) }
          RunLoop.current.perform { lookInTheNextPass(isDone) }.when(.currentLoopEnded)
        }
      }
    }

    @Test func whatASourceAutoreleases() {
      let source = Box<RunLoopSource<Int>?>(nil)
      expectGoneInTheNextPass { thread, released, isDone in
        source.value = RunLoopSource { _ in
          autorelease(released)
          lookInTheNextPass(isDone)
        }
        thread.taskQueue.perform {
          RunLoop.current.add(source.value!, forMode: .default)
          source.value!.send(1)
        }
      }
      source.value!.invalidate()
    }

    @Test func whatAnActorsJobAutoreleases() {
      expectGoneInTheNextPass { thread, released, isDone in
        let actor = Resident(thread)
        Task { await actor.work(released, isDone) }
      }
    }

    /// A job that the thread serves after its loop has ended, or just before.
    @Test func whatALastJobAutoreleases() async {
      let (released, hasBegun, mayEnd) = (Counter(), Counter(), DispatchSemaphore(value: 0))
      let thread = RunLoopThread(name: "a resident")
      let actor = Resident(thread)
      thread.taskQueue.perform {
        hasBegun.count()
        mayEnd.wait()
      }
      await eventually { hasBegun.value == 1 }
      let job = Task { await actor.work(released, nil) }
      thread.stop()
      mayEnd.signal()
      await job.value
      await eventually { released.value == 1 }
    }

    private actor Resident {
      private let thread: RunLoopThread
      private var works = 0
      init(_ thread: RunLoopThread) { self.thread = thread }
      nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

      func work(_ released: Counter, _ isDone: (@Sendable () -> Void)?) {
        works += 1
        autorelease(released)
        if let isDone { lookInTheNextPass(isDone) }
      }
    }

    /// - Parameter work: calls what it is handed at the beginning of the pass after the one in which it autoreleased.
    private func expectGoneInTheNextPass(
      _ objects: Int = 1, _ work: (RunLoopThread, Counter, @escaping @Sendable () -> Void) -> Void
    ) {
      let (released, inTheNextPass) = (Counter(), Box(0))
      let isDone = DispatchSemaphore(value: 0)
      let thread = RunLoopThread(name: "a resident")
      work(thread, released) {
        inTheNextPass.value = released.value
        isDone.signal()
      }
      isDone.waitOrDie("the next pass")
      #expect(inTheNextPass.value == objects)
      thread.stop()
      elsewhere { thread.join() }
    }
  }

  /// Makes an object that nothing but the autorelease pool keeps.
  private func autorelease(_ released: Counter) {
    let token = Unmanaged.passRetained(Token { released.count() }).toOpaque()
    // What compiled Objective-C calls to return an object.
    let autorelease = symbol("objc_autorelease")
    _ = unsafeBitCast(autorelease, to: (@convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer).self)(
      token)
  }

  private func lookInTheNextPass(_ look: @escaping @Sendable () -> Void) {
    RunLoop.current.perform(look).when(.nextLoopBegan)
  }
#endif
