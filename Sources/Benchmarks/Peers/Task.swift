extension Methods {
  static var task: Methods {
    let schedule: @Sendable (Int) -> Void = { left in Task { @MainActor in Work.shared.run(left: left) } }
    // `Task.cancel` only leaves a note for a closure that still runs.
    return Methods(schedule: schedule, send: schedule)
  }
}
