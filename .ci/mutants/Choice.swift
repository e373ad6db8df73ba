// This becomes a part of the library, whose sources ask it at each place that may be mutated.

import Foundation

public enum Mutant {
  private static let chosen = getenv("MUTANT").flatMap { Int(String(cString: $0)) }

  private static func isOn(_ number: Int) -> Bool { number == chosen }

  public static func keep(_ number: Int) -> Bool { !isOn(number) }

  public static func always(_ number: Int, _ value: Bool) -> Bool { value || isOn(number) }
  public static func never(_ number: Int, _ value: Bool) -> Bool { value && !isOn(number) }
  public static func negated(_ number: Int, _ value: Bool) -> Bool { value != isOn(number) }

  public static func and(_ number: Int, _ one: Bool, _ other: @autoclosure () throws -> Bool) rethrows -> Bool {
    try isOn(number) ? one || other() : one && other()
  }
  public static func or(_ number: Int, _ one: Bool, _ other: @autoclosure () throws -> Bool) rethrows -> Bool {
    try isOn(number) ? one && other() : one || other()
  }

  public static func less<Value: Comparable>(_ number: Int, _ one: Value, _ other: Value) -> Bool {
    isOn(number) ? one <= other : one < other
  }
  public static func atMost<Value: Comparable>(_ number: Int, _ one: Value, _ other: Value) -> Bool {
    isOn(number) ? one < other : one <= other
  }
  public static func more<Value: Comparable>(_ number: Int, _ one: Value, _ other: Value) -> Bool {
    isOn(number) ? one >= other : one > other
  }
  public static func atLeast<Value: Comparable>(_ number: Int, _ one: Value, _ other: Value) -> Bool {
    isOn(number) ? one > other : one >= other
  }

  public static func number<Value: Numeric>(_ number: Int, _ value: Value) -> Value {
    isOn(number) ? value + 1 : value
  }

  // Unsigned numbers wrap around.
  public static func sum<Value: FixedWidthInteger>(_ number: Int, _ one: Value, _ other: Value) -> Value {
    isOn(number) ? one &- other : one &+ other
  }
  public static func difference<Value: FixedWidthInteger>(_ number: Int, _ one: Value, _ other: Value) -> Value {
    isOn(number) ? one &+ other : one &- other
  }
  public static func opposite<Value: FixedWidthInteger>(_ number: Int, _ value: Value) -> Value {
    isOn(number) ? 0 &- value : value
  }
}
