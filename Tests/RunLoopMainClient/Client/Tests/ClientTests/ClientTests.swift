import Foundation
import RunLoopMain
import Testing

@Test @MainActor func aTimerFiresOnTheMainThread() async {
  let isMainThread = await withCheckedContinuation { timer in
    RunLoop.main.add(
      Timer(fire: .now, interval: 0, repeats: false) { _ in timer.resume(returning: Thread.isMainThread) },
      forMode: .common)
  }
  #expect(isMainThread)
}
