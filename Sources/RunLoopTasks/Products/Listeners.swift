import Synchronization

/// Whom the engine tells what a loop does. While nobody listens, each task costs a look at `areThere` where it is
/// scheduled, called and released, and a pass costs nothing. When a listener is called, no lock is held
/// but perhaps that of a source.
struct Listeners: ~Copyable, Sendable {
  /// `nil` once the loop has ended.
  private let list = Locked<[any LoopListener]?>([])
  /// Changed with the lock, and read without it by any thread: whoever reads it late finds no listeners, or leaves out
  /// what happens when the first one begins. A message whose sender does so is there for the loop's next look, which takes
  /// the lock of the inbox after the sender.
  private let someThere = Atomic(false)

  @inline(__always)
  var areThere: Bool { someThere.load(ordering: .relaxed) }

  /// - Returns: whether the loop has not ended.
  func add(_ listener: any LoopListener) -> Bool { change { $0?.append(listener) } != nil }

  func remove(_ listener: any LoopListener) { change { $0?.removeAll { $0 === listener } } }

  @inline(never)
  func tell(_ event: (any LoopListener) -> Void) { list.withLock(\.self)?.forEach(event) }

  /// The loop has ended.
  func end() { change { exchange(&$0, with: nil) }?.forEach { $0.loopEnds() } }

  private func change<Result>(_ body: (inout [any LoopListener]?) -> Result) -> Result {
    list.withLock { list in
      defer { someThere.store(list?.isEmpty == false, ordering: .relaxed) }
      return body(&list)
    }
  }
}
