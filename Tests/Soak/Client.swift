/// What a thread does over and over again.
protocol Client: Sendable {
  mutating func step()
}

/// What a task of Swift's concurrency does over and over again.
protocol AsyncClient: Sendable {
  mutating func step() async
}
