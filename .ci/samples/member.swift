
@MainActor private final class Sample: View {
// SAMPLE
}
