
extension View {
  fileprivate func sample() {
// SAMPLE
  }
}
