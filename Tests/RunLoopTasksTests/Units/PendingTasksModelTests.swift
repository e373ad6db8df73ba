import Testing

@testable import RunLoopTasks

/// Random calls of `PendingTasks`, compared with lists that are searched from end to end.
@Suite(.onOwnLoop) struct PendingTasksModelTests {
  private typealias Entry = SimplestTask

  private static let modes = [ModeID.default, .common, .custom, .other]
  private static let orders = [0, 0, 0, -1, 2]
  private var tasks = PendingTasks()
  private var random = SplitMix(state: 0)
  private var entries: [Entry] = []
  private var now: Int64 = 0
  private var next: UInt64 = 1
  private var exits: [ModeID: UInt64] = [:]
  /// The batches under way, the innermost of which comes last.
  private var batches: [(number: UInt64, place: UInt64, mode: ModeID, isCommon: Bool, lists: ListSet)] = []

  @Test(arguments: UInt64(1)...60)
  mutating func theIndexOfPendingTasksDoesWhatTheSimplestCodeDoes(seed: UInt64) {
    random = SplitMix(state: seed)
    for _ in Self.modes { _ = tasks.addMode() }
    for number in 1...500 {
      step()
      // What is wrong stays wrong for a while, and this takes longer than all else.
      guard number.isMultiple(of: 10), let complaint = complaint() else { continue }
      return #expect(Bool(false), "\(complaint) at step \(number)")
    }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }
  private mutating func someModes() -> [ModeID] {
    Array(Self.modes.shuffled(using: &random).prefix(pick([1, 1, 1, 2, 3])))
  }
  private mutating func number() -> UInt64 {
    defer { next += 1 }
    return next
  }

