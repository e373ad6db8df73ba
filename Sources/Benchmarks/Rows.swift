/// A row of the table.
struct Row {
  enum Unit: String { case nanoseconds = "ns", bytes, milliseconds = "ms", tasks, dates, instructions }

  /// The way to measure a row.
  enum Measure {
    /// Batches of this size, perhaps all in one run of the loop. The benchmark can time them or count instructions.
    case batches(of: Int, inOneRun: Bool = false, (Peer) -> Batches)
    /// A figure whose instructions cannot be counted, because it varies or takes too long.
    case figure(Unit, (Peer) -> Double)
  }

  /// The name of the row on the command line.
  let name: String
  let section: String
  let title: String
  /// The peers that take part.
  let peers: [Peer]
  let measure: Measure
  /// The least ratio of Dispatch's figure to ours with which the benchmark passes.
  var bar: Double?

  /// Whether the count of its instructions is exact and takes seconds.
  var isCountable: Bool {
    ["batch-small", "debounce", "one-pass", "post-small", "pass-idle"].contains { name.hasPrefix($0) }
  }

  var unit: Unit { if case .figure(let unit, _) = measure { unit } else { .nanoseconds } }

  /// Takes a sample of a peer, in a process that has measured nothing before.
  func sample(_ peer: Peer, _ scale: Scale) -> Double {
    switch measure {
    case .batches(_, true, let prepare): prepare(peer)(scale.passes).nanoseconds / Double(scale.passes)
    case .batches(let size, false, let prepare): nanoseconds(per: size, for: scale.time, prepare(peer))
    case .figure(_, let figure): figure(peer)
    }
  }
}

/// The nanoseconds for each task, in as many batches of this size as fill the time.
///
/// - Returns: the median of the batches, which ignores a batch that another program has interrupted.
private func nanoseconds(per size: Int, for time: Duration, _ batches: Batches) -> Double {
  let times = max(1, 20 / size)  // reading the clock takes time, too
  var samples: [Double] = []
  let end = ContinuousClock.now + time
  _ = batches(1)  // the first batch touches new memory
  repeat {
    samples.append(batches(times).nanoseconds / Double(size * times))
  } while ContinuousClock.now < end
  return samples.median
}

/// The amount of work for one sample: the size of the large batches, the tasks beside which something comes, the
/// passes, the wake-ups of a sleeping loop, and the time for which short work is repeated.
struct Scale {
  let (many, backlog, passes, wakeUps): (Int, Int, Int, Int)
  let time: Duration

  static let full = Scale(many: 100_000, backlog: 1000, passes: 5000, wakeUps: 200, time: .milliseconds(50))
  static let quick = Scale(many: 2000, backlog: 50, passes: 100, wakeUps: 20, time: .milliseconds(2))
}

extension Row {
  /// The rows, in the order of the table.
  static func all(_ scale: Scale) -> [Row] {
    scheduling(scale) + passes(scale) + otherThreads(scale) + besideTasks(scale) + placing(scale) + advancing(scale) + [
      Row("bytes-pending", "Memory: a task", "pending", .bytes, everyone(.began)) { $0.bytes(per: scale.many, .began) }
    ]
  }

