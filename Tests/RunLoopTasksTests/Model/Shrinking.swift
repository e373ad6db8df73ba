@testable import RunLoopTasks

extension Script {
  /// The shortest script that still fails, as far as taking away one step after the other finds it.
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

  /// The scripts that have one step less.
  private var shorter: [Script] {
    var ended = self
    ended.isRunToTheEnd = false
    return steps.shorter.map { steps in
      var script = self
      script.steps = steps
      return script
    } + (isRunToTheEnd ? [ended] : [])
  }
}

extension [Step] {
  /// A step left out or replaced by its body, here or in the body of another.
  fileprivate var shorter: [[Step]] {
    let without = indices.map { replacing($0, by: []) }
    let unwrapped = indices.filter { !self[$0].body.isEmpty }.map { replacing($0, by: self[$0].body) }
    let within = indices.flatMap { index in
      self[index].body.shorter.map { replacing(index, by: [Step(action: self[index].action, body: $0)]) }
    }
    return without + unwrapped + within
  }

  private func replacing(_ index: Int, by steps: [Step]) -> [Step] {
    Array(self[..<index]) + steps + Array(self[(index + 1)...])
  }
}
