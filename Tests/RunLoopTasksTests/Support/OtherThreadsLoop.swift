import Foundation

/// The loop of another thread, for tests of calls that the library refuses.
struct OtherThreadsLoop: @unchecked Sendable {
  // Unchecked, because the process stops at the first call.
  let loop: RunLoop
}

/// The loop of a thread that waits for the end of the process.
func otherThreadsLoop() async -> OtherThreadsLoop {
  await withCheckedContinuation { continuation in
    Thread {
      continuation.resume(returning: OtherThreadsLoop(loop: .current))
      while true { sleep(1) }
    }.start()
  }
}
