/// The time that counts for hangs. It stands still while a look is overdue, as the whole process then stands still: in a
/// debugger, or suspended.
///
///     process     runs ──────────────┐                 ┌ runs ─────
///     looks              •         • │      due        │ •
///     counted     ├──────────────────┤      until here ├───────────
struct HangClock {
  /// How late a look comes at most while the process runs.
  private let patience: Int64
  /// For how long it has stood still.
  private var lost: Int64 = 0
  /// The uptime at which the next look is due, `nil` for none.
  private(set) var nextLook: Int64?

  init(patience: Int64) { self.patience = patience }

  /// The counted time at an uptime. Uptimes come in order.
  mutating func time(at uptime: Int64) -> Int64 {
    if let due = nextLook, uptime - due > patience { (lost, nextLook) = (lost + uptime - due, uptime) }
    return uptime - lost
  }

  /// - Parameter time: a counted time, `nil` for never.
  mutating func setNextLook(at time: Int64?) { nextLook = time.map { $0 + lost } }
}
