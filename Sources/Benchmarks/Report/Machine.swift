import Foundation

/// Where the race took place.
struct Machine: Encodable {
  var processor = Machine.processorName
  var cores = ProcessInfo.processInfo.activeProcessorCount
  var system = ProcessInfo.processInfo.operatingSystemVersionString
  var swift = Machine.swiftVersion
  var isOptimized = Machine.isOptimized

  private static var processorName: String {
    #if canImport(Darwin)
      output(of: "/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string") ?? "unknown processor"
    #else
      // Not every architecture gives a name.
      (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
        .split(separator: "\n").first { $0.hasPrefix("model name") }?
        .split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    #endif
  }

  /// The version of the toolchain that is found first; `swift run` is part of it.
  private static var swiftVersion: String {
    output(of: "/usr/bin/env", "swift", "--version") ?? "unknown version of Swift"
  }

  private static var isOptimized: Bool {
    var isOptimized = true
    assert(
      {
        isOptimized = false
        return true
      }())
    return isOptimized
  }

  private static func output(of program: String, _ arguments: String...) -> String? {
    let (status, output) = Subprocess.run(URL(fileURLWithPath: program), arguments)
    return status == 0 ? output.split(separator: "\n").first.map(String.init) : nil
  }
}
