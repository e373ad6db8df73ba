// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "RunLoopTasks",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RunLoopTasks", targets: ["RunLoopTasks"]),
    // Runs the main loop below an async main on Linux.
    .library(name: "RunLoopMain", targets: ["RunLoopMain"]),
    // Embeds the main loop in another event loop on Linux.
    .library(name: "RunLoopHost", targets: ["RunLoopHost"]),
  ],
  targets: [
    .target(name: "RunLoopTasks"),
    .target(
      name: "RunLoopMainHook", path: "Sources/RunLoopMain", sources: ["RunLoopMain.c"], publicHeadersPath: "."),
    .target(
      name: "RunLoopMain", dependencies: ["RunLoopMainHook"], path: "Sources/RunLoopMain", exclude: ["RunLoopMain.c"]),
    .target(
      name: "RunLoopHostSystem", path: "Sources/RunLoopHost", sources: ["RunLoopHostSystem.c"], publicHeadersPath: "."),
    .target(
      name: "RunLoopHost", dependencies: ["RunLoopTasks", "RunLoopHostSystem"],
      exclude: ["RunLoopHostSystem.c", "RunLoopHostSystem.h"]),
    // Reads the command lines of the programs below.
    .target(name: "Arguments"),
    .executableTarget(
      name: "Demo", dependencies: ["RunLoopTasks", "Arguments"], path: "Demo",
      exclude: ["recording.svg", "recording~dark.svg"]),
    .executableTarget(name: "Benchmarks", dependencies: ["RunLoopTasks", "Arguments"]),
    // Makes the random choices of the tests and of the soak.
    .target(name: "Randomness", path: "Tests/Randomness"),
    // Tests the main run loop, which the program runs by hand.
    .executableTarget(name: "MainLoopProbe", dependencies: ["RunLoopTasks"], path: "Tests/MainLoopProbe"),
    // Tests the main run loop of a program with an async main, without `RunLoopMain` and with it.
    .executableTarget(name: "AsyncMainProbe", dependencies: ["RunLoopTasks"], path: "Tests/AsyncMainProbe"),
    .executableTarget(
      name: "RunLoopMainProbe", dependencies: ["RunLoopTasks", "RunLoopMain", "RunLoopHost", "OtherHooks"],
      path: "Tests/RunLoopMainProbe", exclude: ["OtherHooks.c", "OtherHooks.h"]),
    .target(
      name: "OtherHooks", path: "Tests/RunLoopMainProbe", sources: ["OtherHooks.c"], publicHeadersPath: "."),
    // Tests the main run loop inside a loop of poll().
    .executableTarget(
      name: "PollHostProbe", dependencies: ["RunLoopTasks", "RunLoopHost", "RunLoopHostSystem"],
      path: "Tests/PollHostProbe"),
    // Works many loops at once. The test runner would disturb valgrind and the leak check of the address sanitizer.
    .executableTarget(name: "Soak", dependencies: ["RunLoopTasks", "Arguments", "Randomness"], path: "Tests/Soak"),
    .testTarget(
      name: "RunLoopTasksTests",
      dependencies: [
        "RunLoopTasks", "RunLoopMain", "Demo", "MainLoopProbe", "AsyncMainProbe", "RunLoopMainProbe", "PollHostProbe",
        "Randomness",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
