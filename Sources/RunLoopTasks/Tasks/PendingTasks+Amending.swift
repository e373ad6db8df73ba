// Changes to pending tasks, and the passing of time.
extension PendingTasks {
  mutating func setTiming(of task: RunLoopTask, to timing: RunLoopTask.Timing) {
    if task.timing != timing { change(task) { task.timing = timing } }
  }

  /// - Parameter new: the modes, at least one and none twice.
  mutating func setModes(of task: RunLoopTask, to new: [ModeID]) {
    let isWaiting = task.whereabouts == .waiting
    if isWaiting { task.forEachMode { modes[Int($0.index)].waitingCount -= 1 } }
    change(task) { task.setModeIDs(new) }
    if isWaiting { for mode in new { modes[Int(mode.index)].waitingCount += 1 } }
  }

  mutating func setOrder(of task: RunLoopTask, to order: Int) {
    if task.order != order { change(task) { task.makeOptions().order = order } }
  }

  /// Makes a task wait until a date. A date that has passed is no delay.
  mutating func setDelayEnd(of task: RunLoopTask, to date: Int64, at now: Int64) {
    guard date > now || task.whereabouts == .waiting else { return }
    leave(task)
    task.makeOptions().delayEnd = date
    putInLine(task, at: now)
  }

  /// Lets a task wait until the interval of its key has ended; `.min` for none.
  mutating func setIntervalEnd(of task: RunLoopTask, to date: Int64, at now: Int64) {
    guard date > .min || task.options?.intervalEnd ?? .min > .min else { return }
    let options = task.makeOptions()
    let old = options.intervalEnd
    options.intervalEnd = date
    guard task.hasPlace, !task.isOverdue, max(date, now) != max(old, now) else { return }
    leave(task)
    if date > now { wait(task, until: date) } else { endInterval(of: task) }
  }

  mutating func setLimitEnd(of task: RunLoopTask, to date: Int64, at now: Int64) {
    task.makeOptions().limitEnd = date
    setLimitAlarm(of: task, at: now)
  }

  /// Makes a task overdue if its limit has passed; otherwise sets the alarm for it.
  mutating func setLimitAlarm(of task: RunLoopTask, at now: Int64) {
    removeLimitAlarm(of: task)
    guard let options = task.options else { return }
    let end = options.leastLimitEnd
    if end <= now { return makeOverdue(task, at: now) }
    if task.isOverdue {
      // Its limit was put off.
      leave(task)
      task.isOverdue = false
      takePlace(task, at: now)
    }
    if end < .max { alarms.add(end, .limit(task)) }
  }

  /// Makes a task due at any activity. This ends its waiting.
  private mutating func makeOverdue(_ task: RunLoopTask, at now: Int64) {
    guard task.whereabouts == .waiting else { return change(task) { task.isOverdue = true } }
    leave(task)
    task.isOverdue = true
    endWait(of: task, at: now)
  }

  mutating func removeLimitAlarm(of task: RunLoopTask) {
    if let alarm = task.options?.limitAlarm.take() { alarms.remove(at: alarm) }
  }

  /// Removes a task, and gives its place and its limit to another task. A task that waits for its delay has no place.
  /// Batches in progress do not run the other task.
  mutating func replace(_ old: RunLoopTask, by task: RunLoopTask, at now: @autoclosure () -> Int64) {
    let (position, hasPlace) = (old.position, old.hasPlace)
    remove(old)
    if old.options?.leastLimitEnd ?? .max < .max {
      task.inheritLimit(of: old)
      setLimitAlarm(of: task, at: now())
    }
    guard hasPlace, task.hasPlace else { return }
    // If the two have the latest positions, nothing is between them and no batch has begun since, so the place is the
    // same.
    if task.position == position + 1, nextPosition == position + 2 { return }
    let ready = takePosition()
    change(task) {
      task.makeOptions().readyPosition = ready
      task.position = position
    }
  }

  /// Handles the alarms up to a date. Tasks whose delay has ended come into line, and tasks whose limit has passed
  /// become overdue.
  mutating func letTimePass(until now: Int64) {
    while let event = alarms.removeFirst(notAfter: now) {
      switch event {
      case .wait(let task):
        noteEndOfWait(of: task)
        endWait(of: task, at: now)
      case .limit(let task):
        task.options?.limitAlarm = nil
        makeOverdue(task, at: now)
      }
    }
  }
}
