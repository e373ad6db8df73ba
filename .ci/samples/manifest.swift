import PackageDescription

@resultBuilder enum Manifest {
  static func buildExpression(_ dependency: Package.Dependency) {}
  static func buildExpression(_ target: Target) {}
  static func buildBlock(_ part: Void) {}
}

@Manifest func sample() {
// SAMPLE
}
