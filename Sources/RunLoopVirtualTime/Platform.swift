// The differences between the platforms.

import Foundation

#if canImport(Darwin)
  /// How many threads of one priority Swift's async code uses at the same time.
  let widthOfSharedThreads = ProcessInfo.processInfo.activeProcessorCount

  /// A thread of the process.
  struct SystemThread: Hashable, Sendable {
    static let current = Self()
    /// Not known: late threads there count as blocked.
    let isReady = false
  }
#else
  /// Dispatch takes only the processors that the process may use, as in a container. `ProcessInfo` counts all of the
  /// machine.
  let widthOfSharedThreads = {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let mask = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }?.split(separator: "\t").last
    let allowed = mask?.reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount } ?? .max
    return min(allowed, ProcessInfo.processInfo.activeProcessorCount)
  }()

  /// A thread of the process.
  struct SystemThread: Hashable, Sendable {
    private let id: pid_t

    /// The calling thread.
    static var current: Self { Self(id: idOfCurrent?() ?? 0) }

    /// Whether it runs, or would if it had a processor.
    var isReady: Bool {
      let status = try? String(contentsOfFile: "/proc/self/task/\(id)/stat", encoding: .utf8)
      return status?.contains(") R ") == true
    }

    // Swift does not import this function.
    private static let idOfCurrent = dlsym(dlopen(nil, RTLD_LAZY), "gettid")
      .map { unsafeBitCast($0, to: (@convention(c) () -> pid_t).self) }
  }
#endif
