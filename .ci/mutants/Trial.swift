import Foundation
import Synchronization

/// One run of the tests with a mutant, or with none.
struct Trial {
  let program: URL
  let mutant: Int?
  let round: Round

  /// Runs the tests until the first one fails.
  ///
  /// - Returns: what noticed the mutant, `nil` if nothing did.
  func run() -> String? {
    let mutant = "\(mutant ?? -1)"
    let family = Family(name: "\(getpid()).\(mutant)")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["nice", program.path, "--testing-library", "swift-testing"] + round.arguments
    process.environment = ProcessInfo.processInfo.environment.merging(round.environment) { $1 }
      .merging([Family.variable: family.name, "MUTANT": mutant, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    process.standardInput = FileHandle.nullDevice
    do { try process.run() } catch { fatalError("the tests do not start: \(error)") }
    let stuck = Mutex<String?>(nil)
    let watchdog = DispatchSource.makeTimerSource()
    watchdog.schedule(deadline: .now() + 1, repeating: 1)
    watchdog.setEventHandler { [limit = round.limit] in
      guard let how = family.isStuck(limit) else { return }
      stuck.withLock { $0 = how }
      family.end()
    }
    watchdog.resume()
    let failure = firstFailure(in: pipe.fileHandleForReading)
    if failure != nil { family.end() }
    process.waitUntilExit()
    watchdog.cancel()
    if let how = stuck.withLock({ $0 }) { return how }
    if let failure { return failure }
    return process.terminationReason == .exit && process.terminationStatus == 0 ? nil : "a crash"
  }

  private func firstFailure(in output: FileHandle) -> String? {
    var text = Data()
    while case let new = output.availableData, !new.isEmpty {
      text += new
      while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: text[..<end], as: UTF8.self)
        text = text[(end + 1)...]
        guard line.contains(" recorded an issue "), let test = line.range(of: "Test ") else { continue }
        return String(line[test.upperBound...].prefix { $0 != " " })
      }
    }
    return nil
  }
}

/// A test program and whatever it has started, which would be orphans without it, and some of that would go on for ever.
final class Family: Sendable {
  static let variable = "MUTATION_TRIAL"
  /// How many seconds all of it may wait.
  private static let patience = 8

  let name: String
  private let waited = Atomic(0)

  init(name: String) { self.name = name }

  func end() { for member in members { kill(member, SIGKILL) } }

  /// Whether, and how, it goes on for too long, by its processor time, or only waits; to be asked once a second.
  ///
  /// However busy the machine is with something else, that changes nothing.
  func isStuck(_ limit: Double) -> String? {
    let members = members
    if members.contains(where: mayRun) { waited.store(0, ordering: .relaxed) }
    let seconds = waited.add(1, ordering: .relaxed).newValue
    if seconds > Self.patience { return "waiting for ever" }
    return members.reduce(0) { $0 + processorTime(of: $1) } > limit ? "using up its time" : nil
  }

  private var members: [pid_t] {
    let line = Data("\(Self.variable)=\(name)".utf8)
    return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(pid_t.init).filter {
      FileManager.default.contents(atPath: "/proc/\($0)/environ")?.split(separator: 0).contains(line) ?? false
    }
  }

  private func mayRun(_ process: pid_t) -> Bool {
    let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
    return threads?.contains { statistics(of: "\(process)/task/\($0)").first != "S" } ?? false
  }

  private func processorTime(of process: pid_t) -> Double {
    let ticks = statistics(of: "\(process)").dropFirst(11).prefix(2).compactMap(Double.init)  // user's and system's
    return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// What the system says of a process or a thread; the state comes first.
  private func statistics(of path: String) -> [String] {
    let data = FileManager.default.contents(atPath: "/proc/\(path)/stat") ?? Data()
    return String(decoding: data, as: UTF8.self).components(separatedBy: ") ").last!.components(separatedBy: " ")
  }
}
