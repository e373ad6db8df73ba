#if os(macOS) || os(Linux)
  import Foundation
  import RunLoopTasks

  extension ThreadActor {
    /// Not async, so it calls the `join` that blocks.
    fileprivate func joinItsOwnThread() {
      calls += 1
      thread.join()
    }
  }

  extension Misuse {
    // MARK: sources and observers

    static let sources = [
      Misuse(
        "RunLoop.add(_:forMode:) must be called on the loop's own thread",
        "let the loop do it"
      ) { RunLoop.main.add(RunLoopSource<Int> { _ in }, forMode: .default) },
      Misuse(
        "RunLoop.remove(_:forMode:) must be called on the loop's own thread",
        "let the loop do it"
      ) { RunLoop.main.remove(RunLoopSource<Int> { _ in }, forMode: .default) },
      Misuse(
        "RunLoop.observe(_:forModes:order:repeats:_:) must be called on the loop's own thread",
        "let the loop do it"
      ) { _ = RunLoop.main.observe(.all) { _ in } },
      Misuse(
        #"RunLoop.add(_:forMode:) cannot add a source to the mode "other", because it is in a mode of another thread's"#,
        "remove it there first"
      ) {
        let source = RunLoopSource<Int> { _ in }
        let threads = ["first", "second"].map { RunLoopThread(name: $0) }
        for (thread, mode) in zip(threads, [RunLoop.Mode.default, RunLoop.Mode("other")]) {
          let isAdded = DispatchSemaphore(value: 0)
          thread.taskQueue.perform {
            RunLoop.current.add(source, forMode: mode)
            isAdded.signal()
          }
          isAdded.wait()
        }
      },
      Misuse("RunLoop.observe(_:forModes:order:repeats:_:) needs at least one mode", "is never called") {
        _ = RunLoop.current.observe(.all, forModes: []) { _ in }
      },
    ]

    // MARK: threads

    static let threads = [
      Misuse("RunLoopThread needs a stack", "not 0, or nil") { _ = RunLoopThread(name: "worker", stackSize: 0) },
      Misuse("RunLoopThread.join() was called on the thread itself", "call it on another one") {
        elsewhere {
          let thread = RunLoopThread(name: "worker")
          thread.taskQueue.perform { thread.join() }
          while true { sleep(1) }
        }
      },
      Misuse("RunLoopThread.join() was called on the thread itself", "call it on another one") {
        await ThreadActor().joinItsOwnThread()
      },
      Misuse("RunLoopThread.join() was called on the thread itself", "call it on another one") {
        let thread = RunLoopThread(name: "worker")
        let source = RunLoopSource<Int>(onCancel: { _ in thread.join() }, perform: { _ in })
        thread.taskQueue.perform {
          RunLoop.current.add(source, forMode: .default)
          thread.stop()
        }
        while true { sleep(1) }
      },
      Misuse(assumption.message, assumption.remedy, namesCaller: false) { ThreadActor().assumeIsolated { _ in } },
      Misuse("Code that assumes the isolation of an actor on a RunLoopThread", "on another thread", namesCaller: false)
      {
        RunLoopThread(name: "worker").checkIsolated()
      },
    ]

    /// Swift asks the executor and has a message of its own, or lets the executor stop the program.
    private static var assumption: (message: String, remedy: String) {
      if #available(macOS 26, *) { return ("Incorrect actor executor assumption", "ThreadActor") }
      return ("Code that assumes the isolation of an actor on a RunLoopThread", "another thread")
    }
  }
#endif
