/// What the command line asks for.
struct Options {
  static let usage = """
    usage: Benchmarks [--quick] [--json] [--rounds N] [--only NAME] [--help]

      --quick       see that everything works, in a few seconds; the figures mean nothing
      --json        print for machines
      --rounds N    take the median of N samples instead of 11
      --only NAME   one row: \(Workload.all(.full).map(\.name).joined(separator: ", "))
    """

  private(set) var isQuick = false
  private(set) var wantsJSON = false
  private(set) var wantsHelp = false
  private(set) var rounds: Int?
  private(set) var row: String?
  /// What this process is to measure for the one that started it.
  private(set) var sample: Sample?

  var scale: Scale { isQuick ? .quick : .full }

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--quick": isQuick = true
      case "--json": wantsJSON = true
      case "--help", "-h": wantsHelp = true
      case "--rounds":
        guard let number = arguments.next().flatMap({ Int($0) }), number > 0 else {
          throw UsageError("--rounds needs a number above zero")
        }
        rounds = number
      case "--only":
        guard let name = arguments.next(), Workload.all(.full).contains(where: { $0.name == name }) else {
          throw UsageError("--only needs the name of a row")
        }
        row = name
      case Sample.flag:
        guard let workload = arguments.next(), let peer = arguments.next().flatMap(Peer.init) else {
          throw UsageError("\(Sample.flag) needs a row and a peer")
        }
        sample = Sample(workload: workload, peer: peer)
      default: throw UsageError("unknown argument '\(argument)'")
      }
    }
  }
}

/// What is wrong with the command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
