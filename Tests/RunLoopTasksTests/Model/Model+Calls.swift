import Foundation

@testable import RunLoopTasks

// What is asked of the package: by the loop's own thread at once, by others when the loop's thread notices.
extension Model {
  mutating func receive(_ event: Event, from caller: Caller) {
    mail.append((event, now))
    if caller == .own { return readMail() }
    switch event {
    case .scheduled(let number, let wish, _): if let key = wish.key { coalesceMail(number, by: key) }
    case .amended(let number, .key(let key), _): coalesceMail(number, by: key)
    default: break
    }
  }

  /// Of the tasks that the loop's thread has not noticed, only the latest with a key stays, in the place of the first.
  private mutating func coalesceMail(_ number: TaskNumber, by key: Int) {
    guard let own = mail.lastIndex(where: { $0.event.isScheduling(number) }) else { return }
    let place = mail.firstIndex { item in
      guard case .scheduled(let other, let wish, _) = item.event, other != number else { return false }
      return tasks[other]?.state == .pending && latestKeyInMail(of: other, wish) == key
    }
    guard let place, case .scheduled(let old, _, _) = mail[place].event else { return }
    cancel(old)
    mail.swapAt(place, own)
  }

  private func latestKeyInMail(of number: TaskNumber, _ wish: Wish) -> Int? {
    mail.reduce(wish.key) { key, item in
      if case .amended(number, .key(let new), _) = item.event { new } else { key }
    }
  }

  /// The model after the loop's thread has noticed the calls of other threads.
  func withMailRead() -> Model {
    guard !mail.isEmpty else { return self }
    var model = self
    model.readMail()
    return model
  }

  mutating func readMail() {
    let read = mail
    mail = []
    for (event, asked) in read {
      now += 1
      switch event {
      case .scheduled(let number, let wish, _):
        guard var task = tasks[number] else { continue }
        guard task.state == .pending else {
          // One that was cancelled alone has replaced another before; one that was cancelled with all the others has not.
          if task.wasCancelledAlone, let key = wish.key { replaced(by: number, key).map { cancel($0.number) } }
          continue
        }
        (task.born, task.place, task.modesSince, task.isInLine) = (now, now, now, true)
        (task.mayRunSince, task.mustRunSince) = (asked, now)
        task.wish.key = nil
        tasks[number] = task
        if let key = wish.key { coalesce(number, by: key, asked) }
      case .amended(let number, let change, _):
        guard tasks[number]?.state == .pending else { continue }
        switch change {
        case .timing(let timing): tasks[number]?.wish.timing = timing
        case .modes(let modes):
          tasks[number]?.wish.modes = modes
          tasks[number]?.modesSince = now
        case .key(let key): coalesce(number, by: key, asked)
        }
      default: break
      }
    }
  }

  private mutating func coalesce(_ number: TaskNumber, by key: Int, _ asked: Int) {
    guard tasks[number]?.wish.key != key else { return }
    tasks[number]?.wish.key = key
    guard let replaced = replaced(by: number, key) else { return }
    cancel(replaced.number)
    tasks[number]?.place = replaced.place
    tasks[number]?.mayRunSince = asked
    tasks[number]?.mustRunSince = now
  }

  private func replaced(by number: TaskNumber, _ key: Int) -> Item? {
    tasks.values.first { $0.wish.key == key && $0.state == .pending && $0.isInLine && $0.number != number }
  }

  private mutating func cancel(_ number: TaskNumber) { tasks[number]?.state = .cancelled }
}

extension Event {
  fileprivate func isScheduling(_ number: TaskNumber) -> Bool {
    if case .scheduled(number, _, _) = self { true } else { false }
  }
}
