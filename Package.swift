// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "RunLoopTasks",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RunLoopTasks", targets: ["RunLoopTasks"])
  ],
  targets: [
    .target(name: "RunLoopTasks"),
    // Reads the command lines of the programs below.
    .target(name: "Arguments"),
    .executableTarget(
      name: "Demo", dependencies: ["RunLoopTasks", "Arguments"], path: "Demo",
      exclude: ["recording.svg", "recording~dark.svg"]),
    .executableTarget(name: "Benchmarks", dependencies: ["RunLoopTasks", "Arguments"]),
    // Makes the random choices of the tests and of the soak.
    .target(name: "Randomness", path: "Tests/Randomness"),
    // Tests the main run loop. On Linux the test runner never runs it, so this is a program of its own.
    .executableTarget(name: "MainLoopProbe", dependencies: ["RunLoopTasks"], path: "Tests/MainLoopProbe"),
    // Works many loops at once. The test runner would disturb valgrind and the leak check of the address sanitizer.
    .executableTarget(name: "Soak", dependencies: ["RunLoopTasks", "Arguments", "Randomness"], path: "Tests/Soak"),
    .testTarget(name: "RunLoopTasksTests", dependencies: ["RunLoopTasks", "Demo", "MainLoopProbe", "Randomness"]),
  ],
  swiftLanguageModes: [.v6]
)
