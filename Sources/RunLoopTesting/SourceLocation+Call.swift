#if canImport(Testing)
  import Testing

  extension SourceLocation {
    /// The place of a call that gives its `#fileID` and `#line`. It has a path, with which Xcode finds it, in the file of
    /// the test that is running.
    init(_ fileID: StaticString, _ line: UInt) {
      let file = "\(fileID)"
      if let test = Test.current?.sourceLocation, test.fileID == file {
        self = test
        (self.line, column) = (Int(line), 1)
      } else {
        self.init(fileID: file, filePath: file, line: Int(line), column: 1)
      }
    }
  }
#endif
