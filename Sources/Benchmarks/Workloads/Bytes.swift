extension Peer {
  /// Bytes of memory for a task that is scheduled and has not run.
  func bytesPending(_ scale: Scale) -> Double {
    bytes(per: scale.many) { methods in for left in 0..<scale.many { methods.schedule(left) } }
  }

  /// Bytes of memory kept for a task that was scheduled and cancelled, before the loop runs again.
  func bytesCancelled(_ scale: Scale) -> Double {
    bytes(per: scale.many) { methods in methods.cancelling?.oneByOne(scale.many) }
  }

  /// After a first task, which makes what is made once. In whole bytes, because one page more or less says nothing.
  private func bytes(per count: Int, _ body: (Methods) -> Void) -> Double {
    let methods = methods
    methods.prepare()
    Work.shared.expect(1) { methods.runBatch(of: 1) }
    let before = Memory.bytesInUse
    body(methods)
    return (Double(max(0, Memory.bytesInUse - before)) / Double(count)).rounded()
  }
}
