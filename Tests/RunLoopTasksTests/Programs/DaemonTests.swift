#if os(macOS) || os(Linux)  // Other platforms cannot start processes.
  import Foundation
  import Testing

  /// A daemon loses nothing that it has accepted: see `DaemonProbe`. On threads of their own, because a test that waits
  /// for a program must not hold one of the two that async code has on a small machine.
  @Suite(.onOwnLoop) struct DaemonTests {
    private static let runs = ProcessInfo.processInfo.environment["DAEMON_RUNS"].flatMap { Int($0) } ?? 20

    @Test(arguments: [["flood"], []]) func whatItHasAcceptedIsSaved(_ arguments: [String]) throws {
      for run in 1...Self.runs {
        let result = try Program.run("DaemonProbe", ["\(arguments.isEmpty ? run % 5 + 1 : run * 37)"] + arguments)
        #expect(result.status == 0, "\(result.output)\(result.error)")
      }
    }
  }
#endif
