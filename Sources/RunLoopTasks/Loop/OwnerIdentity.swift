// What tells an object from all others, for `OwnerKey`. It neither keeps the object alive nor looks at it later: to
// load a weak reference may release the object, and an Objective-C object that is being deallocated allows none.

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
  /// The side table of an object, in which its weak references meet. It outlives the object as long as there is one, so
  /// no other object gets its address meanwhile. The memory of the object itself is free once the object is gone.
  ///
  /// A class, because a copy of a weak reference to an object that is gone refers to nothing.
  final class OwnerIdentity: Hashable, @unchecked Sendable {
    // Unchecked, because both are constant, and the weak reference is never loaded.

    private struct Reference {
      weak var owner: AnyObject?
    }

    private let reference: Reference
    private let number: UInt

    init(_ owner: AnyObject) {
      reference = Reference(owner: owner)
      // A weak reference is one word: the address of the side table. In its `deinit` an object allows none, and the word
      // is zero. Then the number is an odd one, which is no address.
      let word = withUnsafeBytes(of: reference) { $0.load(as: UInt.self) }
      number = word == 0 ? dyingOwners.add(2, ordering: .relaxed).oldValue : word
    }

    static func == (one: OwnerIdentity, other: OwnerIdentity) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  private let dyingOwners = Atomic<UInt>(1)
#endif
