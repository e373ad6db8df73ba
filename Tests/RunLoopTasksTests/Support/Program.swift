import Foundation
import Testing

/// A program that is built beside the tests.
enum Program {
  struct Result {
    let status: Int32
    let output: String
    let error: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs it, without a terminal, until it ends; the watchdog ends it otherwise.
  static func run(_ name: String, _ arguments: String...) throws -> Result { try run(name, arguments) }

  static func run(_ name: String, _ arguments: [String]) throws -> Result {
    let program = try #require(url(of: name), "\(name) is not built")
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let (output, error) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, error)
    try process.run()
    let identifier = process.processIdentifier
    let guardian = DispatchWorkItem { kill(identifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + watchdog, execute: guardian)
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let complained = error.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guardian.cancel()
    return Result(
      status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
      error: String(decoding: complained, as: UTF8.self))
  }

  static func url(of name: String) -> URL? {
    folders.map { $0.appendingPathComponent(name) }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Where the programs may be: beside the bundle of the tests.
  private static var folders: [URL] {
    let named = CommandLine.arguments.compactMap { argument in
      argument.firstRange(of: ".xctest").map { URL(fileURLWithPath: String(argument[..<$0.upperBound])) }
    }
    return (bundles + named).map { $0.deletingLastPathComponent() } + [Bundle.main.bundleURL]
  }

  #if canImport(Darwin)
    private final class Marker {}

    /// The runner loads the tests' bundle by itself, so it is not among `Bundle.allBundles`.
    private static var bundles: [URL] { [Bundle(for: Marker.self).bundleURL] }
  #else
    private static var bundles: [URL] {
      Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
    }
  #endif
}
