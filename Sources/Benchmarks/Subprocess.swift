import Foundation

/// Another process, and what it prints.
enum Subprocess {
  static func run(_ program: URL, _ arguments: [String]) -> (status: Int32, output: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    // `waitUntilExit` looks only every 50 ms on Linux.
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    do { try process.run() } catch { return (-1, "") }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    end.wait()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
