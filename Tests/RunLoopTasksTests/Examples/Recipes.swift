import Foundation
import RunLoopTasks

// The recipes of the article of this name whose effect a test can see. The tests are in `RecipeTests.swift`.

/// Reads a file, and handles what comes on the thread. Empty data is the end.
func readAll(of file: FileHandle, on thread: RunLoopThread, _ handle: @escaping @Sendable (Data) -> Void) {
  let input = RunLoopSource<Data> { chunks in
    for data in chunks { handle(data) }
  }
  thread.taskQueue.perform { RunLoop.current.add(input, forMode: .default) }
  let descriptor = file.fileDescriptor
  _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  let readable = DispatchSource.makeReadSource(fileDescriptor: descriptor)
  readable.setEventHandler {
    var (buffer, count) = ([UInt8](repeating: 0, count: 65_536), 0)
    repeat {
      count = read(file.fileDescriptor, &buffer, buffer.count)
      if count > 0 { input.send(Data(buffer[..<count])) }
    } while count > 0
    if count == 0 || errno != EAGAIN {
      input.send(Data())
      readable.cancel()
    }
  }
  readable.activate()
}

/// An actor that owns a handle of a library, and opens, uses and closes it on a thread of its own.
@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
actor Connection {
  private let thread = RunLoopThread(name: "connection")
  private let note: @Sendable (String) -> Void

  init(_ note: @escaping @Sendable (String) -> Void) { self.note = note }

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  func open() { note("open on \(Thread.current.name ?? "")") }

  isolated deinit { note("close on \(Thread.current.name ?? "")") }
}

/// A class of the main actor that owns a source.
@MainActor final class Feed {
  private(set) var numbers: [Int] = []
  private(set) var source: RunLoopSource<Int>?

  func start() {
    let source = RunLoopSource<Int> { [weak self] numbers in
      MainActor.assumeIsolated { self?.numbers += numbers }
    }
    RunLoop.main.add(source, forMode: .common)
    self.source = source
  }

  deinit { source?.invalidate() }
}

/// Several tasks of one owner, cancelled together.
struct OwnedTasks {
  private var tasks: [RunLoopTask] = []
  private var limit = 16

  mutating func add(_ task: RunLoopTask) {
    if tasks.count >= limit {
      tasks.removeAll { $0.state != .pending }
      limit = max(16, 2 * tasks.count)
    }
    tasks.append(task)
  }

  mutating func cancelAll() {
    for task in tasks { task.cancel() }
    tasks = []
  }
}

/// A debounce of an asynchronous sequence: calls `perform` once no further value has come for the interval.
@MainActor func debounce<Value: Sendable>(
  _ values: some AsyncSequence<Value, Never>, for interval: Duration, on clock: RunLoopClock,
  _ perform: @escaping (Value) -> Void
) async throws {
  var waiting: Task<Void, any Error>?
  for await value in values {
    waiting?.cancel()
    waiting = Task {
      try await clock.sleep(for: interval)
      perform(value)
    }
  }
  try await waiting?.value
}
