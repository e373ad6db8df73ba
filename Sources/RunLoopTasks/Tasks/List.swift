/// The lists that each mode has.
enum List: CaseIterable {
  /// Tasks for `.nextLoopBegan` that no run has left behind.
  case fresh
  /// Tasks for `.nextLoopBegan` that were there when a run of one of their modes was left. They are due at the `entry`
  /// of a run, too.
  case leftBehind
  case currentLoopEnded, idle
  /// Tasks whose limit has passed.
  case overdue

  /// The list of a new task.
  @inline(__always)
  init(_ timing: RunLoopTask.Timing) {
    switch timing {
    case .nextLoopBegan: self = .fresh
    case .currentLoopEnded: self = .currentLoopEnded
    case .idle: self = .idle
    }
  }

  var asSet: ListSet {
    @inline(__always) get {
      switch self {
      case .fresh: .fresh
      case .leftBehind: .leftBehind
      case .currentLoopEnded: .currentLoopEnded
      case .idle: .idle
      case .overdue: .overdue
      }
    }
  }
}

struct ListSet: OptionSet {
  let rawValue: UInt8

  static var fresh: ListSet { ListSet(rawValue: 1) }
  static var leftBehind: ListSet { ListSet(rawValue: 2) }
  static var nextLoopBegan: ListSet { [.fresh, .leftBehind] }
  static var currentLoopEnded: ListSet { ListSet(rawValue: 4) }
  static var idle: ListSet { ListSet(rawValue: 8) }
  static var overdue: ListSet { ListSet(rawValue: 16) }
  static var all: ListSet { ListSet(rawValue: 31) }

  /// The one list of the set, `nil` if there are none or several.
  var only: List? {
    @inline(__always) get {
      switch rawValue {
      case 1: .fresh
      case 2: .leftBehind
      case 4: .currentLoopEnded
      case 8: .idle
      case 16: .overdue
      default: nil
      }
    }
  }
}
