
extension BaseView {
  fileprivate func sample() {
// SAMPLE
  }
}
