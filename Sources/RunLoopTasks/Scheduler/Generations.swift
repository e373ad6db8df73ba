import Synchronization

/// How many tasks are pending, for any thread to ask, and which ones no longer are because all were cancelled.
///
/// Each task is of the generation that was the latest when it was scheduled. To cancel all that is pending is to begin a new
/// generation: one step, whatever thread takes it, and wherever the tasks are at that moment. Tasks of older generations count
/// as cancelled from then on; the loop's thread lets go of them when it gets to it.
struct Generations: ~Copyable, Sendable {
  /// Generations are multiples of this, so that a task can store its state in the same word. A number comes again only after
  /// millions of others.
  private static let step: UInt32 = 1 << 8

  private let current = Atomic<UInt32>(0)
  /// Written by the loop's own thread alone, so that it needs no atomic addition.
  private let ownTally = Atomic(Tally(generation: 0, count: 0))
  private let othersTally = Atomic(Tally(generation: 0, count: 0))

  var latest: UInt32 {
    @inline(__always) get { current.load(ordering: .acquiring) }
  }

  /// How many tasks of the latest generation are pending.
  var pendingCount: Int {
    var (own, others) = (ownTally.load(ordering: .acquiring), othersTally.load(ordering: .acquiring))
    // The two cannot be read at one moment. If they change all the time, what is read last will do.
    for _ in 0..<100 {
      let before = (own.rawValue, others.rawValue)
      (own, others) = (ownTally.load(ordering: .acquiring), othersTally.load(ordering: .acquiring))
      if (own.rawValue, others.rawValue) == before { break }
    }
    let latest = latest
    let sum = [own, others].reduce(Int32(0)) { $1.generation == latest ? $0 &+ $1.count : $0 }
    return max(Int(sum), 0)
  }

  /// Counts a task of the given generation, or with -1 one that is no longer pending.
  func count(_ change: Int32, of generation: UInt32, onLoopThread: Bool) {
    if onLoopThread {
      let tally = ownTally.load(ordering: .relaxed)
      ownTally.store(tally.adding(change, of: generation), ordering: .releasing)
      return
    }
    var (isDone, tally) = (false, othersTally.load(ordering: .relaxed))
    while !isDone {
      let new = tally.adding(change, of: generation)
      (isDone, tally) = othersTally.compareExchange(expected: tally, desired: new, ordering: .releasing)
    }
  }

  func beginNext() { current.wrappingAdd(Self.step, ordering: .acquiringAndReleasing) }
}

/// A number of tasks of one generation. One thread may schedule what another one runs, so it may be below zero.
struct Tally: RawRepresentable, AtomicRepresentable {
  let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }

  init(generation: UInt32, count: Int32) {
    rawValue = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: count))
  }

  var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
  var count: Int32 { Int32(truncatingIfNeeded: rawValue) }

  func adding(_ change: Int32, of generation: UInt32) -> Tally {
    let age = Int32(bitPattern: generation &- self.generation)
    if age == 0 { return Tally(generation: generation, count: count &+ change) }
    return age > 0 ? Tally(generation: generation, count: change) : self
  }
}
