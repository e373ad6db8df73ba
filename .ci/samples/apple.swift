
#if canImport(Combine)
  import Combine

  @MainActor private final class Sample: NSObject {
    let queries = PassthroughSubject<String, Never>()
    let progress = PassthroughSubject<Double, Never>()
    let progressView = ProgressView()
    var subscription: AnyCancellable?
    var workItem: DispatchWorkItem?

    @objc func search() {}
    func search(for text: String) {}

    func sample() {
// SAMPLE
    }
  }
#endif
