import Foundation

/// Takes samples of all peers in turns, so that a slow phase of the machine affects all peers.
struct Race {
  let rows: [Row]
  let rounds: Int
  let options: Options

  func run() throws(Failure) -> Report {
    var samples = rows.map { _ in [Peer: [Double]]() }
    for round in 0..<rounds {
      for (index, row) in rows.enumerated() {
        let peers = options.countsInstructions ? row.peers.filter { [.ours, .floor].contains($0) } : row.peers
        for peer in turns(of: peers, in: round) {
          show("round \(round + 1) of \(rounds): \(row.name), \(peer.heading)")
          let sample = Sample(row: row, peer: peer, isQuick: options.isQuick)
          let figure = options.countsInstructions ? try sample.count() : try sample.take()
          samples[index][peer, default: []].append(figure)
        }
      }
    }
    show("")
    let results = zip(rows, samples).map {
      (row: $0, unit: options.countsInstructions ? .instructions : $0.unit, medians: $1.mapValues(\.median))
    }
    return Report(rounds: rounds, isQuick: options.isQuick, rows: results)
  }

  /// Shows the progress in a line of the standard error, if that is a terminal.
  private func show(_ text: String) {
    if isatty(STDERR_FILENO) == 1 { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
  }

  /// A different peer begins each round, so that no peer always follows the same one.
  private func turns(of peers: [Peer], in round: Int) -> [Peer] {
    let first = round % peers.count
    return Array(peers[first...] + peers[..<first])
  }
}

/// Measures one figure of one peer in a process of its own. No peer finds objects that another peer has left on the
/// loop or in the heap, and each process gets a new memory layout.
struct Sample {
  let row: Row
  let peer: Peer
  let isQuick: Bool

  /// Measures the figure with the clock.
  func take() throws(Failure) -> Double {
    let output = try output(of: try program, arguments)
    guard let figure = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw failure(output) }
    return figure
  }

  /// Counts the instructions. Two processes run different numbers of batches, and the difference is their cost.
  func count() throws(Failure) -> Double {
    let size = if case .batches(let size, _) = row.measure { size } else { 1 }
    let times = max(1, min(200, 2000 / size))  // hides random differences between the processes
    let few = try instructions(batches: 2)
    let many = try instructions(batches: 2 + times)
    return (many - few) / Double(times * size)
  }

  private func instructions(batches: Int) throws(Failure) -> Double {
    let output = try output(
      of: URL(fileURLWithPath: "/usr/bin/env"),
      // Random hashes would fill the buckets of a dictionary differently in each process.
      ["SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"]
        + [try program.path] + arguments + ["--batches", "\(batches)"])
    guard let line = output.split(separator: "\n").last(where: { $0.contains("Collected :") }),
      let number = line.split(separator: " ").last.flatMap({ Double($0) })
    else { throw failure(output) }
    return number
  }

  private var arguments: [String] {
    ["run", "--row", row.name, "--peer", peer.rawValue] + (isQuick ? ["--quick"] : [])
  }

  private var program: URL {
    get throws(Failure) {
      guard let program = Bundle.main.executableURL else { throw Failure("the program cannot find its own executable") }
      return program
    }
  }

  private func output(of program: URL, _ arguments: [String]) throws(Failure) -> String {
    let (status, output) = runProgram(program, arguments)
    guard status == 0 else { throw failure("the process ended with status \(status)") }
    return output
  }

  private func failure(_ text: String) -> Failure { Failure("\(row.name), \(peer.heading): \(text)") }
}

/// The reason why a figure is missing.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

#if os(macOS) || os(Linux)
  /// Runs another program and returns its output.
  func runProgram(_ program: URL, _ arguments: [String]) -> (status: Int32, output: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    // On Linux `waitUntilExit` checks only every 50 ms.
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    do { try process.run() } catch { return (-1, "") }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    end.wait()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
#else
  /// Fails, because a program cannot start another one here. The function lets the target build on all platforms.
  func runProgram(_ program: URL, _ arguments: [String]) -> (status: Int32, output: String) { (-1, "") }
#endif
