
@MainActor private final class Sample: BaseView {
// SAMPLE
}
