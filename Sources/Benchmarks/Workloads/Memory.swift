import Foundation

/// What this process has allocated.
enum Memory {
  #if canImport(Darwin)
    static var bytesInUse: Int {
      var statistics = malloc_statistics_t()
      malloc_zone_statistics(nil, &statistics)
      return statistics.size_in_use
    }
  #else
    /// What is written to of its heaps, in whole pages: Glibc's module does not have `mallinfo2`, and `/proc/self/statm` counts
    /// by the processor, off by some hundred pages.
    static var bytesInUse: Int {
      let path = "/proc/self/smaps_rollup"
      guard let text = try? String(contentsOfFile: path, encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Anonymous:") }),
        let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
      else { fatalError("\(path) does not tell how much memory is in use") }
      return kibibytes * 1024
    }
  #endif
}
