import Foundation
import RunLoopTasks

#if canImport(Darwin)
  import os

  private let signposter = OSSignposter(subsystem: "RunLoopTasks", category: "Tasks")

  /// A task as an interval in Instruments.
  struct Signpost {
    private let interval: OSSignpostIntervalState

    /// `nil` for all but tasks.
    init?(_ span: Span) {
      guard case .work(.task(let origin, let timing, _)) = span, signposter.isEnabled else { return nil }
      interval = signposter.beginInterval(
        "Task", id: signposter.makeSignpostID(),
        "\(origin.description, privacy: .public) (\(String(describing: timing), privacy: .public))")
    }

    func end() { signposter.endInterval("Task", interval) }
  }
#else
  /// There is no Instruments here.
  struct Signpost {
    init?(_: Span) { return nil }
    func end() {}
  }
#endif
