#if canImport(Testing)
  import RunLoopTasks
  import RunLoopVirtualTime
  import Testing

  /// Lets each `advance(by:)` belong to the test that calls it: it waits for async code of that test, less long for
  /// code of which nobody knows the owner, and is an issue of the test if it gives up.
  ///
  /// Called as early as the product can, because most of what was there before the first call belongs to no test.
  func letAdvancesBelongToTests() {
    AdvanceReport.setHandler(recordIssue)
    JobOwner.tellTests {
      TestScope.ofOwnLoop.map { JobOwner(test: $0.number) }
        ?? Test.current.map { JobOwner(test: $0.id.hashValue) }
    }
  }

  /// A closure that another loop runs for a test, as with `queue.run`, is in no test. The issue then belongs to no
  /// known test, and the run of the tests fails all the same.
  @Sendable private func recordIssue(of report: AdvanceReport) {
    Issue.record(
      "RunLoop.advance(by:) \(report.message)", sourceLocation: SourceLocation(report.fileID, report.line))
  }
#endif
