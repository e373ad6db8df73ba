// What tells an object from all others, for `OwnerKey`. It neither keeps the object alive nor looks at it later.
//
// A weak reference would not do: to compare it is to load it, and an Objective-C object that is being deallocated
// allows none.

import Foundation
import Synchronization

#if canImport(Darwin)
  /// The mark of an object. The object keeps it as long as it lives, and every identity of the object keeps it, too.
  struct OwnerIdentity: Hashable, Sendable {
    private final class Mark: Sendable {}

    private let mark: Mark

    init(_ owner: AnyObject) {
      // The lock's address is the key of the association.
      let key = UnsafeRawPointer(Unmanaged.passUnretained(marks).toOpaque())
      mark = marks.withLock { marks in
        if let mark = marks.get(owner, key) { return unsafeDowncast(mark, to: Mark.self) }  // nothing else has the key
        let mark = Mark()
        marks.set(owner, key, mark, 1)  // retained, by a policy without locks and autorelease
        return mark
      }
    }

    static func == (one: OwnerIdentity, other: OwnerIdentity) -> Bool { one.mark === other.mark }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(mark)) }
  }

  /// The functions of the Objective-C runtime that associate objects, by their C types: they take any object, and
  /// nothing is bridged.
  private struct Associations {
    let get = find("objc_getAssociatedObject", as: (@convention(c) (AnyObject, UnsafeRawPointer) -> AnyObject?).self)
    let set = find(
      "objc_setAssociatedObject", as: (@convention(c) (AnyObject, UnsafeRawPointer, AnyObject?, UInt) -> Void).self)

    private static func find<Function>(_ name: String, as _: Function.Type) -> Function {
      unsafeBitCast(dlsym(dlopen(nil, RTLD_NOW), name), to: Function.self)  // every process has the runtime
    }
  }

  private let marks = Locked(Associations())
#else
  /// The address of an object. No other object gets it while an identity of the object exists.
  struct OwnerIdentity: Hashable, @unchecked Sendable {
    // Unchecked, because the reference is never read.

    private let number: UInt
    /// Keeps the memory of the object from being used again. What the object refers to is released with the object. Not
    /// an optional: with Swift 6.3.1, copies of one on two threads may never end.
    private unowned let owner: AnyObject

    init(_ owner: AnyObject) {
      // In its `deinit`, an object allows no weak reference. It may lie on the stack then, so nothing may refer to it
      // later. Its number is an odd one, which is no address.
      weak let living = owner
      self.owner = living ?? nobody
      number =
        living == nil
        ? dyingOwners.add(2, ordering: .relaxed).oldValue : UInt(bitPattern: ObjectIdentifier(owner))
    }

    static func == (one: OwnerIdentity, other: OwnerIdentity) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  private final class Nobody: Sendable {}
  private let nobody = Nobody()
  private let dyingOwners = Atomic<UInt>(1)
#endif
