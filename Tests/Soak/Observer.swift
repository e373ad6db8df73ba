import Foundation
import RunLoopTasks

/// An observer that is added on the loop, and invalidated or released there some time later. Belongs to the loop's thread.
final class Observer {
  private static let mostPosts = 3
  private static let orders = [0, 1_998_000, 2_000_000, Int.max]

  private let captive = Captive(.observers)
  private let loop: Loop
  private let activities: RunLoop.Activity
  private let repeats: Bool
  private var calls = 0
  private var posts = 0
  private var isOver = false
  private var random: Random

  static func start(on loop: Loop, _ random: inout Random) {
    let observer = Observer(loop, &random)
    let modes = random.pick([[RunLoop.Mode.common], [.default], [.custom, .default]])
    let observation = RunLoop.current.observe(
      observer.activities, forModes: modes, order: random.pick(orders), repeats: observer.repeats
    ) { observer.hear($0) }
    Figure.observers.count()
    let isInvalidated = random.once(in: 2)
    // If this is cancelled, the observation ends by being released.
    RunLoop.current.perform {
      if isInvalidated {
        observation.invalidate()
        observer.isOver = true
        if observation.isValid { Watch.complain("an observer is valid after it was invalidated") }
      }
      withExtendedLifetime(observation) {}
    }.when(random.pick(RunLoopTask.Timing.allCases))
  }

  private init(_ loop: Loop, _ random: inout Random) {
    self.loop = loop
    let all: [RunLoop.Activity] = [.entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit]
    activities = random.once(in: 4) ? .all : [random.pick(all), random.pick(all)]
    repeats = !random.once(in: 4)
    self.random = Random(seed: random.next())
  }

  private func hear(_ activity: RunLoop.Activity) {
    Figure.observed.count()
    captive.use()
    calls += 1
    if isOver { Watch.complain("an observer was called after it was invalidated") }
    if !repeats, calls > 1 { Watch.complain("an observer of one activity was called \(calls) times") }
    if !activities.contains(activity) { Watch.complain("an observer of \(activities) was called for \(activity)") }
    if !loop.isOwnThread { Watch.complain("an observer was called on another thread") }
    guard posts < Self.mostPosts, random.once(in: 4) else { return }
    posts += 1
    loop.ownPoster.withLock {
      _ = $0.postHere(Wish(timing: random.pick(RunLoopTask.Timing.allCases)), to: loop)
    }
  }
}
