import Foundation
import RunLoopTasks

/// A part of what a loop does. Spans nest: run, pass, phase, work, and in the work perhaps another run.
enum Span {
  /// - Parameter isDriven: whether it is a pass that the package drives, which does not sleep.
  case run(RunLoop.Mode, isDriven: Bool)
  case pass
  case phase(Phase)
  case sleep
  case work(LoopWork.Kind)

  /// A part of a pass, from one activity to the next one.
  enum Phase: String {
    case entry, timers, sources, beforeWaiting, afterWaiting, exit

    init(_ activity: RunLoop.Activity) {
      switch activity {
      case .entry: self = .entry
      case .beforeTimers: self = .timers
      case .beforeSources: self = .sources
      case .beforeWaiting: self = .beforeWaiting
      case .afterWaiting: self = .afterWaiting
      default: self = .exit
      }
    }
  }
}

/// What is told about spans. Each end is that of the latest span that has begun and not ended.
protocol SpanSink {
  mutating func begins(_ span: Span, at time: Int64)
  mutating func ends(_ span: Span, at time: Int64)
}

/// Where the stack of the thread is.
@inline(never)
func stackAddress() -> UInt {
  var marker: UInt8 = 0
  return withUnsafePointer(to: &marker) { UInt(bitPattern: $0) }
}
