#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import RunLoopTracing
  import Testing

  /// Wrong use of recordings and reports traps with a message that names the caller.
  @Suite(.onOwnLoop) struct TraceMisuseTests {
    private static let misuses: [(message: String, call: @Sendable () -> Void)] = [
      ("RunLoop.trace(name:capacity:) needs a capacity", { _ = RunLoop.current.trace(capacity: 0) }),
      ("RunLoop.reportHangs(over:_:) needs a limit", { _ = RunLoop.current.reportHangs(over: .zero) { _ in } }),
      ("RunLoop.trace(name:capacity:) must be called on the loop's own thread", { _ = RunLoop.main.trace() }),
      (
        "RunLoop.reportHangs(over:_:) must be called on the loop's own thread",
        { _ = RunLoop.main.reportHangs { _ in } }
      ),
    ]

    @Test(arguments: misuses.indices) func aMisuseStopsTheProgram(index: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
        endInTime()
        Self.misuses[index].call()
      }
      let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(output.contains("Fatal error: \(Self.misuses[index].message)") && output.contains(#fileID), "\(output)")
    }
  }
#endif
