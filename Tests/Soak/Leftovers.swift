import Foundation

/// What is left of a soak: objects, and where the system tells, descriptors and threads.
struct Leftovers {
  private static let patience = Duration.seconds(60)

  /// How many descriptors there are of each thing.
  private let descriptors: [String: Int]
  private let threads: Int
  /// Whether there is a `/proc/self`, to tell these two.
  private let areKnown: Bool

  static var now: Leftovers {
    let files = FileManager.default
    let numbers = try? files.contentsOfDirectory(atPath: "/proc/self/fd")
    let threads = try? files.contentsOfDirectory(atPath: "/proc/self/task")
    // One is that of the folder, and closed by now.
    let names = (numbers ?? []).compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    return Leftovers(
      descriptors: Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +), threads: threads?.count ?? 0,
      areKnown: numbers != nil && threads != nil)
  }

  /// Waits until nothing is left that was not there before, for a time: threads free their loops after all that can be awaited,
  /// and those of the system's pool end some seconds after their last work.
  ///
  /// - Returns: what to say of it.
  static func checkThatNothingIsLeft(but before: Leftovers) -> String {
    let start = ContinuousClock.now
    while true {
      let (now, kept) = (Leftovers.now, Live.left())
      let more = now.descriptors.filter { $0.value > before.descriptors[$0.key] ?? 0 }
      if kept.isEmpty, more.isEmpty, now.threads <= before.threads { return now.inWords }
      if start.duration(to: .now) > patience {
        for what in kept { Watch.complain("kept: \(what)") }
        if !more.isEmpty { Watch.complain("more descriptors than before: \(more) of \(before.descriptors)") }
        if now.threads > before.threads { Watch.complain("\(now.threads) threads, \(before.threads) before") }
        return now.inWords
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  private var inWords: String {
    areKnown
      ? "left: \(descriptors.values.reduce(0, +)) descriptors, \(threads) threads"
      : "descriptors and threads are not checked, as there is no /proc/self"
  }
}
