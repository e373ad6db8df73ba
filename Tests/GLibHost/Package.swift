// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because it needs GLib, which `.ci/check-hosts` installs. That builds and runs these programs.

let products = ["RunLoopTasks", "RunLoopHost"].map { Target.Dependency.product(name: $0, package: "RunLoopTasks") }
let package = Package(
  name: "GLibHost",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "RunLoopTasks", path: "../..")],
  targets: [
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    // The main loop in a `GSource`, and programs that test and measure it.
    .target(name: "MainLoopSource", dependencies: products + ["CGLib"]),
    .executableTarget(name: "GLibHost", dependencies: products + ["CGLib", "MainLoopSource"]),
  ],
  swiftLanguageModes: [.v6]
)
