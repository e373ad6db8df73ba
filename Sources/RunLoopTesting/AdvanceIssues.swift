#if canImport(Testing)
  import RunLoopTasks
  import Testing

  /// Makes an issue of each `advance(by:)` that gives up. It belongs to the test that calls it; outside tests there is
  /// only the line on standard error.
  func recordAdvancesThatGiveUp() { AdvanceReport.handler.withLock { $0 = recordIssue } }

  @Sendable private func recordIssue(of report: AdvanceReport) {
    guard Test.current != nil else { return }
    let file = "\(report.fileID)"
    Issue.record(
      "RunLoop.advance(by:) \(report.message)",
      sourceLocation: SourceLocation(fileID: file, filePath: file, line: Int(report.line), column: 1))
  }
#endif
