import Foundation

/// The scheduler of the current thread's loop, kept in thread-specific data.
///
/// The data's destructor runs when the thread ends, on the thread itself and while
/// its loop still exists. CoreFoundation frees the loop only in the third round of destructors, and possibly on another
/// thread.
enum ThreadLocalScheduler {
  static let key = makeKey { threadEnds($0) }

  /// Makes a key for thread-specific data.
  static func makeKey(_ destructor: ThreadDestructor?) -> pthread_key_t {
    var key = pthread_key_t()
    let error = pthread_key_create(&key, destructor)
    guard error == 0 else { fatalError("RunLoopTasks found no free key for thread-specific data (error \(error))") }
    return key
  }

  /// The data keeps the scheduler until that ends, so on this thread no reference to it need be counted. `nil` before
  /// the thread has a scheduler, and once that has ended.
  @inline(never)  // inlined, it keeps the rest from being inlined
  static var scheduler: Unmanaged<Scheduler>? {
    guard let content = pthread_getspecific(key), !isMark(content) else { return nil }
    return .fromOpaque(content)
  }

  /// Whether `scheduler` is the current thread's; `nil` if the thread has no data. This is cheaper than a comparison of
  /// references.
  static func holds(_ scheduler: Scheduler, for key: pthread_key_t) -> Bool? {
    guard let content = pthread_getspecific(key) else { return nil }
    return content == Unmanaged.passUnretained(scheduler).toOpaque()
  }

  /// Whether some content is no scheduler: no address is that low.
  private static func isMark(_ content: UnsafeMutableRawPointer) -> Bool { UInt(bitPattern: content) <= 2 }

  /// Makes `scheduler` the current thread's, which owns it until it ends.
  static func install(_ scheduler: Scheduler) {
    pthread_setspecific(key, Unmanaged.passRetained(scheduler).toOpaque())
  }

  /// Ends the scheduler of the current thread before the system does: no task runs on this thread any more.
  static func endScheduler() { threadEnds(pthread_getspecific(key)) }

  // MARK: The end of the thread

  // The system calls the destructors of all keys in rounds, as long as values are left, but in at most four rounds:
  //
  //     round 1    the scheduler ends, and the data becomes a mark: 2 rounds left
  //     round 2    1 round left
  //     round 3    it is gone, and CoreFoundation frees the loop
  //     round 4    does not come: before it, the thread sanitizer has left the thread
  //
  // As long as the data is there, a task that another destructor schedules is cancelled at once. The scheduler of a
  // `RunLoopThread` ends before round 1, so its data is gone one round earlier.

  /// The scheduler of the current thread has ended.
  static var hasEnded: Bool { pthread_getspecific(key).map(isMark) ?? false }

  private static func threadEnds(_ content: UnsafeMutableRawPointer?) {
    guard let content else { return }
    let roundsLeft = isMark(content) ? UInt(bitPattern: content) - 1 : 2
    pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: roundsLeft))
    if !isMark(content) { Unmanaged<Scheduler>.fromOpaque(content).takeRetainedValue().end() }
  }
}
