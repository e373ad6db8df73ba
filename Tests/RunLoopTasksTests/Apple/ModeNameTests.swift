import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// The name of the mode that a loop runs in: one object a mode, as long as there is the loop.
///
/// On Apple's platforms a short name may be no object at all, but a pointer that holds the letters.
@Suite struct ModeNameTests {
  private static let modes =
    [RunLoop.Mode.default] + ["a", "b", "A name that fits into no pointer", "Größe"].map { RunLoop.Mode($0) }

  @Test func eachModeKeepsItsNameAndHasNoOthers() {
    let (first, second) = onLoopThread { (Self.namesOfRuns(), Self.namesOfRuns()) }
    #expect(first == second)
    #expect(Set(first).count == Self.modes.count)
  }

  @Test func aRunNestedInARunOfTheModeHasTheSame() {
    onLoopThread {
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
  }

  /// Each run names its mode by a string of its own.
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
