// Prints what the compiler says of its target, given as `swiftc -print-target-info`: `… | swift .ci/target-info.swift triple`
// or `… resources`, the folder of the toolchain's own modules.
import Foundation

struct TargetInfo: Decodable {
  struct Target: Decodable { let triple: String }
  struct Paths: Decodable { let runtimeResourcePath: String }
  let target: Target
  let paths: Paths
}

let info = try JSONDecoder().decode(TargetInfo.self, from: FileHandle.standardInput.readDataToEndOfFile())
print(CommandLine.arguments.last == "triple" ? info.target.triple : info.paths.runtimeResourcePath)
