import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

@Suite(.onOwnLoop) struct SystemModeTests {
  @Test func theTimerOfTheCommonModesStaysOutOfOtherModes() {
    let loop = SystemLoop.current
    let (common, custom) = (loop.makeMode(.common), loop.makeMode(.custom))
    common.makeDue(after: 2_000)
    custom.makeDue(after: 1_000)
    #expect(custom.secondsToNextTimer(besides: common) == .infinity)
    custom.detach()
    #expect(CFRunLoopGetNextTimerFireDate(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cf) == 0)
    loop.end()
  }
}
