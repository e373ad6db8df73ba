// swift-tools-version: 6.2
import PackageDescription

// `.ci/check-async-main` builds and runs these programs.

let runLoopMain = Target.Dependency.product(name: "RunLoopMain", package: "RunLoopTasks")
let library = Target.Dependency.product(name: "Library", package: "Library")
let package = Package(
  name: "Client",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "RunLoopTasks", path: "../../.."),
    .package(name: "Library", path: "../Library"),
  ],
  targets: [
    .executableTarget(name: "Program", dependencies: [runLoopMain]),
    // A library imports RunLoopMain for it.
    .executableTarget(name: "Unaware", dependencies: [library]),
    .executableTarget(name: "Both", dependencies: [runLoopMain, library]),
    .executableTarget(name: "Sync", dependencies: [runLoopMain]),
    .testTarget(name: "ClientTests", dependencies: [runLoopMain, "Program"]),
  ]
)
