import Foundation

// Many loops at once, on threads that come and go, and everything that other threads may do to them. Each piece of work is
// accounted for. Says what was wrong, and exits with 1 if anything was.

private let options: Options
do {
  options = try Options(CommandLine.arguments.dropFirst())
} catch {
  Watch.say("\(error)\n\n\(Options.usage)")
  exit(64)
}
if options.wantsHelp {
  print(Options.usage)
  exit(0)
}
print("soak: \(options.seconds) s, \(options.loops) loops, --seed \(options.seed)")
fflush(nil)

/// Nothing of it outlives the call, so that what is then left is left for good.
@MainActor private func soak() -> Leftovers {
  let world = World(options)
  var random = Random(seed: options.seed)
  let mainLoop = Loop(world, 0)
  world.add(Slot(.main(mainLoop), isQuiet: false))
  Auditor.start(world)

  // What stays once it was used: the modes of the main loop, and Dispatch's own thread and descriptors, one for each clock.
  for mode: RunLoop.Mode in [.custom, .neverRun] { RunLoop.main.runPass(mode: mode) }
  Watch.during("the first ring on the main loop") {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { mainLoop.ring() }
    _ = RunLoop.main.run(mode: .default, before: .distantFuture)
    DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(1)) { mainLoop.ring() }
    _ = RunLoop.main.run(mode: .default, before: .distantFuture)
  }
  let before = Leftovers.now

  let conductor = Conductor(world: world, random: Random(seed: random.next()))
  let hasLeftLoop = DispatchSemaphore(value: 0)
  Thread {
    var conductor = conductor
    conductor.conduct()
    world.isDone.set()
    mainLoop.ring()
    hasLeftLoop.wait(for: "the last ring on the main loop")
  }.start()
  mainLoop.drive(random.next()) { world.isDone.isSet }
  hasLeftLoop.signal()
  mainLoop.doorbell.invalidate()
  world.isClosed.set()
  world.clear()
  return before
}

private let left = Leftovers.checkThatNothingIsLeft(but: soak())
print("\n\(Figure.table)\n\n\(left)")
print(Watch.complaints == 0 ? "all accounted for" : "\(Watch.complaints) complaints")
exit(Watch.complaints == 0 ? 0 : 1)
