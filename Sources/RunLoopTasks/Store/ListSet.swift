/// One of the lists in which the tasks of a mode stand in line. Its number is its bit in a `ListSet`, written here because
/// to shift takes each task 30 instructions more: `MomentTests.eachListHasABitOfItsOwn`.
enum ListID: UInt8, CaseIterable {
  case nextLoopBegan = 1
  case currentLoopEnded = 2
  case idle = 4
  /// Tasks of any timing whose limit has passed, which are due at every moment.
  case overdue = 8
}

/// Some of the lists that each mode has, often a single one.
struct ListSet: OptionSet {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ list: ListID) { rawValue = list.rawValue }

  static var currentLoopEnded: ListSet { ListSet(.currentLoopEnded) }
  static var idle: ListSet { ListSet(.idle) }
  static var overdue: ListSet { ListSet(.overdue) }

  static let all = ListSet(ListID.allCases.map { ListSet($0) })

  /// The list, if it is a single one.
  @inline(__always)
  var single: ListID? { ListID(rawValue: rawValue) }

  /// The lists whose tasks are due at a moment.
  static func due(at moment: Moment) -> ListSet {
    switch moment {
    case .entry: dueAtEntry
    case .beforeWaiting: dueBeforeWaiting
    case .afterWaiting: dueAfterWaiting
    case .exit: dueAtExit
    }
  }

  // Constants, because each activity needs one.
  private static let dueAtEntry = find(.entry)
  private static let dueBeforeWaiting = find(.beforeWaiting)
  private static let dueAfterWaiting = find(.afterWaiting)
  private static let dueAtExit = find(.exit)

  private static func find(_ moment: Moment) -> ListSet {
    RunLoopTask.Timing.allCases.map(\.rule).filter { $0.moment == moment || $0.fallback == moment }
      .reduce(.overdue) { $0.union(ListSet($1.list)) }
  }
}
