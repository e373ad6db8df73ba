#if canImport(Testing)
  import RunLoopTasks
  import RunLoopVirtualTime
  import Testing

  /// Lets each `advance(by:)` belong to the test that calls it: it waits only for async code of that test, and is an
  /// issue of it if it gives up. Outside tests there is only the line on standard error.
  func letAdvancesBelongToTests() {
    AdvanceReport.setHandler(recordIssue)
    JobOwner.tellTests {
      TestScope.ofOwnLoop.map { JobOwner(test: ObjectIdentifier($0).hashValue) }
        ?? Test.current.map { JobOwner(test: $0.id.hashValue) }
    }
  }

  @Sendable private func recordIssue(of report: AdvanceReport) {
    guard Test.current != nil else { return }
    let file = "\(report.fileID)"
    Issue.record(
      "RunLoop.advance(by:) \(report.message)",
      sourceLocation: SourceLocation(fileID: file, filePath: file, line: Int(report.line), column: 1))
  }
#endif
