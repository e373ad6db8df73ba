import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// Runs programs of this package, which are built into the folder of the tests.
  enum Program {
    struct Result {
      let status: Int32
      let output: String
      let error: String

      var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Runs the program to its end, without a terminal. The watchdog kills it if it takes too long.
    ///
    /// - Parameters:
    ///   - environment: the variables that the program has besides those of the tests.
    ///   - launcher: a program that starts the program, and its arguments.
    static func run(
      _ name: String, _ arguments: [String] = [], environment: [String: String] = [:], by launcher: [String] = []
    ) throws -> Result {
      let program = try #require(url(of: name), "\(name) is not built")
      let command = launcher + [program.path] + arguments
      let process = Process()
      process.executableURL = URL(fileURLWithPath: command[0])
      process.arguments = Array(command.dropFirst())
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      let (output, error) = (Pipe(), Pipe())
      (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, error)
      try process.run()
      let identifier = process.processIdentifier
      let killer = DispatchWorkItem { kill(identifier, SIGKILL) }
      DispatchQueue.global().asyncAfter(deadline: .now() + watchdog, execute: killer)
      // Both at once, because a program whose one pipe is full waits.
      let (errorData, isRead) = (Box(Data()), DispatchSemaphore(value: 0))
      let errorPipe = error.fileHandleForReading
      Thread.detachNewThread {
        errorData.value = errorPipe.readDataToEndOfFile()
        isRead.signal()
      }
      let outputData = output.fileHandleForReading.readDataToEndOfFile()
      isRead.wait()
      process.waitUntilExit()
      killer.cancel()
      return Result(
        status: process.terminationStatus, output: String(decoding: outputData, as: UTF8.self),
        error: String(decoding: errorData.value, as: UTF8.self))
    }

    static func url(of name: String) -> URL? {
      folders.map { $0.appendingPathComponent(name) }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// The folders that may contain the programs: those that contain the test bundle.
    private static var folders: [URL] {
      let named = CommandLine.arguments.compactMap { argument in
        argument.firstRange(of: ".xctest").map { URL(fileURLWithPath: String(argument[..<$0.upperBound])) }
      }
      return (bundles + named).map { $0.deletingLastPathComponent() } + [Bundle.main.bundleURL]
    }

    #if canImport(Darwin)
      private final class Marker {}

      /// The runner loads the test bundle itself, so `Bundle.allBundles` does not contain it.
      private static var bundles: [URL] { [Bundle(for: Marker.self).bundleURL] }
    #else
      private static var bundles: [URL] {
        Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
      }
    #endif
  }

#endif
