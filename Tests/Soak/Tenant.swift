import Foundation
import RunLoopTasks

/// A loop with the thread that runs it.
enum Tenant: Sendable {
  case main(Loop)
  case kept(RunLoopThread, Loop)
  /// The semaphore is signalled at the end of the thread's body, a little before its loop ends.
  case driven(Loop, isDone: DispatchSemaphore)

  private static let numbers = Counter()

  static func start(_ world: World, _ random: inout Random) -> Tenant {
    Figure.threads.count()
    let number = numbers.add()
    let (made, isMade) = (Guarded<Loop?>(nil), DispatchSemaphore(value: 0))
    if random.once(in: 2) {
      let thread = RunLoopThread(name: "soak \(number)")
      thread.taskQueue.perform {
        made.withLock { $0 = Loop(world, number) }
        isMade.signal()
      }
      isMade.wait(for: "the start of loop \(number)")
      return .kept(thread, made.withLock { $0! })
    }
    let (seed, isDone) = (random.next(), DispatchSemaphore(value: 0))
    let captive = Captive(.threads)
    Thread {
      let loop = Loop(world, number)
      made.withLock { $0 = loop }
      isMade.signal()
      loop.drive(seed) { loop.isEnding.isSet }
      captive.use()
      isDone.signal()
    }.start()
    isMade.wait(for: "the start of loop \(number)")
    return .driven(made.withLock { $0! }, isDone: isDone)
  }

  var loop: Loop {
    switch self {
    case .main(let loop), .kept(_, let loop), .driven(let loop, _): loop
    }
  }

  /// Ends the thread, in one of the ways there are; the last reference to this may be one of them.
  func end(_ random: inout Random) {
    loop.isEnding.set()
    if case .kept(let thread, _) = self {
      switch random.number(below: 4) {
      case 0: return  // nobody refers to the thread any more
      case 1: return thread.stop()
      default: break
      }
    } else if random.once(in: 2) {
      return loop.ring()
    }
    endAndWait()
  }

  func endAndWait() {
    loop.isEnding.set()
    switch self {
    case .main: break
    case .kept(let thread, let loop):
      thread.stop()
      Watch.during("join() of loop \(loop.number)") { thread.join() }
      loop.hasEnded.set()
    case .driven(let loop, let isDone):
      loop.ring()
      isDone.wait(for: "the end of loop \(loop.number)")
    }
  }
}

/// A place that always has a loop, which changes now and then.
final class Slot: Sendable {
  /// Whether only one thread schedules here, and one task at a time: so that no wake-up can make up for a lost one.
  let isQuiet: Bool
  private let tenant: Guarded<Tenant>

  init(_ tenant: Tenant, isQuiet: Bool) { (self.tenant, self.isQuiet) = (Guarded(tenant), isQuiet) }

  var loop: Loop { tenant.withLock { $0.loop } }

  /// Lets another one in.
  ///
  /// - Returns: the one that was there before.
  func replace(with new: Tenant) -> Tenant {
    tenant.withLock { tenant in
      defer { tenant = new }
      return tenant
    }
  }

  func endAndWait() { tenant.withLock { $0 }.endAndWait() }
}
