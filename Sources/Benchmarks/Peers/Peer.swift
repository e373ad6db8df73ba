/// Who takes part, in the order of the table's columns.
enum Peer: String, CaseIterable, Codable {
  case ours, floor, dispatch, perform, operation, idle, task, ancestor

  /// The head of the column.
  var heading: String {
    switch self {
    case .ours: "ours"
    case .floor: "floor"
    case .dispatch: "Dispatch"
    case .perform: "perform"
    case .operation: "Operation"
    case .idle: "whenIdle"
    case .task: "Task"
    case .ancestor: "ancestor"
    }
  }

  var title: String {
    switch self {
    case .ours: "RunLoopTasks"
    case .floor: "RunLoop.current, a handle with a closure in an array, one bare pass a batch"
    case .dispatch: "DispatchQueue.main.async"
    case .perform: "Foundation's RunLoop.perform"
    case .operation: "OperationQueue.main"
    case .idle: "NotificationQueue, .whenIdle"
    case .task: "Task { @MainActor in … }"
    case .ancestor: "one observer, one array scanned at each activity, a serial queue behind each property"
    }
  }

  /// How it is used. Asked for once in a process that measures it.
  var methods: Methods {
    switch self {
    case .ours: .ours
    case .floor: .floor
    case .dispatch: .dispatch
    case .perform: .perform
    case .operation: .operation
    case .idle: .idle
    case .task: .task
    case .ancestor: .ancestor
    }
  }
}
