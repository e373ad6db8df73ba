extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}

/// Keeps the processor busy.
func spin(for duration: Duration) {
  let end = ContinuousClock.now + duration
  while ContinuousClock.now < end {}
}

/// The nanoseconds that one of `units` takes, in as many batches of them as fill the time.
///
/// The first batch is not timed: it finds memory that nobody has touched yet.
///
/// - Returns: the median of the batches, so that one in which another program had the processor does not count.
func nanoseconds(per units: Int, for time: Duration, _ batch: () -> Void) -> Double {
  let repetitions = max(1, 20 / units)  // a look at the clock costs something too
  var samples: [Double] = []
  let end = ContinuousClock.now + time
  batch()
  var start: ContinuousClock.Instant
  repeat {
    start = .now
    for _ in 0..<repetitions { batch() }
    samples.append((ContinuousClock.now - start).nanoseconds / Double(units * repetitions))
  } while start < end
  return samples.median
}
