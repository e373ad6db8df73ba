import Foundation
import Testing

@testable import RunLoopTasks

/// Which modes of which loops a source is in, or is being added to.
@Suite struct SourceStateTests {
  @Test func onlyTheModeOfAnUnfinishedAddDelaysItsRemoval() {
    let loops = [LoopThread(), LoopThread()]
    let places = loops.map { $0.queue.scheduler }.flatMap { loop in
      [RunLoop.Mode.default, .custom].map { SourceAnnouncement(scheduler: loop, mode: $0) }
    }
    for left in places.indices {
      var state = SourceState<Int>(announcements: places)
      #expect(state.leave([places[left].mode], of: places[left].scheduler) == [])
      let haveLeft = places.reversed().map { state.endAnnouncement(of: $0.mode, in: $0.scheduler) }
      #expect(haveLeft == places.indices.reversed().map { $0 == left })
      state.announcements = [places[left]]
      for place in places.indices where place != left {
        #expect(state.leave([places[place].mode], of: places[place].scheduler) == [places[place].mode])
      }
    }
    for loop in loops { loop.end() }
  }
}
