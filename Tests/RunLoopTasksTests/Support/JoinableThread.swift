import Foundation

/// A thread whose very end can be awaited: what the system does last, like freeing its loop, included.
final class JoinableThread {
  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  #if canImport(Darwin)
    private var thread: pthread_t?
  #else
    private var thread = pthread_t()
  #endif

  init(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    let error = pthread_create(
      &thread, nil,
      { argument in
        let work: UnsafeMutableRawPointer? = argument  // an optional on Linux only
        Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().body()
        return nil
      }, work)
    guard error == 0 else { fatalError("no thread for a script (error \(error))") }
  }

  func join() {
    #if canImport(Darwin)
      pthread_join(thread!, nil)
    #else
      pthread_join(thread, nil)
    #endif
  }
}
