import Foundation
import RunLoopTasks

// The recipes of the article "Recipes" for actors that run on a thread of their own. The tests are in
// `ActorRecipeTests.swift`.

/// An actor that schedules on its own loop: it saves when the loop is idle, once for all that was added.
actor Pages {
  private let thread = RunLoopThread(name: "pages")
  private var texts: [String] = []
  private(set) var saves: [Int] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  nonisolated var taskQueue: RunLoopTaskQueue { thread.taskQueue }

  func add(_ text: String) {
    texts.append(text)
    RunLoop.current.perform(when: .idle, after: .seconds(50), coalescedBy: ObjectIdentifier(self)) { self.save() }
  }

  private func save() { saves.append(texts.count) }
}

/// An actor that owns a source, by which it receives what arrives at a descriptor.
actor Reader {
  private let thread = RunLoopThread(name: "reader")
  private let note: @Sendable (String) -> Void
  private var input: RunLoopSource<Data>?

  init(_ note: @escaping @Sendable (String) -> Void) { self.note = note }

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  func start(_ file: FileHandle) {
    let stopping = Pipe()
    let input = RunLoopSource<Data>(onCancel: { _ in stopping.fileHandleForWriting.closeFile() }) {
      [weak self] chunks in self?.assumeIsolated { $0.receive(chunks) }
    }
    RunLoop.current.add(input, forMode: .default)
    self.input = input
    Thread.detachNewThread { [note] in
      var watched = [file, stopping.fileHandleForReading].map {
        pollfd(fd: $0.fileDescriptor, events: Int16(POLLIN), revents: 0)
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        guard poll(&watched, 2, -1) > 0 else { continue }  // a signal
        guard watched[1].revents == 0 else { break }
        let count = read(file.fileDescriptor, &buffer, buffer.count)
        input.send(Data(buffer[..<max(count, 0)]))
        if count <= 0 { break }
      }
      note("closed")
    }
  }

  func stop() { input?.invalidate() }

  private func receive(_ chunks: [Data]) {
    for data in chunks { note("\(String(decoding: data, as: UTF8.self)) on \(Thread.current.name ?? "")") }
  }
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
