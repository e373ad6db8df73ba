import Testing

@testable import RunLoopTasks

@Suite struct TaskKeyTests {
  private class Base: Hashable {
    let number: Int
    init(_ number: Int) { self.number = number }
    static func == (one: Base, other: Base) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }
  private final class First: Base {}
  private final class Second: Base {}
  private struct Wide: Hashable { var a = 1, b = "two", c = [3], d: Int? = nil }

  private func key(_ value: any Hashable) -> TaskKey { TaskKey(onOwnThread: value, atMostEvery: .zero) }

  @Test(arguments: [1, "one", Wide(), Int?.none, ObjectIdentifier(Base.self)] as [any Hashable & Sendable])
  func keysOfEqualValuesAreEqual(value: any Hashable & Sendable) {
    #expect(key(value) == key(value) && key(value).hashValue == key(value).hashValue)
  }

  @Test func keysOfUnequalValuesAreUnequal() {
    #expect(key(1) != key(2) && key("one") != key("two") && key(Wide()) != key(Wide(d: 4)))
  }

  @Test func keysOfDifferentTypesAreUnequal() {
    #expect(key(1) != key("1") && key(1) != key(1.0) && key(1) != key(UInt8(1)))
  }

  @Test func objectsAreComparedWhateverTheirClasses() {
    // `any Hashable` remembers the class that the compiler knew.
    let keys = [key(First(1) as Base), key(First(1)), key(Second(1))]
    for (one, other) in [(keys[0], keys[1]), (keys[1], keys[0]), (keys[1], keys[2])] {
      #expect(one == other && one.hashValue == other.hashValue)
    }
    #expect(keys[1] != key(First(2)) && keys[1] != key(Second(2)) && keys[1] != key(1))
  }

  @Test func anIntervalAndANumberThatIsNoneAreNoPartOfEquality() {
    #expect(TaskKey(1, atMostEvery: .seconds(1)) == TaskKey(1, atMostEvery: .zero))
    #expect(!key(Double.nan).isEqualToItself && key(0.0).isEqualToItself)
  }
}
