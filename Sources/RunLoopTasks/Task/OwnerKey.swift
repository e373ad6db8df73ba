/// A key that belongs to an object, for work that an object needs once.
///
/// ```swift
/// func setNeedsReload() {
///   RunLoop.current.perform { self.tableView.reloadData() }
///     .when(.currentLoopEnded)
///     .forModes(.common)
///     .coalesced(by: OwnerKey(self))  // once for this view
/// }
/// ```
///
/// Give each kind of work of one owner a name of its own:
///
/// ```swift
/// func textDidChange(to text: String) {
///   RunLoop.current.perform { self.search(for: text) }
///     .after(.milliseconds(300))
///     .forModes(.common)
///     .coalesced(by: OwnerKey(self, "search"))
/// }
/// ```
///
/// Two keys are equal if they were made of the same object, with equal names of the same type. A key never equals one
/// of another object, even if that lies where the first one was, as can happen with `ObjectIdentifier`. A key doesn't
/// keep its owner alive, and comparing keys doesn't touch the owner.
///
/// The owner may be any object, on any thread and of any actor. In its `deinit`, use a key that you made before: one
/// that is made there may differ from earlier ones.
public struct OwnerKey: Hashable, Sendable {
  // Three words at most, so that an existential has room for a key.
  private let owner: OwnerIdentity
  /// `nil` for an empty string.
  private let boxedName: Name?
  var isUnnamed: Bool { boxedName == nil }

  /// Makes a key of an object.
  ///
  /// - Parameters:
  ///   - owner: the object.
  ///   - name: what distinguishes the owner's keys from each other, such as a string or a case of an enumeration, which
  ///     must be `nonisolated` where the main actor is the default isolation. Its `==` and `hash(into:)` must not lock,
  ///     block, schedule or post.
  /// - Complexity: O(1).
  public init(_ owner: AnyObject, _ name: some Hashable & Sendable = "") {
    (self.owner, boxedName) = (OwnerIdentity(owner), Self.isEmptyString(name) ? nil : Name(name))
  }

  var name: any Hashable & Sendable { boxedName?.value ?? "" }

  /// A cast would take longer than all the rest.
  private static func isEmptyString<Value>(_ value: Value) -> Bool {
    Value.self == String.self && unsafeBitCast(value, to: String.self).isEmpty  // safe, since the types are the same
  }

  /// Whether two keys belong to one object and have equal names.
  public static func == (one: OwnerKey, other: OwnerKey) -> Bool {
    guard one.owner == other.owner else { return false }
    guard let name = one.boxedName, let otherName = other.boxedName else { return one.boxedName === other.boxedName }
    return TaskKey.areEqual(name.value, otherName.value)
  }

  /// Hashes the identity of the owner and the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(owner)
    boxedName?.value.hash(into: &hasher)
  }

  private final class Name: Sendable {
    let value: any Hashable & Sendable
    init(_ value: any Hashable & Sendable) { self.value = value }
  }
}

// Reflection would read the reference in `OwnerIdentity`.
extension OwnerKey: Opaque, CustomStringConvertible {
  /// The name of the key, if it has one.
  public var description: String { isUnnamed ? "OwnerKey" : "OwnerKey(\(String(reflecting: name)))" }
}
