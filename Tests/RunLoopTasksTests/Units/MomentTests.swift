import Testing

@testable import RunLoopTasks

/// What the compiler cannot find when a timing or a moment is added.
struct MomentTests {
  @Test(arguments: Moment.allCases) func eachMomentIsThatOfItsActivity(moment: Moment) {
    #expect(Moment(moment.activity) == moment)
  }

  @Test(arguments: ListID.allCases) func eachListHasABitOfItsOwn(list: ListID) {
    #expect(list.rawValue.nonzeroBitCount == 1 && ListSet(list).single == list)
  }

  @Test(arguments: RunLoopTask.Timing.allCases) func eachTimingIsDueAtItsMomentAndAtItsFallback(
    timing: RunLoopTask.Timing
  ) {
    for moment in Moment.allCases {
      let isDue = moment == timing.rule.moment || moment == timing.rule.fallback
      #expect(ListSet.due(at: moment).contains(ListSet(timing.rule.list)) == isDue)
    }
  }
}
