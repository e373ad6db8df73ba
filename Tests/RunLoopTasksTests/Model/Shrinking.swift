@testable import RunLoopTasks

extension Script {
  /// The shortest script that still fails, as far as taking away one thing after the other finds it.
  func shrunk(_ fails: (Script) -> Bool) -> Script {
    var shortest = self
    var hasShrunk = true
    while hasShrunk {
      hasShrunk = false
      for shorter in shortest.shorter where fails(shorter) {
        shortest = shorter
        hasShrunk = true
        break
      }
    }
    return shortest
  }

  /// The scripts that have one thing less.
  private var shorter: [Script] {
    steps.shorter.map { Script(steps: $0, isRunToTheEnd: isRunToTheEnd, hasJobs: hasJobs) }
      + (isRunToTheEnd ? [Script(steps: steps, isRunToTheEnd: false, hasJobs: hasJobs)] : [])
  }
}

extension [Step] {
  /// A step left out, replaced by its body, or made simpler.
  fileprivate var shorter: [[Step]] {
    let without = indices.map { replacing($0, by: []) }
    let unwrapped = indices.filter { !self[$0].body.isEmpty }.map { replacing($0, by: self[$0].body) }
    let within = indices.flatMap { index in
      self[index].body.shorter.map { replacing(index, by: [Step(action: self[index].action, body: $0)]) }
    }
    let simpler = indices.flatMap { index in
      self[index].action.simpler.map { replacing(index, by: [Step(action: $0, body: self[index].body)]) }
    }
    return without + unwrapped + within + simpler
  }

  private func replacing(_ index: Int, by steps: [Step]) -> [Step] {
    Array(self[..<index]) + steps + Array(self[(index + 1)...])
  }
}

extension Action {
  /// The same with one thing less to think of.
  fileprivate var simpler: [Action] {
    switch self {
    case .perform(let number, let wish, let way):
      wish.simpler.map { .perform(number, $0, way) } + way.simpler.map { .perform(number, wish, $0) }
    case .amend(let number, let change, .other): [.amend(number, change, .own)]
    case .cancel(let number, .other): [.cancel(number, .own)]
    case .amend(let number, .key(let key, let interval), .own) where interval > 0:
      [.amend(number, .key(key, every: 0), .own)]
    case .cancelKey(let key, .other): [.cancelKey(key, .own)]
    case .cancelAll(.other): [.cancelAll(.own)]
    case .job(.other): [.job(.own)]
    case .budget(let allowance, .other): [.budget(allowance, .own)]
    case .observe(let activity, let mode, let order):
      mode == .default ? [] : [.observe(activity, .default, order: order)]
    case .timer(let mode): mode == .default ? [] : [.timer(.default)]
    case .source(let mode): mode == .default ? [] : [.source(.default)]
    case .run(let kind, let mode, let isKeptAlive):
      (mode == .default ? [] : [.run(kind, .default, keptAlive: isKeptAlive)])
        + (isKeptAlive ? [.run(kind, mode, keptAlive: false)] : [])
        + (kind == .poll || kind.isAdvance ? [] : [.run(.poll, mode, keptAlive: isKeptAlive)])
    default: []
    }
  }
}

extension Wish {
  fileprivate var simpler: [Wish] {
    var wishes: [Wish] = []
    func add(if isComplicated: Bool, _ change: (inout Wish) -> Void) {
      guard isComplicated else { return }
      var wish = self
      change(&wish)
      wishes.append(wish)
    }
    add(if: key != nil) { ($0.key, $0.interval) = (nil, 0) }
    add(if: isKeyFirst) { $0.isKeyFirst = false }
    add(if: interval > 0) { $0.interval = 0 }
    add(if: delay > 0) { $0.delay = 0 }
    add(if: limit > 0) { $0.limit = 0 }
    add(if: order != 0) { $0.order = 0 }
    add(if: modes != [.default]) { $0.modes = [.default] }
    for mode in modes { add(if: modes.count > 1) { $0.modes = [mode] } }
    add(if: timing != .currentLoopEnded) { $0.timing = .currentLoopEnded }
    return wishes
  }
}

extension Way {
  fileprivate var simpler: [Way] {
    switch self {
    case .chain: []
    case .queue(.own): [.chain]
    case .queue(.other), .otherChain: [.queue(.own), .chain]
    }
  }
}
