import Foundation
import RunLoopTasks
import Synchronization

/// Records a loop. It outlives the `RunLoopTrace`, as far as the engine still tells it something.
final class TraceRecorder: LoopRecorder {
  private struct State {
    var nesting: Nesting<TraceTree>
    /// When the tasks that are pending were scheduled, and the posts that they came by.
    var waits: [UInt: (start: Int64, arrow: UInt64?)] = [:]
    var end: Int64?
  }

  let name: String
  private let capacity: Int
  private let queue: RunLoopTaskQueue
  private let state: Locked<State>
  /// The recorders of all loops, until they end.
  private static let all = Locked<[TraceRecorder]>([])
  /// Numbers what is posted from one of these loops to another.
  private static let latestArrow = Atomic<UInt64>(0)

  /// - Parameter mode: the mode in which the loop runs, `nil` outside a run.
  init(name: String, capacity: Int, of queue: RunLoopTaskQueue, in mode: RunLoop.Mode?) {
    (self.name, self.capacity, self.queue) = (name, capacity, queue)
    let now = nanosecondsOfUptime()
    var nesting = Nesting(TraceTree(capacity: capacity), at: now)
    if let mode { nesting.beginUnseenRun(in: mode, at: now) }
    state = Locked(State(nesting: nesting))
    Self.all.withLock { $0.append(self) }
  }

  func end() {
    Self.all.withLock { all in all.removeAll { $0 === self } }
    change { state, time in
      state.nesting.endAll(at: time)
      (state.end, state.waits) = (time, [:])
    }
  }

  /// What was recorded, when that ended, and whether earlier events had to go.
  typealias Snapshot = (spans: [TraceSpan], end: Int64, wasFull: Bool)

  func snapshot() -> Snapshot {
    state.withLock { (TraceSpan.all(of: $0.nesting.sink), $0.end ?? nanosecondsOfUptime(), $0.nesting.sink.wasFull) }
  }

  private func change(_ body: (inout State, Int64) -> Void) {
    state.withLock { if $0.end == nil { body(&$0, nanosecondsOfUptime()) } }
  }

  // MARK: What the loop tells

  func loopComes(to moment: LoopMoment) { change { $0.nesting.come(to: moment, at: $1) } }

  func workBegins(_ work: LoopWork, at frame: UInt) {
    change { state, time in
      state.nesting.begin(work, at: frame, time: time)
      guard case .task(_, _, let lateBy) = work.kind else { return }
      let wait = state.waits.removeValue(forKey: work.id)
      let node = state.nesting.sink.path.last
      node?.waited = lateBy ?? wait.map { time - $0.start }
      node?.arrow = wait?.arrow
    }
  }

  func workEnds(_ id: UInt) { change { $0.nesting.endWork(id, at: $1) } }

  func loopEnds() { end() }

  func taskIsScheduled(_ id: UInt) {
    let arrow = queue.isOwn ? nil : Self.post()
    // However many are pending, the recording takes no more memory than its capacity.
    change { state, time in if state.waits.count < capacity { state.waits[id] = (time, arrow) } }
  }

  /// Notes in the recordings of the current thread's loop that its work posts to another loop.
  ///
  /// - Returns: the number of the post; `nil` if there is no such recording.
  private static func post() -> UInt64? {
    let senders = all.withLock { $0 }.filter(\.queue.isOwn)
    if senders.isEmpty { return nil }
    let arrow = latestArrow.wrappingAdd(1, ordering: .relaxed).newValue
    for sender in senders {
      sender.change { state, time in if state.nesting.isInWork { state.nesting.sink.post(arrow: arrow, at: time) } }
    }
    return arrow
  }

  func taskIsOver(_ id: UInt) { change { state, _ in state.waits[id] = nil } }
}
