import Testing

@testable import RunLoopTesting

/// The limits of tests and bodies, of which the tests take the steps by hand.
struct TimeLimitTests {
  private let limit = TimeLimit(.seconds(1_000_000)) {}

  @Test func itPassesOnceAndThenTicksNoMore() {
    #expect((1...10).map { _ in limit.takeStep() } == Array(repeating: false, count: 9) + [true])
    #expect(!limit.isTicking)
  }

  @Test func itStandsStillUntilAllLetItGoOn() {
    for isSuspended in [true, true, false] { limit.suspend(isSuspended) }
    for _ in 1...20 { #expect(!limit.takeStep()) }
    limit.suspend(false)
    #expect((1...10).count { _ in limit.takeStep() } == 1)
  }
}