  private static func scheduling(_ scale: Scale) -> [Row] {
    let small = "perform {} and …, in batches of 100: a task"
    let large = "perform {} and …, in batches of \(grouped(scale.many)): a task"
    let single = "perform {} and …, one task and one pass"
    let (began, ended, common) = (".when(.nextLoopBegan)", ".when(.currentLoopEnded)", "… .forModes(.common)")
    let requests = scale.many / 2
    return [
      Row("batch-small-began", small, began, .began, 100),
      Row("batch-small-ended", small, ended, .ended, 100),
      Row("batch-small-default", small, "… .forModes([.default])", .endedDefault, 100),
      Row("batch-small-common", small, common, .endedCommon, 100),
      Row("batch-small-one-call", small, "perform(when: .currentLoopEnded, forModes: [.common])", .oneCall, 100),
      Row("batch-small-one-call-coalesced", small, "…, coalescedBy: \"reload\") [1]", .oneCallCoalesced, 100),
      Row("batch-small-one-call-owner", small, "…, coalescedBy: OwnerKey(owner)) [1]", .oneCallOwner, 100),
      Row("batch-small-coalesced", small, "… .coalesced(by: 1) [1]", .coalesced, 100),
      Row("batch-small-cancelled", small, "… .cancel() [1]", .cancelled, 100),
      Row("debounce", "A debounce of 300 ms", "asked for \(grouped(requests)) times [2]", .debounced, requests),
      Row("batch-large-ended", large, ended, .ended, scale.many),
      Row("batch-large-common", large, common, .endedCommon, scale.many),
      Row("one-pass-ended", single, ended, .ended, 1),
      Row("one-pass-common", single, common, .endedCommon, 1),
    ]
  }

  private static func passes(_ scale: Scale) -> [Row] {
    [
      Row("pass-idle", "A pass", "nothing pending [3]", [.ours, .floor], passesInOneRun: true) {
        if $0 == .ours { _ = $0.batches(of: 1, .began)(1) }
        return Benchmarks.passes()
      },
      Row("pass-idle-in-run", "A pass", "… first use in this run [3]", [.ours, .floor], passesInOneRun: true) {
        if $0 == .floor { return Benchmarks.passes() }
        return Benchmarks.passes { Peer.ours.require(.began).schedule(1) }
      },
      Row("pass-parked", "A pass", "\(grouped(scale.many)) pending elsewhere [4]", [.floor] + everyone(.parked)) {
        _ = ($0 == .floor ? .ours : $0).batches(of: 1, .began)(1)
        $0.method(for: .parked)?.schedule(batchOf: scale.many)
        return Benchmarks.passes()
      },
    ]
  }

  private static func otherThreads(_ scale: Scale) -> [Row] {
    let sent = "From another thread: a task"
    let hops = "To the main actor and back, below an async main: a job"
    return [
      Row("post-small", sent, "100, loop not running [5]", .posted, 100, posted: true),
      Row("post-small-coalesced", sent, "… coalescedBy: 1 [1] [5]", .postedCoalesced, 100, posted: true),
      Row("send-many", sent, "\(grouped(scale.many)), loop running", .nanoseconds, everyone(.sent), bar: 1.2) {
        $0.sends(of: scale.many, times: 4)
      },
      Row("send-one", sent, "one, loop sleeping", .nanoseconds, everyone(.sent)) {
        $0.sends(of: 1, times: scale.wakeUps)
      },
      Row("await-one", sent, "awaited by async code, loop sleeping [6]", .nanoseconds, [.ours, .dispatch, .task]) {
        $0.awaits(times: 10 * scale.wakeUps)
      },
      Row("hop", hops, "one after the other [7]", .nanoseconds, [.ours, .dispatch]) {
        $0.sendJobs(1, times: 10 * scale.wakeUps)
      },
      Row("hop-many", hops, "100 at once [7]", .nanoseconds, [.ours, .dispatch]) {
        $0.sendJobs(100, times: scale.wakeUps)
      },
      Row("thread", "A thread with a run loop", "start, one task, stop, join [8]", .nanoseconds, [.ours, .perform]) {
        $0.threads(times: 10 * scale.wakeUps)
      },
    ]
  }

