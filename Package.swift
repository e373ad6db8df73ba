// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "RunLoopTasks",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RunLoopTasks", targets: ["RunLoopTasks"]),
    // Records what a loop does, and reports hangs.
    .library(name: "RunLoopTracing", targets: ["RunLoopTracing"]),
    // Runs the main loop below an async main on Linux.
    .library(name: "RunLoopMain", targets: ["RunLoopMain"]),
    // Lets delays pass without waiting: `RunLoop.advance(by:)`.
    .library(name: "RunLoopVirtualTime", targets: ["RunLoopVirtualTime"]),
    // Gives tests run loops of their own, or the main loop.
    .library(name: "RunLoopTesting", targets: ["RunLoopTesting"]),
    // Embeds the main loop in another event loop on Linux.
    .library(name: "RunLoopHost", targets: ["RunLoopHost"]),
  ],
  targets: [
    // MARK: the products
    .target(name: "RunLoopTasks"),
    .target(name: "RunLoopTracing", dependencies: ["RunLoopTasks"]),

    .target(name: "RunLoopMain", dependencies: ["RunLoopMainHook"]),
    .c("RunLoopMainHook", publicHeadersPath: "."),

    .target(name: "RunLoopVirtualTime", dependencies: ["RunLoopTasks"]),

    .target(name: "RunLoopTesting", dependencies: ["RunLoopTasks", "RunLoopVirtualTime", "RunLoopMain"]),

    .target(name: "RunLoopHost", dependencies: ["RunLoopTasks", "RunLoopHostSystem"]),
    .c("RunLoopHostSystem"),

    // MARK: programs to look at
    .executableTarget(
      name: "Demo", dependencies: ["RunLoopTasks", "RunLoopTracing", "Arguments"], path: "Demo",
      exclude: ["recording.svg", "recording~dark.svg"]),
    .executableTarget(name: "Benchmarks", dependencies: ["RunLoopTasks", "RunLoopVirtualTime", "Arguments"]),
    .target(name: "Arguments"),  // reads the command lines of programs

    // MARK: tests
    .testTarget(
      name: "RunLoopTasksTests",
      dependencies: [
        "RunLoopTasks", "RunLoopTracing", "RunLoopVirtualTime", "RunLoopMain", "RunLoopTesting", "Randomness",
      ] + programsOfTests),
    .testTarget(name: "RunLoopTestingTests", dependencies: ["RunLoopTasks", "RunLoopTesting"]),
    // Works many loops at once. The test runner would disturb valgrind and the leak check of the address sanitizer.
    .executableTarget(
      name: "Soak", dependencies: ["RunLoopTasks", "RunLoopVirtualTime", "Arguments", "Randomness"], path: "Tests/Soak"),
    .target(name: "Randomness", path: "Tests/Randomness"),  // makes the random choices of both

    // The main run loop, run by hand.
    .executableTarget(
      name: "MainLoopProbe", dependencies: ["RunLoopTasks", "RunLoopVirtualTime"], path: "Tests/MainLoopProbe"),
    // The main run loop of a program with an async main, without RunLoopMain and with it.
    .executableTarget(
      name: "AsyncMainProbe", dependencies: ["RunLoopTasks", "RunLoopVirtualTime"], path: "Tests/AsyncMainProbe"),
    .executableTarget(
      name: "RunLoopMainProbe",
      dependencies: ["RunLoopTasks", "RunLoopVirtualTime", "RunLoopMain", "RunLoopHost", "OtherHooks"],
      path: "Tests/RunLoopMainProbe"),
    .c("OtherHooks", path: "Tests/OtherHooks"),
    // The main run loop inside a loop of poll().
    .executableTarget(
      name: "PollHostProbe", dependencies: ["RunLoopTasks", "RunLoopHost", "RunLoopHostSystem"],
      path: "Tests/PollHostProbe"),
    // Reads lines, and must lose none that it has accepted.
    .executableTarget(name: "DaemonProbe", dependencies: ["RunLoopTasks"], path: "Tests/DaemonProbe"),
  ],
  swiftLanguageModes: [.v6]
)

/// The programs that the tests start.
var programsOfTests: [Target.Dependency] {
  ["Demo", "MainLoopProbe", "AsyncMainProbe", "RunLoopMainProbe", "PollHostProbe", "DaemonProbe"]
}

extension Target {
  /// A target in C.
  static func c(_ name: String, path: String? = nil, publicHeadersPath: String? = nil) -> Target {
    .target(name: name, path: path, publicHeadersPath: publicHeadersPath)
  }
}
