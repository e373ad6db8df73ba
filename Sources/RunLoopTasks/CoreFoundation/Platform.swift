// The one place that knows how the platforms spell CoreFoundation; everything else reads the same on all of them.
//
// - Mode names are a struct on Apple's platforms and plain strings on Linux.
// - `kCFRunLoopCommonModes` is told apart by pointer: an equal string would be taken for a mode of that name.
// - The name of a thread has at most 15 bytes on Linux; one that is longer would be refused.
// - A destructor of thread-specific data is handed an optional pointer on Linux only.

import CoreFoundation
import Foundation

#if canImport(Darwin)
  typealias CFMode = CFRunLoopMode

  extension RunLoop.Mode {
    var cfMode: CFMode {
      switch self {
      case .common: .commonModes
      case .default: .defaultMode
      default: CFRunLoopMode(rawValue as CFString)
      }
    }
  }

  /// The name of the mode that `loop` runs in, `nil` outside a run.
  func copyCurrentModeName(_ loop: CFRunLoop) -> CFString? { CFRunLoopCopyCurrentMode(loop)?.rawValue }

  func threadName(_ name: String) -> String { name }

  typealias ThreadDestructor = @convention(c) (UnsafeMutableRawPointer) -> Void
#else
  typealias CFMode = CFString

  extension RunLoop.Mode {
    var cfMode: CFMode {
      switch self {
      case .common: kCFRunLoopCommonModes
      case .default: kCFRunLoopDefaultMode
      default: CFStringCreateWithCString(kCFAllocatorDefault, rawValue, 0x0800_0100)  // UTF-8
      }
    }
  }

  /// The name of the mode that `loop` runs in, `nil` outside a run.
  func copyCurrentModeName(_ loop: CFRunLoop) -> CFString? { CFRunLoopCopyCurrentMode(loop) }

  func threadName(_ name: String) -> String {
    var name = name
    while name.utf8.count > 15 { name.removeLast() }
    return name
  }

  typealias ThreadDestructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
#endif
