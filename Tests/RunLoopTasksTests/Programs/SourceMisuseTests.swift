#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// The message of a program that stops because of a call for a source or an observer.
  @Suite struct SourceMisuseTests {
    @Test(arguments: [0, -1]) func batchLimitBelowOne(limit: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [limit] in
        _ = RunLoopSource<Int>(batchLimit: limit) { _ in }
      }
      expect(result, says: "RunLoopSource needs a batchLimit of at least one, not \(limit)")
    }

    @Test func sourcesOfAnotherThreadsLoop() async {
      let adding = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await otherThreadsLoop().loop.add(RunLoopSource<Int> { _ in }, forMode: .default)
      }
      expect(
        adding, says: "RunLoop.add(_:forMode:) must be called on the loop's own thread",
        and: "queue.perform { RunLoop.current.add(source, forMode: …) }")
      let removing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await otherThreadsLoop().loop.remove(RunLoopSource<Int> { _ in }, forMode: .default)
      }
      expect(
        removing, says: "RunLoop.remove(_:forMode:) must be called on the loop's own thread",
        and: "queue.perform { RunLoop.current.remove(source, forMode: …) }")
    }

    @Test func observingAnotherThreadsLoop() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = await otherThreadsLoop().loop.observe(.all) { _ in }
      }
      expect(
        result, says: "RunLoop.observe(_:forModes:order:repeats:_:) must be called on the loop's own thread",
        and: "RunLoop.current.observe(…)")
    }

    @Test func observingInNoMode() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = currentLoop().observe(.all, forModes: []) { _ in }
      }
      expect(
        result, says: "RunLoop.observe(_:forModes:order:repeats:_:) needs at least one mode", and: "is never called")
    }
  }
#endif
