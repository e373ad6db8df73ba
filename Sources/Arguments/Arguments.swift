import Foundation

/// The arguments of a command line, which the package's programs read one by one.
package struct Arguments {
  private var rest: ArraySlice<String>

  /// Reads this program's arguments.
  package init() { rest = CommandLine.arguments.dropFirst() }

  /// The next argument, which stays unread.
  package var first: String? { rest.first }

  /// Reads the next argument.
  package mutating func next() -> String? { rest.popFirst() }

  /// Reads the value that follows an option. The error message calls the value `kind`, for example "a file name".
  package mutating func value(of option: String, _ kind: String) throws(UsageError) -> String {
    guard let value = next(), !value.isEmpty, !value.hasPrefix("--") else {
      throw UsageError("\(option) needs \(kind)")
    }
    return value
  }

  /// Reads the number above zero that follows an option.
  package mutating func number(of option: String) throws(UsageError) -> Int {
    let value = try value(of: option, "a number")
    guard let number = Int(value), number > 0 else {
      throw UsageError("\(option) needs a number above zero, not '\(value)'")
    }
    return number
  }
}

/// The reason why a program does not accept its command line.
package struct UsageError: Error {
  private let message: String

  package init(_ message: String) { self.message = message }

  /// Ends the program. Prints the message and then the usage to the standard error.
  package func exit(usage: String) -> Never {
    printError("\(message)\n\(usage)")
    Foundation.exit(64)  // EX_USAGE
  }
}

/// Prints a message to the standard error, after the program's name.
package func printError(_ message: String) {
  FileHandle.standardError.write(Data("\(ProcessInfo.processInfo.processName): \(message)\n".utf8))
}
