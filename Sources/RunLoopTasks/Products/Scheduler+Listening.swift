import Foundation

// What the engine tells listeners.
extension Scheduler {
  /// Something listens.
  @inline(__always)
  var isHeard: Bool { listeners.areThere }

  func tell(_ event: (any LoopListener) -> Void) { listeners.tell(event) }

  /// Does a piece of work, and tells when it begins and ends. On the loop's own thread.
  @inline(__always)
  func work(_ kind: @autoclosure () -> LoopWork.Kind, _ object: AnyObject, _ body: () -> Void) {
    if isHeard { workAloud(kind(), object, body) } else { body() }
  }

  @inline(never)
  private func workAloud(_ kind: LoopWork.Kind, _ object: AnyObject, _ body: () -> Void) {
    let work = LoopWork(kind: kind, id: UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    var marker: UInt8 = 0
    let frame = withUnsafePointer(to: &marker) { UInt(bitPattern: $0) }
    tell { $0.workBegins(work, at: frame) }
    body()
    tell { $0.workEnds(work.id) }
  }

  @inline(never)
  func callAloud(_ task: RunLoopTask) {
    let lateBy = task.options.flatMap { $0.dueDate.map { max(0, clock.now - $0) } }
    workAloud(.task(TaskOrigin(task), task.timing, lateBy: lateBy), task) { task.callClosure() }
  }
}

extension RunLoopTask {
  // Methods of the task, not of its scheduler: a call of that would count references to it, heard or not.

  @inline(never)
  func tellScheduled() { scheduler.tell { $0.taskIsScheduled(id) } }

  @inline(never)
  func tellOver() { scheduler.tell { $0.taskIsOver(id) } }

  /// The identity of the task for listeners, until it is released.
  private var id: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }
}

extension TaskOptions {
  /// When the task became due; `nil` without a delay.
  fileprivate var dueDate: Int64? { delayEnd > .min ? min(max(delayEnd, intervalEnd), leastLimitEnd) : nil }
}
