// The declarations that the samples of the documentation leave out: views like UIKit's, and an app's own functions.
import Foundation
import RunLoopMain
import RunLoopTasks
import RunLoopVirtualTime
import Synchronization

@MainActor open class BaseView: Hashable {
  public let tableView = ItemView()
  public let collectionView = ItemView()
  public let progressView = ProgressView()
  public var rows = [1, 2, 3]
  public init() {}
  public func search(for text: String) {}
  public func compute(_ row: Int) {}
  nonisolated public static func == (left: BaseView, right: BaseView) -> Bool { left === right }
  nonisolated public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@MainActor public final class ItemView {
  public var contentSize: (width: Double, height: Double) = (0, 0)
  public func reloadData() {}
  public func show(_ rows: [Int]) {}
  public func numberOfRows(inSection section: Int) -> Int { section }
}

public enum UIUpdateActionPhase { case beforeCATransactionCommit }
@MainActor public final class UIWindowScene {}

@MainActor public final class UIWindow {
  public let windowScene: UIWindowScene? = nil
}

@MainActor open class UIView {
  public let window: UIWindow? = nil
  public init() {}
  open func didMoveToWindow() {}
}

@MainActor public final class UITableView {
  public init() {}
  public func reloadData() {}
}

@MainActor public final class UIUpdateLink {
  public var isEnabled = false
  public init(windowScene: UIWindowScene) {}
  public func addRunLoopTasks(to phase: UIUpdateActionPhase = .beforeCATransactionCommit) {}
}

@MainActor public final class Label {
  public var text = ""
  public var isHidden = false
}

@MainActor public final class ProgressView {
  public var value = 0.0
}

@MainActor public final class Cell {
  public let isVisible = true
}

public struct Thumbnail: Sendable {
  public func load() {}
}

public struct Cache: Sendable {
  public func prefetch() {}
  public func trim() {}
}

public struct Photo: Sendable {}

@MainActor public final class Grid {
  public func show(_ photo: Photo) {}
  public func cache(_ photo: Photo) {}
}

@MainActor public final class Window {
  private var frames = 0
  public var isOpen: Bool { frames < 3 }
  public func handleEvents() {}
  public func drawFrame() { frames += 1 }
}

public let G_IO_IN: UInt32 = 1

@discardableResult public func g_unix_fd_add(
  _ descriptor: Int32, _ condition: UInt32,
  _ function: @convention(c) (Int32, UInt32, UnsafeMutableRawPointer?) -> Int32, _ data: UnsafeMutableRawPointer?
) -> UInt32 { 0 }

/// As in `RunLoopHost`.
public final class EmbeddedMainLoop {
  public let fileDescriptor: Int32 = -1
  public init() {}
  public func runPass() {}
  @discardableResult public func prepareToSleep() -> Bool { true }
}

public struct RowStore: Sendable {
  public func load() async -> [Int] { [1, 2, 3] }
}

@MainActor public let collectionView = ItemView()
@MainActor public let tableView = ItemView()
@MainActor public let list = ItemView()
@MainActor public let mainLoop = EmbeddedMainLoop()
@MainActor public let label = Label()
@MainActor public let grid = Grid()
@MainActor public let window = Window()
@MainActor public let scene = UIWindowScene()
@MainActor public let note = Notification(name: Notification.Name("note"))
@MainActor public var observer: RunLoopObserver?
@MainActor public let task: RunLoopTask = RunLoop.current.perform {}
@MainActor public let banner = Label()
@MainActor public let cell = Cell()
@MainActor public let center = NotificationCenter.default
@MainActor public let isDone = true
public let thumbnail = Thumbnail()
public let cache = Cache()
public let workerQueue = RunLoopTaskQueue.main
public let data = Data()
public let title = "title"
public let photos: [Photo] = []
public let url = URL(fileURLWithPath: "/")
public let store = RowStore()

@MainActor public func runModalPanel() {}
public func load() async -> [Int] { [1, 2, 3] }
public func save() {}
public func thumbnail(of photo: Photo) -> Photo { photo }
public func show(_ thumbnail: Photo) {}
public func download() async throws -> Data { data }
public func parse(_ data: Data) throws -> [String] { [] }
@Sendable public func show(_ url: URL) {}

// The types that the sample tests use.

public final class Model: Sendable {
  public let isLoaded = true
  public init(queue: RunLoopTaskQueue) {}
  public func load() {}
}

public final class SearchField {
  public var text = ""
  public let searches: [String] = []
  public init() {}
  public func type(_ text: String) {}
}

nonisolated(unsafe) public let field = SearchField()

/// The daemon of *Recipes*.
public actor Ledger {
  public nonisolated let thread = RunLoopThread(name: "ledger")
  private let (pause, limit): (Duration, Duration)
  private var lines: [String] = []
  public private(set) var saved = 0
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  public init(pause: Duration = .milliseconds(300), limit: Duration = .seconds(2)) {
    (self.pause, self.limit) = (pause, limit)
  }
  public func add(_ line: String) {
    lines.append(line)
    RunLoop.current.perform(after: pause, within: limit, coalescedBy: OwnerKey(self)) {
      self.saved += self.lines.count
      self.lines = []
    }
  }
}

public final class ProgressLabel {
  public let texts: [String] = []
  public init() {}
  public func show(_ percent: Int) {}
}

public func openDatabase(_ path: String) -> OpaquePointer? { nil }
public func closeDatabase(_ handle: OpaquePointer?) {}
public func insert(_ row: Int, into handle: OpaquePointer?) {}
public func render(_ rows: [Int]) {}

// What `.ci/run-samples` needs.

private let printed = Mutex<[String]>([])
private let expectedLines = Mutex<[String]?>(nil)

/// Prints as Swift's function does, and keeps the text, so that `finish(printing:)` can compare it.
public func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  let text = items.map { "\($0)" }.joined(separator: separator)
  Swift.print(text, terminator: terminator)
  printed.withLock { $0.append(text) }
}

/// Runs the main loop until the sample has printed what it should, and ends the process: with 1 if it has printed
/// something else, even if the sample ends the process itself.
///
/// Delays of the main loop's tasks pass at once.
@MainActor public func finish(printing text: String? = nil) -> Never {
  let expected = text?.components(separatedBy: " | ")
  expectedLines.withLock { $0 = expected }
  atexit {
    let lines = printed.withLock { $0 }
    guard let expected = expectedLines.withLock({ $0 }), lines != expected else { return }
    Swift.print("printed \(lines) instead of \(expected)")
    fflush(nil)
    _exit(1)
  }
  RunLoop.main.advance(by: .seconds(10))
  let end = ContinuousClock.now + .seconds(30)
  while let expected, printed.withLock({ $0.count }) < expected.count, ContinuousClock.now < end {
    _ = RunLoop.main.runUntil(timeout: .milliseconds(1)) { false }
  }
  exit(0)
}
