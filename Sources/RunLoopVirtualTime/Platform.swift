// The differences between the platforms.

import Foundation

#if canImport(Darwin)
  /// How many threads of one priority Swift's async code uses at the same time.
  let widthOfSharedThreads = ProcessInfo.processInfo.activeProcessorCount

  /// A thread of the process.
  struct SystemThread: Hashable, Sendable {
    static let current = Self()
    /// Not known: late threads there count as blocked.
    static func ready(for priority: TaskPriority) -> Set<Self> { [] }
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

    /// The threads of a priority that run, or would if they had a processor.
    ///
    /// Dispatch names a thread by the end of its queue's label, in the thread's own first lines. So each thread counts that
    /// has never run.
    static func ready(for priority: TaskPriority) -> Set<Self> {
      let name =
        switch priority {
        case .high: "r-initiated-qos"
        case .medium: "oot.default-qos"
        case .low: "oot.utility-qos"
        default: ".background-qos"
        }
      let ids = (try? FileManager.default.contentsOfDirectory(atPath: tasks))?.compactMap { pid_t($0) } ?? []
      let threads = ids.map(Self.init(id:)).filter { thread in
        let status = thread.read("stat")
        return status.contains("(\(name)) R ") || status.contains(") R ") && thread.read("schedstat").hasSuffix(" 0\n")
      }
      return Set(threads)
    }

    private static let tasks = "/proc/self/task"

    private func read(_ file: String) -> String {
      (try? String(contentsOfFile: "\(Self.tasks)/\(id)/\(file)", encoding: .utf8)) ?? ""
    }

    // Swift does not import this function.
    private static let idOfCurrent = dlsym(dlopen(nil, RTLD_LAZY), "gettid")
      .map { unsafeBitCast($0, to: (@convention(c) () -> pid_t).self) }
  }
#endif
