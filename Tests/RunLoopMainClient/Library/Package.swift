// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Library",
  products: [.library(name: "Library", type: .dynamic, targets: ["Library"])],
  dependencies: [.package(name: "RunLoopTasks", path: "../../..")],
  targets: [
    .target(name: "Library", dependencies: [.product(name: "RunLoopMain", package: "RunLoopTasks")])
  ]
)
