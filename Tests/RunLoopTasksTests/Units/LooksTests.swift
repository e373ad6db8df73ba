import Testing

@testable import RunLoopTasks

/// How soon the loop is woken when there is no work, only to look.
@Suite struct LooksTests {
  private func tired() -> Looks {
    var looks = Looks()
    for _ in 1...Looks.atOnce { _ = looks.next(at: 0) }
    return looks
  }

  @Test func theFirstOnesAreAtOnce() {
    var looks = Looks()
    for _ in 1...Looks.atOnce { #expect(looks.next(at: 0) == 0) }
    #expect(looks.next(at: 0) == Looks.shortestNap)
  }

  @Test func aNapThatEventsInterruptIsNoReasonForALongerOne() {
    var looks = tired()
    for now in stride(from: 8.0, to: 16, by: 1) {
      #expect(looks.next(at: now) == Looks.shortestNap)
      looks.noteWaking(at: now + Looks.shortestNap / 4)
    }
  }

  @Test func afterAnEventTheNapsAreShortAgain() {
    var looks = tired()
    for _ in 1...3 {
      _ = looks.next(at: 0)
      looks.noteWaking(at: 100)
    }
    let nap = looks.next(at: 0)
    looks.noteWaking(at: 0.9 * nap)
    #expect(nap == 8 * Looks.shortestNap && looks.next(at: 0) == Looks.shortestNap)
  }

  @Test func aNapThatIsSleptThroughMakesTheNextOneTwiceAsLong() {
    var looks = tired()
    var (now, nap) = (0.0, Looks.shortestNap)
    while nap < Looks.longestNap {
      #expect(looks.next(at: now) == nap)
      now += nap * 0.999  // a clock that is a little slow
      looks.noteWaking(at: now)
      nap *= 2
    }
    for _ in 1...2 {
      #expect(looks.next(at: now) == Looks.longestNap)
      now += Looks.longestNap
      looks.noteWaking(at: now)
    }
  }

  @Test func aWakingWithoutANapChangesNothing() {
    var looks = Looks()
    for _ in 1...Looks.atOnce {
      _ = looks.next(at: 0)
      looks.noteWaking(at: 100)
    }
    #expect(looks.next(at: 0) == Looks.shortestNap)
  }

  @Test func afterWorkAllBeginsAnew() {
    var looks = tired()
    _ = looks.next(at: 0)
    looks.noteWaking(at: 100)
    looks.reset()
    for _ in 1...Looks.atOnce { #expect(looks.next(at: 0) == 0) }
    #expect(looks.next(at: 0) == Looks.shortestNap)
  }
}
