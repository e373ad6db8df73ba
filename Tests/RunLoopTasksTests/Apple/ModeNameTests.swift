import CoreFoundation
import Foundation
import Testing

// Only the package sees this name; all that tells of it is which modes it takes to be equal.
@testable import RunLoopTasks

/// The name of the mode in which a loop runs: one object for each mode, for the lifetime of the loop.
///
/// On Apple's platforms a short name may be a pointer that contains the letters, instead of an object.
@Suite(.onOwnLoop) struct ModeNameTests {
  private static let modes =
    [RunLoop.Mode.default] + ["a", "b", "A name that fits into no pointer", "Größe"].map { RunLoop.Mode($0) }

  @Test func eachModeKeepsItsName() {
    let (first, second) = onLoopThread { (Self.namesOfRuns(), Self.namesOfRuns()) }
    #expect(first == second)
    #expect(Set(first).count == Self.modes.count)
  }

  @Test func aRunNestedInARunOfTheModeHasTheSameName() {
    let names = Box<[UInt]>([])
    performBlock(in: .custom) {
      names.add([Self.currentName])
      performBlock(in: .custom) { names.add([Self.currentName]) }
      poll(.custom)
      names.add([Self.currentName])
    }
    poll(.custom)
    #expect(names.value.count == 3)
    #expect(Set(names.value).count == 1)
  }

  /// Each run passes its mode as a new string.
  private static func namesOfRuns() -> [UInt] {
    modes.map { mode in
      let name = Box<UInt>(0)
      performBlock(in: mode) { name.value = currentName }
      poll(RunLoop.Mode(String(mode.rawValue.reversed().reversed())))
      return name.value
    }
  }

  private static var currentName: UInt {
    copyCurrentModeName(CFRunLoopGetCurrent()).map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0
  }
}
