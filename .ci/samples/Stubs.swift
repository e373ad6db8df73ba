// The declarations that the samples of the documentation leave out: views like UIKit's, and an app's own functions.
import Foundation
import RunLoopTasks

@MainActor open class View {
  public let tableView = ItemView()
  public let collectionView = ItemView()
  public let progressView = ProgressView()
  public var rows: [Int] = []
  public init() {}
  public func search(for text: String) {}
  public func compute(_ row: Int) {}
}

@MainActor public final class ItemView {
  public var contentSize: (width: Double, height: Double) = (0, 0)
  public func reloadData() {}
  public func show(_ rows: [Int]) {}
  public func numberOfRows(inSection section: Int) -> Int { section }
}

public enum UIUpdateActionPhase { case beforeCATransactionCommit }
public final class UIUpdateInfo {}

@MainActor public final class UIUpdateLink {
  public var isEnabled = false
  public init(view: View) {}
  public func addAction(to phase: UIUpdateActionPhase, handler: @escaping (UIUpdateLink, UIUpdateInfo) -> Void) {}
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
  public let isOpen = true
  public func handleEvents() {}
  public func drawFrame() {}
}

@discardableResult public func g_timeout_add(
  _ interval: UInt32, _ function: @convention(c) (UnsafeMutableRawPointer?) -> Int32, _ data: UnsafeMutableRawPointer?
) -> UInt32 { 0 }

public struct RowStore: Sendable {
  public func load() async -> [Int] { [] }
}

@MainActor public let collectionView = ItemView()
@MainActor public let tableView = ItemView()
@MainActor public let list = ItemView()
@MainActor public let label = Label()
@MainActor public let grid = Grid()
@MainActor public let window = Window()
@MainActor public let note = Notification(name: Notification.Name("note"))
@MainActor public var observer: RunLoopObserver?
@MainActor public let task: RunLoopTask = RunLoop.current.perform {}
@MainActor public let banner = Label()
@MainActor public let cell = Cell()
@MainActor public let center = NotificationCenter.default
public let thumbnail = Thumbnail()
public let cache = Cache()
public let workerQueue = RunLoopTaskQueue.main
public let data = Data()
public let title = "title"
public let photos: [Photo] = []
public let url = URL(fileURLWithPath: "/")
public let store = RowStore()

@MainActor public func runModalPanel() {}
public func load() async -> [Int] { [] }
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

public final class ProgressLabel {
  public let texts: [String] = []
  public init() {}
  public func show(_ percent: Int) {}
}

public func openDatabase(_ path: String) -> OpaquePointer? { nil }
public func insert(_ row: Int, into handle: OpaquePointer?) {}
public func render(_ rows: [Int]) {}
