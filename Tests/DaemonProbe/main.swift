// A daemon that reads lines, stores them on a thread of its own, saves at most every 20 ms and ends at SIGTERM. Every
// line that it has accepted must be stored and saved. Its own feeder writes the lines, and more lines after SIGTERM if
// it floods.
//
//     feeder ─ pipe ─ reader ─ source ┬ actor ─ save        on the thread "store"
//                                     └ job of the actor ─ save
import Foundation
import RunLoopTasks
import Synchronization

final class Totals: Sendable {
  let accepted = Atomic(0)
  let stored = Atomic(0)
  let saved = Atomic(0)
}

let totals = Totals()
let store = RunLoopThread(name: "store")

actor Ledger {
  nonisolated var unownedExecutor: UnownedSerialExecutor { store.asUnownedSerialExecutor() }
  private var count = 0

  func add() {
    count += 1
    totals.stored.store(count, ordering: .relaxed)
    RunLoop.current.perform(coalescedBy: "save", atMostEvery: .milliseconds(20)) {
      totals.saved.store(totals.stored.load(ordering: .relaxed), ordering: .relaxed)
    }
  }
}

let ledger = Ledger()
let lines = RunLoopSource<String> { lines in
  for line in lines {
    if line.hasSuffix("0") {
      Task(executorPreference: store) { await ledger.add() }
    } else {
      ledger.assumeIsolated { $0.add() }
    }
  }
}
store.taskQueue.perform { RunLoop.current.add(lines, forMode: .common) }

// MARK: The end

let readerHasEnded = DispatchSemaphore(value: 0)
signal(SIGTERM, SIG_IGN)
let terminations = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
terminations.setEventHandler {
  store.stop(runningDelayedTasks: true)
  store.join()
  readerHasEnded.wait()
  let (accepted, saved) = (totals.accepted.load(ordering: .relaxed), totals.saved.load(ordering: .relaxed))
  print("accepted \(accepted), stored \(totals.stored.load(ordering: .relaxed)), saved \(saved)")
  exit(accepted == saved ? 0 : 1)
}
// Before that, the signal would be lost.
terminations.setRegistrationHandler { Thread.detachNewThread(feedLines) }
terminations.activate()

// MARK: The lines

let linesBeforeTheEnd = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 3
let floods = CommandLine.arguments.contains("flood")
signal(SIGPIPE, SIG_IGN)
var ends: [Int32] = [0, 0]
guard pipe(&ends) == 0, dup2(ends[0], STDIN_FILENO) == STDIN_FILENO else { fatalError("no pipe") }
close(ends[0])
let feed = ends[1]

Thread.detachNewThread {
  while readLine() != nil, lines.send("\(totals.accepted.load(ordering: .relaxed))") {
    totals.accepted.add(1, ordering: .relaxed)
  }
  close(STDIN_FILENO)
  readerHasEnded.signal()
}
@Sendable func feedLines() {
  for number in 1... {
    let isWritten = write(feed, "line\n", 5) == 5
    if number == linesBeforeTheEnd { kill(getpid(), SIGTERM) }
    if !isWritten || !floods && number == linesBeforeTheEnd { break }
    if number > linesBeforeTheEnd { usleep(20) }  // a drain may take the machine's time
  }
  close(feed)
}

RunLoop.main.run()
