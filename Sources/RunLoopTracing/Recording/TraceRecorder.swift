import Foundation
import RunLoopTasks

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
  private let state: Locked<State>

  /// - Parameter mode: the mode in which the loop runs, `nil` outside a run.
  init(name: String, capacity: Int, in mode: RunLoop.Mode?) {
    (self.name, self.capacity) = (name, capacity)
    let now = uptime()
    var nesting = Nesting(TraceTree(capacity: capacity), at: now)
    if let mode { nesting.beginUnseenRun(in: mode, at: now) }
    state = Locked(State(nesting: nesting))
  }

  func end() {
    change { state, time in
      state.nesting.endAll(at: time)
      (state.end, state.waits) = (time, [:])
    }
  }

  /// What was recorded, and when that ended.
  func snapshot() -> (spans: [TraceSpan], end: Int64) {
    state.withLock { (TraceSpan.all(of: $0.nesting.sink), $0.end ?? uptime()) }
  }

  private func change(_ body: (inout State, Int64) -> Void) {
    state.withLock { if $0.end == nil { body(&$0, uptime()) } }
  }

  // MARK: What the loop tells

  func loopComes(to moment: LoopMoment) { change { $0.nesting.come(to: moment, at: $1) } }

  func workBegins(_ work: RecordedWork, at frame: UInt) {
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

  func workPosts(arrow: UInt64) {
    change { state, time in if state.nesting.isInWork { state.nesting.sink.post(arrow: arrow, at: time) } }
  }

  func loopEnds() { end() }

  func taskWasScheduled(_ id: UInt, arrow: UInt64?) {
    // However many are pending, the recording takes no more memory than its capacity.
    change { state, time in if state.waits.count < capacity { state.waits[id] = (time, arrow) } }
  }

  func taskIsOver(_ id: UInt) { change { state, _ in state.waits[id] = nil } }
}
