import Testing

@testable import RunLoopVirtualTime

/// How long `advance(by:)` waits for what it cannot count.
struct PatienceTests {
  @Test func itEndsAfter500WaitsInWhichNothingGoesOn() { #expect(waits(working: 90_000) == 500) }

  @Test func aWaitInWhichTheProcessHasWorkedCountsATwentieth() { #expect(waits(working: 110_000) == 10_000) }

  /// - Parameter nanoseconds: how long the process has worked in each wait.
  private func waits(working nanoseconds: Int64) -> Int64 {
    var (patience, waits) = (Patience(at: 0), Int64(0))
    while !patience.isOver {
      waits += 1
      patience.noteWait(at: waits * nanoseconds)
    }
    return waits
  }
}
