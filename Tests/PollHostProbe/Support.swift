#if os(Linux)
  import Foundation
  import RunLoopTasks
  import Synchronization

  typealias Tests = [String: () -> Void]

  func say(_ event: Any) { print(event) }

  /// How long posts race with the host: `RACE_SECONDS`, 0.3 if not set.
  let raceTime = Duration.seconds(ProcessInfo.processInfo.environment["RACE_SECONDS"].flatMap(Double.init) ?? 0.3)

  func elsewhere(_ body: @escaping @Sendable () -> Void) {
    begun.count()
    Thread.detachNewThread {
      body()
      ended.count()
    }
  }

  private let (begun, ended) = (Counter(), Counter())

  /// A thread that has posted may wake the loop only after the post has run.
  var isSomethingElsewhere: Bool { begun.value != ended.value }

  final class Counter: Sendable {
    private let number = Atomic(0)
    var value: Int { number.load(ordering: .acquiring) }
    func count() { number.add(1, ordering: .releasing) }
  }

  /// For main-queue blocks and timers, which run on the main thread.
  struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  /// The number of the process's open descriptors.
  var openDescriptors: Int? { try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }

  /// Runs `body` in a copy of this process, and waits for its end. Swift hides `fork`, because the child may call very
  /// few functions.
  func inFork(_ body: () -> Void) -> Int32 {
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 {
      body()
      _exit(0)
    }
    var status: Int32 = -1
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }
#endif
