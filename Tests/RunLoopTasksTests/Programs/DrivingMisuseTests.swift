#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// The message of a program that stops because of a call that drives a loop.
  @Suite struct DrivingMisuseTests {
    @Test func runPassAndRunUntilTasksFinishOnAnotherThreadsLoop() async {
      let pass = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        RunLoop.main.runPass()
      }
      expect(pass, says: "RunLoop.runPass(mode:) must be called on the loop's own thread", and: "no other")
      let passes = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        RunLoop.main.runUntilTasksFinish()
      }
      expect(
        passes, says: "RunLoop.runUntilTasksFinish(mode:timeout:) must be called on the loop's own", and: "no other")
    }

    @Test func advanceAndRunUntilOnAnotherThreadsLoop() async {
      let advance = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        RunLoop.main.advance(by: .seconds(1))
      }
      expect(advance, says: "RunLoop.advance(by:mode:) must be called on the loop's own thread", and: "no other")
      let until = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        RunLoop.main.runUntil { true }
      }
      expect(until, says: "RunLoop.runUntil(mode:timeout:_:) must be called on the loop's own thread", and: "no other")
    }

    @Test func runPassInTheCommonModes() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        currentLoop().runPass(mode: .common)
      }
      expect(result, says: "RunLoop.runPass(mode:) needs a single mode", and: "pass .default")
    }

    @Test func otherCallsInTheCommonModes() async {
      let advance = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        currentLoop().advance(by: .seconds(1), mode: .common)
      }
      expect(advance, says: "RunLoop.advance(by:mode:) needs a single mode", and: "pass .default")
      let until = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        currentLoop().runUntil(mode: .common) { true }
      }
      expect(until, says: "RunLoop.runUntil(mode:timeout:_:) needs a single mode", and: "pass .default")
      let finish = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        currentLoop().runUntilTasksFinish(mode: .common)
      }
      expect(finish, says: "RunLoop.runUntilTasksFinish(mode:timeout:) needs a single mode", and: "pass .default")
    }

    @Test func advanceByLessThanZero() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        currentLoop().advance(by: .milliseconds(-1))
      }
      expect(
        result, says: "RunLoop.advance(by:mode:) needs a duration of zero or more, not -0.001 seconds",
        and: "time does not go back")
    }
  }
#endif