  private mutating func step() {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<5: add()
    case 5..<11: if !entries.isEmpty { amend(pick(entries)) }
    case 11: letTimePass()
    case 12:
      let mode = pick(Self.modes)
      tasks.noteExit(of: mode)
      exits[mode] = next
      next += 1
    case 13: leftBehind()
    case 14..<16:
      let lists: [ListSet] = [[.nextLoopBegan, .overdue], [.currentLoopEnded, .overdue], .idle, [.idle, .overdue]]
      let isNested = pick([true, false])
      batches =
        (isNested ? batches.suffix(1) : []) + [
          (tasks.beginBatch(), number(), pick([.default, .custom, .other]), pick([true, false]), pick(lists))
        ]
    default: take()
    }
  }

  // MARK: In and out

  private mutating func add() {
    let (timing, modes) = (pick(RunLoopTask.Timing.allCases), someModes())
    let entry = Entry(makeTask(timing, modes: modes), timing, modes)
    if pick([true, false, false]) {
      (entry.order, entry.delayEnd) = (pick(Self.orders), now + pick([-5, 0, 10, 30]))
      entry.task.madeOptions.order = entry.order
      entry.task.madeOptions.delayEnd = entry.delayEnd
    }
    if pick([true, false, false]) {
      entry.limitEnd = now + pick([0, 5, 20, 40])
      entry.task.madeOptions.limitEnd = entry.limitEnd
    }
    tasks.add(entry.task, at: now)
    settle(entry)
    if entry.limitEnd < .max { setLimit(entry) }
    entries.append(entry)
  }

  private mutating func settle(_ entry: Entry) {
    entry.place = nil
    if entry.delayEnd <= now || entry.isOverdue {
      let place = number()
      (entry.place, entry.ready, entry.born) = (place, place, place)
    }
    waitOrStand(entry)
  }

  private mutating func waitOrStand(_ entry: Entry) {
    entry.isWaiting = entry.nextEnd > now && !entry.isOverdue
    entry.waitNumber = number()
  }

  private mutating func endWaiting(_ entry: Entry) {
    guard entry.place != nil else { return settle(entry) }
    entry.isWaiting = false
    entry.ready = number()
  }

  /// Considers a limit that was set.
  private mutating func setLimit(_ entry: Entry) {
    if entry.leastLimitEnd <= now { return makeOverdue(entry) }
    if entry.isOverdue {
      entry.isOverdue = false
      waitOrStand(entry)
    }
    entry.limitNumber = number()
  }

  private mutating func makeOverdue(_ entry: Entry) {
    entry.isOverdue = true
    if entry.isWaiting { endWaiting(entry) }
  }

  private mutating func amend(_ entry: Entry) {
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      entry.timing = pick(RunLoopTask.Timing.allCases)
      tasks.setTiming(of: entry.task, to: entry.timing)
    case 1:
      entry.modes = someModes()
      tasks.setModes(of: entry.task, to: entry.modes)
    case 2:
      entry.order = pick(Self.orders)
      tasks.setOrder(of: entry.task, to: entry.order)
    case 3:
      let date = now + pick([-1, 0, 10, 30])
      tasks.setDelayEnd(of: entry.task, to: date, at: now)
      guard date > now || entry.isWaiting else { return }
      entry.delayEnd = date
      settle(entry)
    case 4:
      let (date, old) = (now + pick([-1, 0, 10, 30]), max(entry.intervalEnd, now))
      tasks.setIntervalEnd(of: entry.task, to: date, at: now)
      entry.intervalEnd = date
      guard entry.place != nil, !entry.isOverdue, max(date, now) != old else { return }
      if date > now { waitOrStand(entry) } else { endWaiting(entry) }
    case 5:
      entry.limitEnd = now + pick([0, 5, 20, 40])
      tasks.setLimitEnd(of: entry.task, to: entry.limitEnd, at: now)
      setLimit(entry)
    case 6:
      let old = pick(entries)
      guard old !== entry else { return }
      tasks.replace(old.task, by: entry.task, at: now)
      entries.removeAll { $0 === old }
      if old.leastLimitEnd < .max {
        entry.inheritedLimitEnd = min(entry.inheritedLimitEnd, old.leastLimitEnd)
        setLimit(entry)
      }
      guard let place = old.place, entry.place != nil else { return }
      (entry.place, entry.ready) = (place, number())
    default:
      tasks.remove(entry.task)
      entries.removeAll { $0 === entry }
    }
  }

  private mutating func letTimePass() {
    now += pick([1, 10, 25])
    _ = tasks.letTimePass(until: now)
    while let (_, _, entry, isLimit) = nextAlarm() { if isLimit { makeOverdue(entry) } else { endWaiting(entry) } }
  }

  private func nextAlarm() -> (end: Int64, number: UInt64, entry: Entry, isLimit: Bool)? {
    let waits = entries.filter(\.isWaiting).map { ($0.nextEnd, $0.waitNumber, $0, false) }
    let limits = entries.filter { !$0.isOverdue }.map { ($0.leastLimitEnd, $0.limitNumber, $0, true) }
    return (waits + limits).filter { $0.0 <= now }.min { ($0.0, $0.1) < ($1.0, $1.1) }
  }

  // MARK: Batches

  private mutating func leftBehind() {
    batches = [
      (tasks.beginBatch(), number(), pick([.default, .custom, .other]), pick([true, false]), [.leftBehind, .overdue])
    ]
    while take() {}
    batches = []
  }

  @discardableResult
  private mutating func take() -> Bool {
    guard let batch = batches.randomElement(using: &random) else { return false }
    let eligible = entries.filter { entry in
      guard !entry.isWaiting, entry.ready < batch.place else { return false }
      return batch.lists.contains(list(of: entry).asSet)
        && (entry.modes.contains(batch.mode) || batch.isCommon && entry.modes.contains(.common))
    }
    let expected = eligible.min { ($0.order, $0.place!) < ($1.order, $1.place!) }
    let task = tasks.removeFirst(
      in: batch.lists, of: batch.mode, isCommon: batch.isCommon, batch: batch.number)
    #expect(task === expected?.task)
    entries.removeAll { $0 === expected }
    return expected != nil
  }

  /// What is wrong.
  private func complaint() -> String? {
    let inLine = entries.filter { !$0.isWaiting }.sorted { ($0.order, $0.place!) < ($1.order, $1.place!) }
    let waiting = entries.filter(\.isWaiting).sorted {
      ($0.nextEnd, $0.waitNumber) < ($1.nextEnd, $1.waitNumber)
    }
    if tasks.allInOrder.map(ObjectIdentifier.init) != (inLine + waiting).map({ ObjectIdentifier($0.task) }) {
      return "order"
    }
    for mode in Self.modes {
      let own = entries.filter { $0.modes.contains(mode) }
      if tasks.hasTasks(in: mode) == own.isEmpty { return "tasks in \(mode)" }
      for list in List.allCases {
        let isFilled = own.contains { !$0.isWaiting && self.list(of: $0) == list }
        if tasks.hasTasks(in: list.asSet, of: mode) != isFilled { return "\(list) in \(mode)" }
      }
    }
    let dates = waiting.map(\.nextEnd) + entries.map(\.leastLimitEnd).filter { $0 > now && $0 < .max }
    return tasks.earliestAlarm == dates.min() ? nil : "alarm"
  }

  private func list(of entry: Entry) -> List {
    if entry.isOverdue { return .overdue }
    guard entry.timing == .nextLoopBegan else { return List(entry.timing) }
    return entry.modes.contains { exits[$0, default: 0] > entry.born } ? .leftBehind : .fresh
  }
}

/// A pending task, in the simplest form.
private final class SimplestTask {
  let task: RunLoopTask
  var modes: [ModeID]
  var timing: RunLoopTask.Timing
  var order = 0
  var (delayEnd, intervalEnd, limitEnd) = (Int64.min, Int64.min, Int64.max)
  /// `nil` while the task waits for its delay.
  var place: UInt64?
  var isWaiting = false
  var inheritedLimitEnd = Int64.max
  var isOverdue = false
  var (ready, born) = (UInt64.max, UInt64.max)
  /// Tells which of two tasks has begun to wait first.
  var waitNumber: UInt64 = 0
  /// Tells when its limit was set.
  var limitNumber: UInt64 = 0

  init(_ task: RunLoopTask, _ timing: RunLoopTask.Timing, _ modes: [ModeID]) {
    (self.task, self.timing, self.modes) = (task, timing, modes)
  }

  var leastLimitEnd: Int64 { min(limitEnd, inheritedLimitEnd) }

  /// When the delay ends, or the interval that the task then waits for.
  var nextEnd: Int64 { place == nil ? delayEnd : intervalEnd }
}
