import Foundation

#if canImport(Darwin)
  typealias ThreadDataDestructor = @convention(c) (UnsafeMutableRawPointer) -> Void
#else
  typealias ThreadDataDestructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
#endif

/// A key of thread-specific data, like that of other libraries. The system calls `destructor` as a thread ends.
func threadDataKey(_ destructor: ThreadDataDestructor) -> pthread_key_t {
  var key = pthread_key_t()
  pthread_key_create(&key, destructor)
  return key
}
