import CoreFoundation

/// Ends each run of the current thread's loop at its `entry`, before it serves anything: for late jobs of a thread
/// whose loop has ended.
struct LoopClosing {
  private let observer = LoopObserver(.entry, order: .min) { _ in CFRunLoopStop(CFRunLoopGetCurrent()) }

  /// Closes all modes that the loop has by now. It closes a mode that is new after that with the next call.
  func closeModes() {
    guard let names = CFRunLoopCopyAllModes(CFRunLoopGetCurrent()) else { return }
    for index in 0..<CFArrayGetCount(names) {
      guard let name = CFArrayGetValueAtIndex(names, index) else { continue }
      let mode = makeMode(named: Unmanaged<CFString>.fromOpaque(name).takeUnretainedValue())
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer.cf, mode)
    }
  }
}
