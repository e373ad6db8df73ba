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
        // A different peer begins each round, so that no peer always follows the same one.
        let first = round % peers.count
        for peer in peers[first...] + peers[..<first] {
          show("round \(round + 1) of \(rounds): \(row.name), \(peer.heading)")
          let figure = options.countsInstructions ? try count(row, peer) : try measure(row, peer)
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

  // MARK: A process for each sample
  //
  // No peer finds objects that another peer has left on the loop or in the heap, and each process gets a new memory
  // layout.

  /// Measures a figure with the clock.
  private func measure(_ row: Row, _ peer: Peer) throws(Failure) -> Double {
    let output = try output([], row, peer)
    guard let figure = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Failure("\(row.name), \(peer.heading): \(output)")
    }
    return figure
  }

  /// Counts the instructions. Two processes run different numbers of batches, and the difference is their cost.
  private func count(_ row: Row, _ peer: Peer) throws(Failure) -> Double {
    let size = if case .batches(let size, _, _) = row.measure { size } else { 1 }
    let times = max(1, min(200, 2000 / size))  // hides random differences between the processes
    return try (instructions(row, peer, batches: 2 + times) - instructions(row, peer, batches: 2))
      / Double(times * size)
  }

  private func instructions(_ row: Row, _ peer: Peer, batches: Int) throws(Failure) -> Double {
    // Random hashes would fill the buckets of a dictionary differently in each process.
    let valgrind = ["SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    let output = try output(valgrind + ["--log-fd=1"], row, peer, ["--batches", "\(batches)"])
    guard let line = output.split(separator: "\n").last(where: { $0.contains("Collected :") }),
      let number = line.split(separator: " ").last.flatMap({ Double($0) })
    else { throw Failure("\(row.name), \(peer.heading): \(output)") }
    return number
  }

  /// What this program prints for a figure, below another one that may begin it.
  private func output(_ outer: [String], _ row: Row, _ peer: Peer, _ more: [String] = []) throws(Failure) -> String {
    guard let program = Bundle.main.executablePath else { throw Failure("the program cannot find its own executable") }
    let arguments = ["run", "--row", row.name, "--peer", peer.rawValue] + (options.isQuick ? ["--quick"] : []) + more
    let (status, output) = runProgram(outer + [program] + arguments)
    guard status == 0 else { throw Failure("\(row.name), \(peer.heading): the process ended with status \(status)") }
    return output
  }
}

/// The reason why a figure is missing.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Runs another program and returns its output. It fails on systems where a program cannot start another one.
func runProgram(_ arguments: [String]) -> (status: Int32, output: String) {
  #if os(macOS) || os(Linux)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
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
  #else
    (-1, "")
  #endif
}
