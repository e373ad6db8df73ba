/// How a peer takes back tasks that it was given.
struct Cancelling {
  /// Schedules tasks and cancels each at once.
  let oneByOne: (_ count: Int) -> Void
  /// Schedules all the tasks, then cancels all.
  let together: (_ count: Int) -> Void
  /// Clears up what cancelling leaves behind, for the peers that leave something.
  let settle: () -> Void

  init<Handle: AnyObject>(
    schedule: @escaping (_ left: Int) -> Handle, cancel: @escaping (Handle) -> Void, settle: @escaping () -> Void = {}
  ) {
    oneByOne = { for left in 0..<$0 { cancel(schedule(left)) } }
    together = { (0..<$0).map(schedule).forEach(cancel) }
    self.settle = settle
  }
}
