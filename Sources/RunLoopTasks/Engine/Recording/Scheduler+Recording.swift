import Foundation
import Synchronization

// What the engine tells the recorders of a loop. While there are none, each piece of work costs a look at `isRecorded`,
// and a pass costs nothing.
extension Scheduler {
  // MARK: Recorders

  /// Tells a recorder from now on what the loop does. On the loop's own thread.
  ///
  /// - Returns: whether the loop has not ended.
  func begin(_ recorder: any LoopRecorder) -> Bool {
    attachment.withLock { attachment in
      guard let loop = attachment.loop else { return false }
      recorders.withLock { $0.append(recorder) }
      isRecorded.store(true, ordering: .relaxed)
      (loop as? SystemLoop)?.watchActivities()
      return true
    }
  }

  /// Tells a recorder nothing more, except for what is being told just now. On any thread.
  func end(_ recorder: any LoopRecorder) {
    attachment.withLock { attachment in
      let isLast = recorders.withLock { recorders in
        recorders.removeAll { $0 === recorder }
        return recorders.isEmpty
      }
      guard isLast else { return }
      isRecorded.store(false, ordering: .relaxed)
      (attachment.loop as? SystemLoop)?.unwatchActivities()
    }
  }

  /// The loop has ended.
  func endRecorders() {
    isRecorded.store(false, ordering: .relaxed)
    for recorder in recorders.withLock({ exchange(&$0, with: []) }) { recorder.loopEnds() }
  }

  func tellRecorders(_ body: (any LoopRecorder) -> Void) { recorders.withLock { $0 }.forEach(body) }

  // MARK: Work

  /// Does a piece of work, and tells the recorders when it begins and ends. On the loop's own thread.
  @inline(__always)
  func perform(_ kind: @autoclosure () -> RecordedWork.Kind, _ object: AnyObject, _ body: () -> Void) {
    if isRecorded.load(ordering: .relaxed) {
      let id = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
      performRecorded(RecordedWork(kind: kind(), id: id), body)
    } else {
      body()
    }
  }

  @inline(never)
  private func performRecorded(_ work: RecordedWork, _ body: () -> Void) {
    var marker: UInt8 = 0
    let frame = withUnsafePointer(to: &marker) { UInt(bitPattern: $0) }
    tellRecorders { $0.workBegins(work, at: frame) }
    body()
    tellRecorders { $0.workEnds(work.id) }
  }

  @inline(never)
  func callRecorded(_ task: RunLoopTask) {
    let lateBy = task.options.flatMap { $0.dueDate.map { max(0, clock.now - $0) } }
    let work = RecordedWork(kind: .task(TaskOrigin(task), task.timing, lateBy: lateBy), id: task.recordedID)
    performRecorded(work) { task.callClosure() }
  }

}

extension RunLoopTask {
  // Methods of the task, not of its scheduler: a call of that would count references to it, recorded or not.

  /// Tells that the task is about to become pending. On any thread.
  @inline(never)
  func tellScheduled() {
    var arrow: UInt64?
    // The thread that posts may have a loop itself.
    ThreadLocalScheduler.scheduler?.withUnretained { sender in
      guard sender !== scheduler, sender.isRecorded.load(ordering: .relaxed) else { return }
      let number = nextArrow.wrappingAdd(1, ordering: .relaxed).newValue
      sender.tellRecorders { $0.workPosts(arrow: number) }
      arrow = number
    }
    scheduler.tellRecorders { $0.taskWasScheduled(recordedID, arrow: arrow) }
  }

  /// Tells that nothing more comes of the task. On any thread.
  @inline(never)
  func tellOver() { scheduler.tellRecorders { $0.taskIsOver(recordedID) } }
}

/// Numbers the tasks that the work of one loop posts to another one, in the whole process.
private let nextArrow = Atomic<UInt64>(0)

extension TaskOptions {
  /// When the task became due; `nil` without a delay.
  fileprivate var dueDate: Int64? { delayEnd > .min ? min(max(delayEnd, intervalEnd), leastLimitEnd) : nil }
}
