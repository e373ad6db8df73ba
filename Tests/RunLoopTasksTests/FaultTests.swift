import Foundation
import Testing

@testable import RunLoopTasks

/// What happens when the system refuses, or the program does to a thread or to itself what it should not.
@Suite struct FaultTests {
  #if os(Linux)  // elsewhere the system itself stops a program that starts one thread too many

    // MARK: nothing left

    @Test func aThreadThatDoesNotStart() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try leaveMemory(1 << 28)
        RunLoopThread.$patience.withValue(.milliseconds(200)) { _ = RunLoopThread(name: "a giant", stackSize: 1 << 30) }
      }
      #expect(error(of: result).contains("Fatal error: RunLoopThread could not start a thread within a minute"))
    }

  #endif
}

private func error(of result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

#if os(Linux)
  /// Lets the process have so many bytes of memory more, and no others.
  private func leaveMemory(_ bytes: UInt) throws {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[0]
    let limit = try #require(UInt(pages)) * UInt(getpagesize()) + bytes
    var memory = rlimit(rlim_cur: limit, rlim_max: limit)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory) == 0)
  }
#endif
