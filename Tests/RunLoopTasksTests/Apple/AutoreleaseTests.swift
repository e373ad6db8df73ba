#if canImport(ObjectiveC)
  import Foundation
  import RunLoopTasks
  import Testing

  /// Objects that are autoreleased on a `RunLoopThread` are released before the next pass.
  @Suite struct AutoreleaseTests {
    @Test(arguments: RunLoopTask.Timing.allCases)
    func objectsOfATaskAreReleasedBeforeTheNextPass(timing: RunLoopTask.Timing) {
      expectReleaseBeforeTheNextPass { thread, released, isDone in
        thread.taskQueue.perform(when: timing) {
          autorelease(released)
          checkInTheNextPass(isDone)
        }
      }
    }

    @Test func objectsOfASourceAreReleasedBeforeTheNextPass() {
      let source = Box<RunLoopSource<Int>?>(nil)
      expectReleaseBeforeTheNextPass { thread, released, isDone in
        source.value = RunLoopSource { _ in
          autorelease(released)
          checkInTheNextPass(isDone)
        }
        thread.taskQueue.perform {
          RunLoop.current.add(source.value!, forMode: .default)
          source.value!.send(1)
        }
      }
      source.value!.invalidate()
    }

    @Test func objectsOfAJobAreReleasedBeforeTheNextPass() {
      expectReleaseBeforeTheNextPass { thread, released, isDone in
        let actor = ThreadActor(thread)
        Task { await actor.work(released, isDone) }
      }
    }

    /// The thread runs the job after the end of its loop, or just before.
    @Test func objectsOfTheLastJobAreReleased() async {
      let (released, hasBegun, mayEnd) = (Counter(), Counter(), DispatchSemaphore(value: 0))
      let thread = RunLoopThread(name: "worker")
      let actor = ThreadActor(thread)
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

    /// - Parameter work: Autoreleases an object, and calls the given function at the beginning of the next pass.
    private func expectReleaseBeforeTheNextPass(
      _ work: (RunLoopThread, Counter, @escaping @Sendable () -> Void) -> Void
    ) {
      let (released, inTheNextPass) = (Counter(), Box(0))
      let isDone = DispatchSemaphore(value: 0)
      let thread = RunLoopThread(name: "worker")
      work(thread, released) {
        inTheNextPass.value = released.value
        isDone.signal()
      }
      isDone.waitOrDie("the next pass")
      #expect(inTheNextPass.value == 1)
      thread.stop()
      join(thread)
    }
  }

  extension ThreadActor {
    fileprivate func work(_ released: Counter, _ isDone: (@Sendable () -> Void)?) {
      calls += 1
      autorelease(released)
      if let isDone { checkInTheNextPass(isDone) }
    }
  }

  /// Makes an object that only the autorelease pool retains.
  private func autorelease(_ released: Counter) {
    let token = Unmanaged.passRetained(Token { released.count() }).toOpaque()
    // Compiled Objective-C calls this function to return an object.
    let autorelease = symbol("objc_autorelease")
    _ = unsafeBitCast(autorelease, to: (@convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer).self)(
      token)
  }

  private func checkInTheNextPass(_ check: @escaping @Sendable () -> Void) {
    RunLoop.current.perform(check).when(.nextLoopBegan)
  }
#endif
