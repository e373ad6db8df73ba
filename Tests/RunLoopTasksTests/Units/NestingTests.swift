import Foundation
import Testing

@testable import RunLoopTasks
@testable import RunLoopTracing

/// Where a run lies on the stack, in made-up addresses.
struct NestingTests {
  private var nesting = Nesting(TraceTree(capacity: 100), at: 0)

  private mutating func come(to activity: RunLoop.Activity, at frame: UInt) {
    nesting.come(
      to: LoopMoment(activity: activity, isLast: false, mode: .default, isDrivenPass: false, frame: frame), at: 0)
  }

  private var runs: [Int] {
    TraceSpan.all(of: nesting.sink).compactMap { span in
      if case .span(.run) = span.content { span.depth } else { nil }
    }
  }

  /// CoreFoundation keeps the list of up to 1,024 observers of an activity on the stack, and a longer one elsewhere.
  @Test mutating func aRunIsOneHoweverMuchItsObserversTakeOfTheStack() {
    come(to: .entry, at: 10_000)
    come(to: .beforeTimers, at: 17_000)  // there are more observers by now
    nesting.begin(LoopWork(kind: .job, id: 1), at: 16_000, time: 0)
    come(to: .entry, at: 15_000)
    #expect(runs == [0, 4])  // below the outer run, its pass, its phase and its work
  }

  @Test mutating func aRunThatBeginsAboveAnotherFollowsIt() {
    come(to: .entry, at: 10_000)
    come(to: .entry, at: 10_000)
    come(to: .beforeTimers, at: 9_000)
    #expect(runs == [0, 0])
  }
}
