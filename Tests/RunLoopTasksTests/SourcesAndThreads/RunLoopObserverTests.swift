import Foundation
import RunLoopTasks
import Testing

/// The activities, modes and order of `RunLoop.observe`.
@Suite(.onOwnLoop) struct RunLoopObserverTests {
  let log = Log()

  @Test func theHandlerIsCalledAtEachOfTheGivenActivities() {
    keepAlive(.default)
    let all = RunLoop.current.observe(.all) { log("\($0)") }
    let some = RunLoop.current.observe([.exit, .beforeTimers], order: 1) { log("some: \($0)") }
    observe(.beforeWaiting, order: Order.last) { _ in stopRun() }
    run()
    withExtendedLifetime((all, some)) {}
    #expect(
      log.events == [
        "entry", "beforeTimers", "some: beforeTimers", "beforeSources", "beforeWaiting", "afterWaiting", "exit",
        "some: exit",
      ])
  }

  @Test func modesAreTheCommonModesByDefault() {
    keepAlive(.default, .custom, .other)
    let common = RunLoop.current.observe(.entry) { _ in log("common") }
    let some = RunLoop.current.observe(.entry, forModes: [.custom, .other], order: 1) { _ in log("some") }
    for mode in [RunLoop.Mode.default, .custom, .other] {
      log("\(mode.shortName)")
      poll(mode)
    }
    makeCommon(.custom)
    log("common now")
    poll(.custom)
    withExtendedLifetime((common, some)) {}
    #expect(log.events == ["default", "common", "custom", "some", "other", "some", "common now", "common", "some"])
  }

  /// The library reserves the extreme orders for its own observers.
  @Test(arguments: [[Int.max - 2, .max], [.min, .min + 1]])
  func anExtremeOrderCountsAsItsNeighbor(orders: [Int]) {
    keepAlive(.default)
    RunLoopTasksTests.observe(.entry, order: orders[0]) { _ in log("first") }
    let observers = (orders + orders).enumerated().map { index, order in
      RunLoop.current.observe(.entry, order: order) { _ in log("\(index)") }
    }
    RunLoopTasksTests.observe(.entry, order: orders[1]) { _ in log("last") }
    poll()
    withExtendedLifetime(observers) {}
    #expect(log.events == ["first", "0", "1", "2", "3", "last"])
  }
}
