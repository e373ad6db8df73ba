import Foundation

/// A copy of the package whose sources hold all mutants at once; which of them it is, if any, the environment says.
struct Copy {
  static let home = URL(fileURLWithPath: ".build/mutants")
  private static let root = home.appendingPathComponent("package")
  private static let folder = "Sources/RunLoopTasks"
  private static let rejections = home.appendingPathComponent("rejected.txt")

  private let sources: [String: String]
  /// All of them; the number of one is its index.
  let mutants: [Mutant]
  /// The keys of those that the compiler rejects.
  private(set) var rejected: Set<String>

  init() throws {
    let names = FileManager.default.enumerator(atPath: Self.folder)!.compactMap { $0 as? String }
    sources = try Dictionary(
      uniqueKeysWithValues: names.filter { $0.hasSuffix(".swift") }.map {
        ($0, try String(contentsOfFile: "\(Self.folder)/\($0)", encoding: .utf8))
      })
    mutants = sources.sorted { $0.key < $1.key }.flatMap { Finder($0.value, file: $0.key).mutants }
    rejected = Set(lines(of: Self.rejections))
  }

  /// Builds the tests, without the mutants that the compiler rejects.
  ///
  /// - Returns: the program that runs them.
  mutating func build() throws -> URL {
    try copy()
    while true {
      var files: [String: Schemata] = [:]
      for (name, source) in sources {
        let own = mutants.enumerated().filter { $1.file == name && !rejected.contains($1.key) }
        files[name] = Schemata(source, own.map { ($0.offset, $0.element) })
        try write(files[name]!.text, to: name)
      }
      let (status, output) = try swift("build", "--target", "RunLoopTasks")
      if status == 0 { break }
      let accused = Set(output.compactMap { culprit(of: $0, in: files) })
      // Those around another one may be innocent.
      let guilty = accused.filter { outer in
        !accused.contains { $0 != outer && mutants[$0].isInside(mutants[outer]) }
      }
      guard !guilty.isEmpty else { fatalError("the mutants do not build:\n" + output.joined(separator: "\n")) }
      note("the compiler rejects \(guilty.count) mutants")
      rejected.formUnion(guilty.map { mutants[$0].key })
      try rejected.sorted().joined(separator: "\n").write(to: Self.rejections, atomically: true, encoding: .utf8)
    }
    let (status, output) = try swift("build", "--build-tests")
    guard status == 0 else { fatalError("the tests do not build:\n" + output.joined(separator: "\n")) }
    return Self.root.appendingPathComponent(".build/debug/RunLoopTasksPackageTests.xctest")
  }

  /// Makes the copy, but for the sources: the rest is the package's own.
  private func copy() throws {
    let files = FileManager.default
    let sources = Self.root.appendingPathComponent(Self.folder)
    try files.createDirectory(at: sources, withIntermediateDirectories: true)
    for name in files.enumerator(atPath: sources.path)!.compactMap({ $0 as? String })
    where name.hasSuffix(".swift") && self.sources[name] == nil {
      try files.removeItem(at: sources.appendingPathComponent(name))
    }
    for name in ["Package.swift", "Tests", "Demo", "Sources/Benchmarks"] {
      let link = Self.root.appendingPathComponent(name)
      try? files.removeItem(at: link)
      try files.createSymbolicLink(at: link, withDestinationURL: URL(fileURLWithPath: name))
    }
    try write(try String(contentsOfFile: ".ci/mutants/Choice.swift", encoding: .utf8), to: "Mutant.swift")
  }

  /// Writes what has changed, so that no more is compiled.
  private func write(_ text: String, to name: String) throws {
    let url = Self.root.appendingPathComponent(Self.folder).appendingPathComponent(name)
    if let old = try? String(contentsOf: url, encoding: .utf8), old == text { return }
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }

  private func swift(_ arguments: String...) throws -> (status: Int32, output: [String]) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift"] + arguments + ["--package-path", Self.root.path, "-Xswiftc", "-suppress-warnings"]
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output.components(separatedBy: "\n"))
  }

  /// The mutant to which an error of the compiler belongs.
  private func culprit(of message: String, in files: [String: Schemata]) -> Int? {
    guard let path = message.components(separatedBy: ": error: ").first, path != message,
      let place = path.components(separatedBy: "\(Self.folder)/").last?.split(separator: ":"), place.count == 3,
      let line = Int(place[1]), let column = Int(place[2])
    else { return nil }
    return files[String(place[0])]?.mutant(line: line, column: column)
  }
}

/// A source with mutants.
struct Schemata {
  let text: String
  private let ranges: [(number: Int, bytes: Range<Int>)]

  init(_ source: String, _ mutants: [(number: Int, mutant: Mutant)]) {
    struct Edit {
      let offset: Int
      /// Where two are at the same place: what ends before what begins, and the inner ones inside.
      let rank: [Int]
      let index: Int?
      let removed: Int
      let text: String
    }
    var edits: [Edit] = []
    for (index, (number, mutant)) in mutants.enumerated() {
      let opening = mutant.opening.replacingOccurrences(of: "#", with: "\(number)")
      let range = mutant.range
      edits += [
        Edit(offset: range.lowerBound, rank: [1, -range.count, index], index: index, removed: 0, text: opening),
        Edit(offset: range.upperBound, rank: [0, range.count, -index], index: index, removed: 0, text: mutant.closing),
      ]
      if let comma = mutant.comma {
        edits.append(Edit(offset: comma.lowerBound, rank: [2], index: nil, removed: comma.count, text: ","))
      }
    }
    edits.sort { $0.offset == $1.offset ? $0.rank.lexicographicallyPrecedes($1.rank) : $0.offset < $1.offset }
    let old = Array(source.utf8)
    var new: [UInt8] = []
    var done = 0
    var ranges = mutants.map { ($0.number, 0..<0) }
    for edit in edits {
      new += old[done..<edit.offset]
      done = edit.offset + edit.removed
      let start = new.count
      new += Array(edit.text.utf8)
      guard let index = edit.index else { continue }
      ranges[index].1 = ranges[index].1.isEmpty ? start..<new.count : ranges[index].1.lowerBound..<new.count
    }
    text = String(decoding: new + old[done...], as: UTF8.self)
    self.ranges = ranges
  }

  /// The innermost mutant at a place, or the last before it.
  func mutant(line: Int, column: Int) -> Int? {
    let before = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).prefix(line - 1)
    let offset = before.reduce(0) { $0 + $1.count + 1 } + column - 1
    let around = ranges.filter { $0.bytes.contains(offset) }.min { $0.bytes.count < $1.bytes.count }
    return (around ?? ranges.last { $0.bytes.upperBound <= offset })?.number
  }
}
