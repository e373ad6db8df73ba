extension Peer {
  /// Nanoseconds a task: scheduling a batch before a run of the loop, which its last task stops.
  func batches(of size: Int, _ scale: Scale) -> Double {
    let methods = methods
    methods.prepare()
    return nanoseconds(per: size, for: scale.time) { Work.shared.expect(size) { methods.runBatch(of: size) } }
  }
}