  /// The rows of what comes beside many tasks.
  private static func besideTasks(_ scale: Scale) -> [Row] {
    let section = "Beside \(grouped(scale.backlog)) idle tasks, the longest wait"
    let late = Arrival.allCases.map { arrival in
      Row("late-\(arrival)", section, "\(arrival.rawValue) [9]", .milliseconds, [.ours, .dispatch, .idle]) {
        $0.wait(of: arrival, beside: scale.backlog).milliseconds
      }
    }
    let byHand = Arrival.allCases.map { arrival in
      Row(
        "late-by-hand-\(arrival)", section, "\(arrival.rawValue), slices by hand [11]", .milliseconds,
        [.ours, .dispatch, .task]
      ) {
        $0.wait(of: arrival, beside: scale.backlog, .byHand).milliseconds
      }
    }
    let budget = Row(
      "late-budget", section, "a timer, beside tasks with a budget [9]", .milliseconds, [.ours, .dispatch]
    ) {
      $0.wait(of: .timer, beside: scale.backlog, .ended, budget: $0 == .ours ? .milliseconds(4) : nil).milliseconds
    }
    let counted = Drive.allCases.flatMap { drive in
      let arrivals = Arrival.allCases.filter { $0 != .block || drive != .thread }
      return arrivals.map { arrival in
        Row("between-\(arrival)-\(drive)", section, "\(arrival.rawValue), \(drive.rawValue) [10]", .tasks, [.ours]) {
          $0.wait(of: arrival, and: arrivals, beside: scale.backlog, .idle, drive).tasks
        }
      }
    }
    return late + byHand + [budget] + counted
  }

  /// The rows of tasks that come into the middle of many others. A task should cost about as much in each size.
  private static func placing(_ scale: Scale) -> [Row] {
    [scale.many / 100, scale.many / 10, scale.many].map {
      Row("place-\($0)", "With 1,000 orders: a task", "\(grouped($0)) of them", .manyOrders, $0)
    }
  }

  /// The rows of virtual time.
  private static func advancing(_ scale: Scale) -> [Row] {
    Waiting.allCases.map { waiting in
      Row("dates-\(waiting)", "advance(by:), in a second of real time", waiting.rawValue, .dates, [.ours]) { _ in
        datesPerSecond(waiting, of: scale.passes)
      }
    }
  }

  /// The notes for the numbers in brackets.
  static let notes = [
    "[1] With the clean-up. Dispatch and Task cancel the task before; floor runs every task.",
    "[2] Each request replaces the one before; the last one is cancelled. perform: a Timer. Task: Task.sleep.",
    "[3] ours: a task of the package has run, before the run of the passes or in it; floor: without the package.",
    "[4] The tasks are in another mode. floor: after a task of the package has run, with no task pending.",
    "[5] ours: perform(when: .currentLoopEnded). The loop runs when the whole batch is scheduled.",
    "[6] ours: queue.run; Dispatch: async with a continuation; Task: MainActor.run.",
    "[7] ours: the main thread runs the loop, as with RunLoopMain; Dispatch: dispatchMain(), as without it.",
    "[8] ours: RunLoopThread; perform: a Thread that runs its loop until a block stops it, written by hand.",
    "[9] Each task takes 0.5 ms. What waits is due again at once, or after some tasks.",
    "[10] The same beside each other, in tasks that began meanwhile. A slice of 4 ms has eight tasks.",
    "[11] ours: idle tasks; Dispatch: main-queue blocks of 4 ms, each of which schedules the next; Task: Task.yield().",
  ]

  private static func everyone(_ job: Job) -> [Peer] { Peer.allCases.filter { $0.method(for: job) != nil } }

  /// A row of tasks that the loop's own thread schedules, or another one.
  private init(
    _ name: String, _ section: String, _ title: String, _ job: Job, _ size: Int, posted: Bool = false
  ) {
    self.init(
      name: name, section: section, title: title, peers: Self.everyone(job),
      measure: .batches(of: size) { posted ? $0.posts(of: size, job) : $0.batches(of: size, job) })
  }

  private init(
    _ name: String, _ section: String, _ title: String, _ peers: [Peer], passesInOneRun isOneRun: Bool = false,
    passes: @escaping (Peer) -> Batches
  ) {
    self.init(
      name: name, section: section, title: title, peers: peers, measure: .batches(of: 1, inOneRun: isOneRun, passes))
  }

  private init(
    _ name: String, _ section: String, _ title: String, _ unit: Unit, _ peers: [Peer], bar: Double? = nil,
    figure: @escaping (Peer) -> Double
  ) {
    self.init(name: name, section: section, title: title, peers: peers, measure: .figure(unit, figure), bar: bar)
  }
}
