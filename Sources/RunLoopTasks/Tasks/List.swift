/// The lists that each mode has.
enum List: UInt8, CaseIterable {
  case nextLoopBegan = 1
  case currentLoopEnded = 2
  case idle = 4
  /// Tasks of any timing whose limit has passed.
  case overdue = 8

  @inline(__always)
  init(_ timing: RunLoopTask.Timing) {
    switch timing {
    case .nextLoopBegan: self = .nextLoopBegan
    case .currentLoopEnded: self = .currentLoopEnded
    case .idle: self = .idle
    }
  }

  var asSet: ListSet {
    @inline(__always) get { ListSet(rawValue: rawValue) }
  }
}

struct ListSet: OptionSet {
  let rawValue: UInt8

  static var nextLoopBegan: ListSet { List.nextLoopBegan.asSet }
  static var currentLoopEnded: ListSet { List.currentLoopEnded.asSet }
  static var idle: ListSet { List.idle.asSet }
  static var overdue: ListSet { List.overdue.asSet }
  static var all: ListSet { ListSet(rawValue: .max) }

  /// The one list of the set, `nil` if there are none or several.
  var only: List? {
    @inline(__always) get { List(rawValue: rawValue) }
  }
}
