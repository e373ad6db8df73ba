#if canImport(Testing)
  import RunLoopTasks
  import Testing

  /// Makes an issue of each `advance(by:)` that gives up. It belongs to the test that calls it; outside tests there is only
  /// the line on standard error.
  func recordAdvancesThatGiveUp() { _ = handlerOfReports }

  private let handlerOfReports: Void = AdvanceReport.handler.withLock { handler in
    handler = { report in
      guard Test.current != nil else { return }
      let (file, line) = ("\(report.fileID)", Int(report.line))
      Issue.record(
        "RunLoop.advance(by:) \(report.message)",
        sourceLocation: SourceLocation(fileID: file, filePath: file, line: line, column: 1))
    }
  }
#endif
