#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// A loop that ends with undelivered commands of a source says so on standard error, once a process.
  @Suite(.onOwnLoop) struct DroppedCommandsTests {
    @Test func theCommandsOfAPlainThreadAreCounted() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        for _ in 1...2 { Self.endLoop(sending: 3, to: [.default, .common]) }
        exit(0)
      }
      let lines = Self.lines(of: result)
      #expect(lines.count == 1)
      #expect(lines[0].contains("6 commands were sent to a RunLoopSource and never delivered"), "\(lines)")
    }

    @Test func theCommandsInOtherModesOfARunLoopThreadAreCounted() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        let thread = RunLoopThread(name: "worker")
        let sources = [RunLoop.Mode.custom, .default].map { mode in
          let source = RunLoopSource<Int> { _ in }
          thread.taskQueue.addAndWait(source, forModes: [mode])
          source.send(1)
          return source
        }
        thread.stop()
        await thread.join()
        try #require(sources.map(\.isValid) == [false, false])
        exit(0)
      }
      let lines = Self.lines(of: result)
      #expect(lines.count == 1)
      #expect(lines[0].contains("1 command was sent"), "\(lines)")
    }

    @Test func nothingIsSaidWhereNothingIsDropped() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        Self.endLoop(sending: 0, to: [.default])
        let actor = ThreadActor(RunLoopThread(name: "worker"))  // whose jobs are the commands of a source
        for number in 1...100 { await actor.add(number) }
        exit(0)
      }
      #expect(Self.lines(of: result) == [])
    }

    /// Ends a loop with a source in each of some modes.
    private static func endLoop(sending count: Int, to modes: [RunLoop.Mode]) {
      JoinableThread {
        for mode in modes {
          let source = RunLoopSource<Int> { _ in }
          RunLoop.current.add(source, forMode: mode)
          for command in 0..<count { source.send(command) }
        }
      }.join()
    }

    private static func lines(of result: ExitTest.Result?) -> [Substring] {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        .filter { $0.hasPrefix("RunLoopTasks:") }
    }
  }
#endif
