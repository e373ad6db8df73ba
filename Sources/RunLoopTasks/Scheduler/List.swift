/// The lists that each mode has.
enum List: CaseIterable {
  case nextLoopBegan, currentLoopEnded, idle, overdue

  /// The list of a timing.
  @inline(__always)
  init(_ timing: RunLoopTask.Timing) {
    switch timing {
    case .nextLoopBegan: self = .nextLoopBegan
    case .currentLoopEnded: self = .currentLoopEnded
    case .idle: self = .idle
    }
  }

  var asSet: ListSet {
    @inline(__always) get {
      switch self {
      case .nextLoopBegan: .nextLoopBegan
      case .currentLoopEnded: .currentLoopEnded
      case .idle: .idle
      case .overdue: .overdue
      }
    }
  }
}

struct ListSet: OptionSet {
  let rawValue: UInt8

  static var nextLoopBegan: ListSet { ListSet(rawValue: 1) }
  static var currentLoopEnded: ListSet { ListSet(rawValue: 2) }
  static var idle: ListSet { ListSet(rawValue: 4) }
  static var overdue: ListSet { ListSet(rawValue: 8) }
  static var all: ListSet { ListSet(rawValue: 15) }

  /// The one list of the set, `nil` if there are none or several.
  var only: List? {
    @inline(__always) get {
      switch rawValue {
      case 1: .nextLoopBegan
      case 2: .currentLoopEnded
      case 4: .idle
      case 8: .overdue
      default: nil
      }
    }
  }
}
