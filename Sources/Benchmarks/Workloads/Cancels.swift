extension Peer {
  /// Nanoseconds to schedule and cancel a task, with what is left behind cleared up after every hundred.
  func cancelling(_ scale: Scale, _ cancel: KeyPath<Cancelling, (Int) -> Void>) -> Double {
    let methods = methods
    guard let cancelling = methods.cancelling else { fatalError("\(self) does not cancel") }
    methods.prepare()
    let cancelAll = cancelling[keyPath: cancel]
    return nanoseconds(per: 100, for: scale.time) {
      Work.shared.expect(0) { cancelAll(100) }
      cancelling.settle()
    }
  }
}
