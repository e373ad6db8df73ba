import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms have no exit tests.

  /// Checks that the process has stopped with a message that begins with `message` and contains `remedy`.
  func expect(_ result: ExitTest.Result?, says message: String, and remedy: String? = nil) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Fatal error: \(message)"), "\(output)")
    if let remedy { #expect(output.contains(remedy), "\(output)") }
  }

  /// Calls `body`, which is not async code and so may call the methods of `RunLoop` that async code may not.
  func synchronously(_ body: () -> Void) { body() }

  /// Ends this process if it takes too long, whatever its threads are doing.
  func endInTime() { alarm(300) }

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

#endif
