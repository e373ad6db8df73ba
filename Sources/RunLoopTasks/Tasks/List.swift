/// The lists that each mode has.
enum List: UInt8, CaseIterable {
  /// Tasks for `.nextLoopBegan` that no run has left behind.
  case fresh = 1
  /// Tasks for `.nextLoopBegan` that were there when a run of one of their modes was left. They are due at the `entry`
  /// of a run, too.
  case leftBehind = 2
  case currentLoopEnded = 4
  case idle = 8
  /// Tasks whose limit has passed.
  case overdue = 16

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
    @inline(__always) get { ListSet(rawValue: rawValue) }
  }
}

struct ListSet: OptionSet {
  let rawValue: UInt8

  static var fresh: ListSet { List.fresh.asSet }
  static var leftBehind: ListSet { List.leftBehind.asSet }
  static var nextLoopBegan: ListSet { [fresh, leftBehind] }
  static var currentLoopEnded: ListSet { List.currentLoopEnded.asSet }
  static var idle: ListSet { List.idle.asSet }
  static var overdue: ListSet { List.overdue.asSet }
  static var all: ListSet { ListSet(rawValue: .max) }

  /// The one list of the set, `nil` if there are none or several.
  var only: List? {
    @inline(__always) get { List(rawValue: rawValue) }
  }
}
