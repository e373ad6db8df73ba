import Foundation

/// The scheduler of the current thread's loop, kept in thread-specific data.
///
/// A look-up is a few instructions, and the end of the thread is heard of on the thread itself, while its loop is still
/// whole: CoreFoundation frees the loop in its last round of destructors, and that may even happen on another thread.
enum ThreadSlot {
  private static let key = {
    var key = pthread_key_t()
    let destructor: ThreadDestructor = { threadEnds($0) }
    let error = pthread_key_create(&key, destructor)
    guard error == 0 else { fatalError("RunLoopTasks found no free key for thread-specific data (error \(error))") }
    return key
  }()

  static var scheduler: Scheduler? {
    guard let content = pthread_getspecific(key) else { return nil }
    return Unmanaged<Scheduler>.fromOpaque(content).takeUnretainedValue()
  }

  /// Puts `scheduler` into the slot, which owns it until the thread ends.
  static func install(_ scheduler: Scheduler) {
    pthread_setspecific(key, Unmanaged.passRetained(scheduler).toOpaque())
  }

  private static func threadEnds(_ content: UnsafeMutableRawPointer?) {
    guard let content else { return }
    let slot = Unmanaged<Scheduler>.fromOpaque(content)
    // From here on the thread has no loop for tasks: what other destructors schedule is cancelled at once. The slot does
    // not own this marker, which lives forever, so nothing is lost when the system has called its last destructor.
    pthread_setspecific(key, Unmanaged.passUnretained(Scheduler.ended).toOpaque())
    let scheduler = slot.takeUnretainedValue()
    guard scheduler !== Scheduler.ended else { return }
    scheduler.end()
    slot.release()
  }
}
