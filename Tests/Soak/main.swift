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

  // What stays once it was used: the modes of the main loop, and Dispatch's own thread and descriptors, one for each clock.
  RunLoop.main.runPass(mode: .custom)
  DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { mainLoop.ring() }
  _ = RunLoop.main.run(mode: .default, before: .distantFuture)
  DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(1)) { mainLoop.ring() }
  _ = RunLoop.main.run(mode: .default, before: .distantFuture)
  let before = Leftovers.now

  Auditor.start(world)
  let conductor = Conductor(world: world, random: Random(seed: random.next()))
  Thread {
    var conductor = conductor
    conductor.conduct()
    world.isDone.set()
    mainLoop.ring()
  }.start()
  mainLoop.drive(random.next()) { world.isDone.isSet }
  mainLoop.doorbell.invalidate()
  world.clear()
  return before
}

private let left = Leftovers.checkThatNothingIsLeft(but: soak())
print("\n\(Figure.table)\n\n\(left)")
print(Watch.complaints == 0 ? "all accounted for" : "\(Watch.complaints) complaints")
exit(Watch.complaints == 0 ? 0 : 1)
