// The differences between the platforms, also for the other products. Besides these, only `OwnerIdentity` differs, and
// some platforms lack `UIUpdateLink`.
//
// - Mode names are a struct on Apple's platforms and plain strings on Linux.
// - CoreFoundation tells `kCFRunLoopCommonModes` apart by its pointer: an equal string would be a mode of that name.
// - The name of a thread has at most 15 bytes on Linux; a longer one would be refused.
// - A destructor of thread-specific data takes an optional pointer on Linux only.
// - On Linux a timer that is due can be read at once. On Apple's platforms its message comes from another thread, a
//   little later.
// - On Linux a `main` that is `async` gives its thread to Dispatch, and the main run loop is never run.

import CoreFoundation
import Foundation

#if canImport(Darwin)
  import os

  package typealias CFMode = CFRunLoopMode
  typealias ThreadDestructor = @convention(c) (UnsafeMutableRawPointer) -> Void
  package typealias Lock = OSAllocatedUnfairLock<Void>

  extension RunLoop.Mode {
    package var cfMode: CFMode {
      switch self {
      case .default: .defaultMode
      case .common: .commonModes
      default: CFRunLoopMode(rawValue as CFString)
      }
    }

    /// The address of the mode's name. A mode is a wrapped object here, and a comparison of names would bridge both of
    /// them. Equal modes may have different identities.
    var identity: UInt { unsafeBitCast(self, to: UInt.self) }
  }

  /// The name of the mode that `loop` runs in, `nil` outside a run.
  package func copyCurrentModeName(_ loop: CFRunLoop) -> CFString? { CFRunLoopCopyCurrentMode(loop)?.rawValue }

  package func cfMode(named name: CFString) -> CFMode { CFRunLoopMode(rawValue: name) }
  package func name(of mode: CFMode) -> CFString { mode.rawValue }

  /// On any thread.
  package func text(of name: CFString) -> String { name as String }

  /// Since the machine was started, without the time in which it slept.
  package func nanosecondsOfUptime() -> Int64 { Int64(clock_gettime_nsec_np(CLOCK_UPTIME_RAW)) }

  package func threadName(_ name: String) -> String { name }

  /// Calls `body` and then releases the objects that it has autoreleased.
  package func withAutoreleasePool(_ body: () -> Void) { autoreleasepool(invoking: body) }

  /// The number of times that a pass looks for the message of a due timer, and the wait in between. Together they take
  /// a millisecond.
  let roundsForDueTimer = 20
  func waitForDueTimer() { usleep(50) }

  /// The quality of service that a thread starts with. It is the creator's, because the creator waits for the thread.
  func startingQualityOfService(for _: QualityOfService) -> QualityOfService { Thread.current.qualityOfService }

  /// Gives the current thread a quality of service. `Thread` takes none once it has started.
  func setQualityOfService(_ qualityOfService: QualityOfService) {
    // The other values of the two types are the same.
    let isDefault = qualityOfService == .default
    let qos = isDefault ? QOS_CLASS_DEFAULT : qos_class_t(rawValue: UInt32(qualityOfService.rawValue))
    pthread_set_qos_class_self_np(qos, 0)
  }

  func reportLostMainLoop(_: RunLoopTask? = nil) {}
  func ifMainLoopNeverRuns(_ body: @escaping @Sendable () -> Void) {}
  var isMainActorElsewhere: Bool { false }
#else
  package typealias CFMode = CFString
  typealias ThreadDestructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
  // Not `Synchronization.Mutex`: the thread sanitizer does not see its locking on Linux, and it costs several times as
  // much.
  package typealias Lock = NSLock

  extension RunLoop.Mode {
    package var cfMode: CFMode {
      switch self {
      case .default: kCFRunLoopDefaultMode
      case .common: kCFRunLoopCommonModes
      // Unlike a C string, it may contain NUL.
      default: CFStringCreateWithCharacters(kCFAllocatorDefault, Array(rawValue.utf16), rawValue.utf16.count)
      }
    }

    /// The two words of the mode's name. A mode is a wrapped string here. Equal modes may have different identities.
    var identity: (UInt, UInt) { unsafeBitCast(self, to: (UInt, UInt).self) }
  }

  /// The name of the mode that `loop` runs in, `nil` outside a run.
  package func copyCurrentModeName(_ loop: CFRunLoop) -> CFString? { CFRunLoopCopyCurrentMode(loop) }

  package func cfMode(named name: CFString) -> CFMode { name }
  package func name(of mode: CFMode) -> CFString { mode }

  /// On any thread.
  package func text(of name: CFString) -> String {
    var characters = [UniChar](repeating: 0, count: CFStringGetLength(name))
    CFStringGetCharacters(name, CFRange(location: 0, length: characters.count), &characters)
    return String(decoding: characters, as: UTF16.self)
  }

  /// Since the machine was started, without the time in which it slept.
  package func nanosecondsOfUptime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  package func threadName(_ name: String) -> String {
    var name = name
    while name.utf8.count > 15 { name.removeLast() }
    return name
  }

  /// Calls `body`. There are no autoreleased objects here.
  package func withAutoreleasePool(_ body: () -> Void) { body() }

  let roundsForDueTimer = 3
  func waitForDueTimer() {}

  func startingQualityOfService(for qualityOfService: QualityOfService) -> QualityOfService { qualityOfService }
  func setQualityOfService(_ qualityOfService: QualityOfService) {}

  // Dispatch takes over the main thread of a program whose `main` is `async`, and the main run loop never runs. The
  // code of the main actor then runs on any thread, whose own loop nobody runs either. With `RunLoopMain` none of this
  // is so.

  /// Says on standard error that the main run loop never runs: a task of that loop was dropped, or code of the main
  /// actor has used the loop of another thread.
  ///
  /// - Parameter task: the task.
  func reportLostMainLoop(_ task: RunLoopTask? = nil) {
    lostMainLoop.write(
      """
      the main run loop never runs, because Dispatch has taken over the main thread, as in any program with an async \
      main on Linux. Its tasks are cancelled\(task.map { ", such as that of \($0.origin)" } ?? ""), and on the main \
      actor RunLoop.current is the loop of some other thread. Import RunLoopMain, a product of this package; in a test, \
      use withMainRunLoop of RunLoopTesting; or use a main that is not async, and RunLoop.main.run() in place of \
      dispatchMain(); or a RunLoopThread
      """)
  }

  private let lostMainLoop = Notice()

  /// Calls `body` on some thread if Dispatch takes over the main thread.
  func ifMainLoopNeverRuns(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue.main.async { if !Thread.isMainThread { body() } }
  }

  /// The calling code runs on the main actor, but Dispatch runs the main actor on another thread than the main
  /// one. On all other threads it costs one lookup.
  var isMainActorElsewhere: Bool {
    DispatchQueue.getSpecific(key: mainQueueKey) == true && !Thread.isMainThread
  }

  private let mainQueueKey = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
#endif
