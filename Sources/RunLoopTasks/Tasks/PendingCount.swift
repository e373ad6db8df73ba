import Synchronization

/// The number of pending tasks, which any thread can read, and the generation that `cancelAll()` ends.
///
/// Each task belongs to the generation in which it was scheduled. `cancelAll()` begins a new generation, in one atomic
/// step on any thread. Tasks of older generations then count as cancelled, wherever they are, and the loop's thread
/// releases them later.
struct PendingCount: ~Copyable, Sendable {
  /// Generations are multiples of this, so that a task can store its state in the same word.
  fileprivate static let step: UInt64 = 1 << 8

  private let current = Atomic<UInt64>(0)
  /// Only the loop's own thread writes this one, so it needs no atomic addition.
  private let ownTally = Atomic(Tally(generation: 0, count: 0))
  private let othersTally = Atomic(Tally(generation: 0, count: 0))

  /// The latest generation.
  var generation: UInt64 {
    @inline(__always) get { current.load(ordering: .acquiring) }
  }

  /// How many tasks of the latest generation are pending.
  var value: Int {
    var (own, others) = (ownTally.load(ordering: .acquiring), othersTally.load(ordering: .acquiring))
    // The two cannot be read at the same moment. If they change all the time, the last reading is as good as any.
    for _ in 0..<100 {
      let before = (own.rawValue, others.rawValue)
      (own, others) = (ownTally.load(ordering: .acquiring), othersTally.load(ordering: .acquiring))
      if (own.rawValue, others.rawValue) == before { break }
    }
    let generation = generation
    let sum = [own, others].reduce(Int32(0)) { $1.isOf(generation) ? $0 &+ $1.count : $0 }
    return max(Int(sum), 0)
  }

  /// Changes the number of pending tasks of a generation.
  @inline(__always)
  func add(_ change: Int32, of generation: UInt64, onLoopThread: Bool) {
    guard onLoopThread else { return addAtomically(change, of: generation) }
    let tally = ownTally.load(ordering: .relaxed)
    ownTally.store(tally.adding(change, of: generation, latest: self.generation), ordering: .releasing)
  }

  private func addAtomically(_ change: Int32, of generation: UInt64) {
    var (isDone, tally) = (false, othersTally.load(ordering: .relaxed))
    while !isDone {
      let new = tally.adding(change, of: generation, latest: self.generation)
      (isDone, tally) = othersTally.compareExchange(expected: tally, desired: new, ordering: .releasing)
    }
  }

  func beginGeneration() { current.wrappingAdd(Self.step, ordering: .acquiringAndReleasing) }
}

/// A number of tasks of one generation. It may be below zero, because one thread may schedule a task that another
/// thread runs.
struct Tally: RawRepresentable, AtomicRepresentable {
  let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }

  init(generation: UInt64, count: Int32) {
    rawValue = Self.number(of: generation) << 32 | UInt64(UInt32(bitPattern: count))
  }

  /// The last 32 bits tell a generation from the latest one. The others are so long ago that nothing counts them.
  private static func number(of generation: UInt64) -> UInt64 { generation / PendingCount.step & 0xFFFF_FFFF }

  var count: Int32 { Int32(truncatingIfNeeded: rawValue) }

  func isOf(_ generation: UInt64) -> Bool { rawValue >> 32 == Self.number(of: generation) }

  /// Counts tasks of the latest generation, and no tasks of older ones.
  @inline(__always)
  func adding(_ change: Int32, of generation: UInt64, latest: @autoclosure () -> UInt64) -> Tally {
    if isOf(generation) { return Tally(generation: generation, count: count &+ change) }
    return generation == latest() ? Tally(generation: generation, count: change) : self
  }
}
