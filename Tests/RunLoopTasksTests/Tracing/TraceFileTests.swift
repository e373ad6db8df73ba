import Foundation
import RunLoopTasks
import RunLoopTracing
import Testing

/// A recording is written whole or not at all, on any thread.
@Suite(.onOwnLoop) struct TraceFileTests {
  /// The stack of the thread that records is large.
  @Test func runsMayNestDeeperThanTheStackOfTheThreadThatWrites() throws {
    let (trace, content) = (Box<RunLoopTrace?>(nil), Box<TraceContent?>(nil))
    call(onStackOf: 1 << 26) {
      trace.value = RunLoop.current.trace()
      nestRuns(400)
    }
    let url = temporaryFile()
    defer { try? FileManager.default.removeItem(at: url) }
    call(onStackOf: 1 << 18) {
      try? trace.value?.write(to: url)
      trace.value = nil
    }
    content.value = try TraceContent(of: url)
    #expect(content.value?.spans(of: "run").count == 400)
  }

  /// Perfetto 52 takes a file with two backslashes at the end of a string for an incomplete one.
  @Test func aNameMayEndWithABackslash() throws {
    let trace = RunLoop.current.trace(name: #"C:\"#)
    RunLoop.current.runPass()
    let url = temporaryFile()
    defer { try? FileManager.default.removeItem(at: url) }
    try trace.write(to: url)
    #expect(try !String(contentsOf: url, encoding: .utf8).contains(#"\\"#))
    #expect(try TraceContent(of: url).names == [1: #"C:\"#])
  }

  #if os(Linux)  // Elsewhere Foundation writes the file in the same way.
    @Test func aFileStaysIfAnotherCannotBeWritten() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        try writeBesideAFullDisk()
      }
    }
  #endif
}

private func nestRuns(_ count: Int) {
  if count == 0 { return }
  RunLoop.current.perform { nestRuns(count - 1) }.when(.currentLoopEnded)
  poll()
}

private func temporaryFile() -> URL {
  FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
}

/// Calls `body` on another thread, whose stack has this size, and waits for it.
private func call(onStackOf size: Int, _ body: @escaping @Sendable () -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    isDone.signal()
  }
  thread.stackSize = size
  thread.start()
  isDone.waitOrDie("a thread with a stack of \(size) bytes")
}

#if os(Linux)
  private func writeBesideAFullDisk() throws {
    let folder = temporaryFile()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("trace.json")
    let trace = RunLoop.current.trace()
    for _ in 1...1_000 { RunLoop.current.runPass() }
    try trace.write(to: file)
    let whole = try Data(contentsOf: file)
    RunLoop.current.runPass()
    try limitFiles(to: whole.count / 2)
    #expect(throws: (any Error).self) { try trace.write(to: file) }
    #expect(try Data(contentsOf: file) == whole)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["trace.json"])
    try FileManager.default.removeItem(at: folder)
  }

  /// Lets no file of this process have more bytes, as on a disk that is full.
  private func limitFiles(to size: Int) throws {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
  }
#endif
