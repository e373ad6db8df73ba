@MainActor enum Recorder { static func run(path: String, rounds: Int) -> Never { fatalError() } }
