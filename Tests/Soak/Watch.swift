import Foundation

/// Sees to it that the program says where it stands and ends, instead of hanging.
enum Watch {
  /// What may block, and since when.
  private static let entries = Guarded<[Int: (what: String, since: ContinuousClock.Instant)]>([:])
  private static let numbers = Counter()
  private static let complaintsSoFar = Counter()
  private static let mostComplaints = 20

  static var complaints: Int { complaintsSoFar.value }

  /// Notes what is wrong, and goes on.
  static func complain(_ what: String) {
    let number = complaintsSoFar.add()
    if number <= mostComplaints { say("soak: \(what)") }
    if number == mostComplaints { say("soak: further complaints are only counted") }
  }

  /// - Returns: the number to hand to `leave`.
  static func enter(_ what: String) -> Int {
    let number = numbers.add()
    entries.withLock { $0[number] = (what, .now) }
    return number
  }

  static func leave(_ number: Int) { entries.withLock { $0[number] = nil } }

  /// Calls what may block.
  static func during<Result>(_ what: String, _ body: () -> Result) -> Result {
    let number = enter(what)
    defer { leave(number) }
    return body()
  }

  /// Ends the program if anything takes longer than that.
  static func check(_ patience: Duration, _ status: () -> String) {
    let late = entries.withLock { $0.values.filter { $0.since.duration(to: .now) > patience }.map(\.what) }
    if !late.isEmpty { die("this takes too long:\n  \(late.sorted().joined(separator: "\n  "))", status()) }
  }

  /// So that one who reads of something stuck can tell it from a machine that has no time for this program.
  private static var processorTime: String {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return "\(time.tv_sec) s of processor time were used"
  }

  static func die(_ what: String, _ status: String) -> Never {
    say("soak: \(what)\n\(status)\n\n\(Figure.table)\n\n\(processorTime)")
    _exit(1)  // not `exit`, which might wait for what is stuck
  }

  static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

extension DispatchSemaphore {
  /// Waits for the signal, under the eyes of the watch.
  func wait(for what: @autoclosure () -> String) {
    if wait(timeout: .now()) == .success { return }
    Watch.during(what()) { wait() }
  }
}
