// Prints a line for each public declaration of a library, from its symbol graphs: `swift .ci/list-api.swift GRAPH.json…`.
// Ends with an error if a declaration is not documented, or if a parameter is that it does not have: DocC overlooks those,
// and shows them as the text of the page.
import Foundation

struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Kind: Decodable { let identifier: String }
    struct Identifier: Decodable { let precise: String }
    struct Fragment: Decodable { let spelling: String }
    struct Comment: Decodable {
      struct Line: Decodable { let text: String }
      let lines: [Line]
    }

    let kind: Kind
    let identifier: Identifier
    let pathComponents: [String]
    let declarationFragments: [Fragment]?
    let docComment: Comment?

    var path: String { pathComponents.joined(separator: ".") }
    var declaration: String { (declarationFragments ?? []).map(\.spelling).joined() }
    var documentedParameters: [String] {
      (docComment?.lines ?? []).compactMap { line in
        line.text.firstMatch(of: #/^(?: *- Parameter |  - )([A-Za-z]+):/#).map { String($0.1) }
      }
    }
  }

  struct Relationship: Decodable {
    let kind: String
    let source: String
    let targetFallback: String?
  }

  let symbols: [Symbol]
  let relationships: [Relationship]
}

// The compiler gives these to every type.
let commonProtocols: Set = ["Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"]

var lines: Set<String> = []
var mistakes: [String] = []
for file in CommandLine.arguments.dropFirst() {
  let graph = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
  let symbols = graph.symbols.filter { $0.kind.identifier != "swift.extension" }
  for symbol in symbols {
    lines.insert("\(symbol.path): \(symbol.declaration)")
    if symbol.docComment == nil { mistakes.append("\(symbol.path) is not documented") }
    for name in symbol.documentedParameters where !symbol.declaration.contains(" \(name):") {
      if !symbol.declaration.contains("(\(name):") { mistakes.append("\(symbol.path) has no parameter \(name)") }
    }
  }
  let paths = Dictionary(symbols.map { ($0.identifier.precise, $0.path) }) { first, _ in first }
  for conformance in graph.relationships where conformance.kind == "conformsTo" {
    guard let path = paths[conformance.source], let target = conformance.targetFallback else { continue }
    if !commonProtocols.contains(target) { lines.insert("\(path): conforms to \(target)") }
  }
}
for line in lines.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) { print(line) }
for mistake in mistakes { FileHandle.standardError.write(Data("\(mistake)\n".utf8)) }
if !mistakes.isEmpty { exit(1) }
