// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "RunLoopTasks",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RunLoopTasks", targets: ["RunLoopTasks"])
  ],
  targets: [
    .target(name: "RunLoopTasks"),
    .executableTarget(name: "Demo", dependencies: ["RunLoopTasks"], path: "Demo", exclude: ["recording.svg"]),
    .executableTarget(name: "Benchmarks", dependencies: ["RunLoopTasks"]),
    // A program of its own, because the test runner never runs its main run loop on Linux.
    .executableTarget(name: "MainLoopProbe", dependencies: ["RunLoopTasks"], path: "Tests/MainLoopProbe"),
    // And one for the sanitizers' leak checker and valgrind, which the test runner is in the way of.
    .executableTarget(name: "Soak", dependencies: ["RunLoopTasks"], path: "Tests/Soak"),
    .testTarget(name: "RunLoopTasksTests", dependencies: ["RunLoopTasks", "Demo", "MainLoopProbe"]),
  ],
  swiftLanguageModes: [.v6]
)
