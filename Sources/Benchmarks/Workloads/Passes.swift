/// Nanoseconds a pass, in one long run of a loop that is woken each time before it sleeps: the median of many.
///
/// Timed from the beginning of a sleep to the beginning of a later one, so entering and leaving the run is no part of it.
///
/// - Parameters:
///   - peer: who has run a task before; `nil` if nobody was ever used.
///   - parked: how many tasks it has pending in another mode.
func passes(afterUsing peer: Peer?, parked: Int, _ scale: Scale) -> Double {
  if let methods = peer?.methods {
    methods.prepare()
    Work.shared.expect(1) { methods.runBatch(of: 1) }
    for _ in 0..<parked { methods.park?() }
  }
  let chunk = 4  // how many passes are timed together: a look at the clock costs something too
  var passes = 0
  var samples: [Double] = []
  let begin = ContinuousClock.now
  var last = begin
  MainLoop.observe(.beforeWaiting) { _ in
    MainLoop.wake()
    passes += 1
    guard passes.isMultiple(of: chunk) else { return }
    let now = ContinuousClock.now
    // The first ones may have something to clear up.
    if passes > chunk { samples.append((now - last).nanoseconds / Double(chunk)) }
    last = now
    if !samples.isEmpty, now - begin >= scale.time { MainLoop.stop() }
  }
  Work.shared.expect(0) { MainLoop.run() }
  return samples.median
}
