import Foundation
import RunLoopTasks

/// Awaits `run` from async code, and cancels some of the waits.
struct Awaiter: AsyncClient {
  private struct Refusal: Error {}

  private let world: World
  private var random: Random
  private let number = Counter()

  init(_ world: World, _ random: inout Random) {
    self.world = world
    self.random = Random(seed: random.next())
  }

  mutating func step() async {
    let loop = random.pick(world.busySlots).loop
    var wish = Wish.any(by: 0, &random)
    wish.key = nil
    if wish.modes == [.custom] { wish.modes = [.default] }
    // Now and then in a mode that no loop ever runs in, where nothing but the cancelling ends the wait.
    let isForEver = random.once(in: 8)
    if isForEver { wish.modes = [.neverRun] }
    let piece = Piece(wish, on: loop, Line(), 1)
    let (value, isRefused, isCancelled) = (number.add(), random.once(in: 8), isForEver || random.once(in: 4))
    let work = Self.work(piece, wish, value, isRefused)
    let entry = Watch.enter("an await of \(piece.description)")
    if isCancelled {
      for _ in 0..<random.number(below: 4) { await Task.yield() }
      work.cancel()
    }
    let result = await work.result
    Watch.leave(entry)
    Figure.awaits.count()
    switch result {
    case .success(value) where !isRefused && piece.hasRun: break
    case .failure(is Refusal) where isRefused && piece.hasRun: break
    case .failure(is CancellationError):
      if isCancelled { Figure.awaitsCancelled.count() }
      piece.judgeCancelled(isAskedFor: isCancelled)
    default: piece.complain("gave \(result) to the one who waits for \(value)")
    }
  }

  /// The token must be the closure's alone.
  private static func work(_ piece: Piece, _ wish: Wish, _ value: Int, _ isRefused: Bool) -> Task<Int, any Error> {
    let token = Token(piece, wish, nil)
    return Task {
      try await piece.loop.queue.run(when: wish.timing, forModes: wish.modes) {
        token.run()
        if isRefused { throw Refusal() }
        return value
      }
    }
  }
}

/// Starts threads for actors, which are called from several tasks and await other loops in turn.
struct ActorClient: AsyncClient {
  private let world: World
  private var random: Random

  init(_ world: World, _ random: inout Random) {
    self.world = world
    self.random = Random(seed: random.next())
  }

  mutating func step() async {
    let (callers, calls) = (4, 8)
    Figure.threads.count()
    let lodger = Lodger(RunLoopThread(name: "soak actor"))
    let entry = Watch.enter("an actor on a thread")
    let slots = world.busySlots
    await withTaskGroup(of: Void.self) { group in
      for caller in 0..<callers {
        let loop = random.pick(slots).loop
        group.addTask {
          for call in 0..<calls { await call % 4 == caller ? lodger.call(through: loop) : lodger.call() }
        }
      }
    }
    if await lodger.calls != callers * calls { Watch.complain("an actor was not called as often as it was asked to") }
    Watch.leave(entry)
    if random.once(in: 2) { lodger.thread.stop() }  // otherwise it stops when nobody refers to it any more
  }
}

private actor Lodger {
  let thread: RunLoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  private(set) var calls = 0

  init(_ thread: RunLoopThread) { self.thread = thread }

  func call() {
    Figure.actorCalls.count()
    thread.checkIsolated()
    calls += 1
  }

  /// Waits for a loop that may be another's, and goes on here.
  func call(through loop: Loop) async {
    _ = try? await loop.queue.run { loop.isOwnThread }
    call()
  }
}
