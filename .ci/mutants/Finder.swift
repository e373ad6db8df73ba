import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// One small change of the sources.
struct Mutant {
  let file: String
  let line: Int
  /// What names it, also when other lines have changed: file, function, the text of the line, and what is changed.
  let key: String
  /// What is written around a range of the source; # is the number of the mutant.
  let range: Range<Int>
  let (opening, closing): (String, String)
  /// An operator that becomes a comma between arguments.
  var comma: Range<Int>?

  func isInside(_ other: Mutant) -> Bool {
    file == other.file && other.range != range && other.range.contains(range.lowerBound)
      && range.upperBound <= other.range.upperBound
  }
}

// MARK: Finding mutants

final class Finder: SyntaxVisitor {
  private static let renamed = [
    "&&": ("and", "||"), "||": ("or", "&&"), "<": ("less", "<="), "<=": ("atMost", "<"), ">": ("more", ">="),
    ">=": ("atLeast", ">"), "+": ("sum", "-"), "-": ("difference", "+"), "&+": ("sum", "&-"),
    "&-": ("difference", "&+"),
  ]
  private let file: String
  private let lines: SourceLocationConverter
  private(set) var mutants: [Mutant] = []
  private var counts: [String: Int] = [:]

  init(_ source: String, file: String) {
    let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
    (self.file, lines) = (file, SourceLocationConverter(fileName: file, tree: tree))
    super.init(viewMode: .sourceAccurate)
    walk(tree)
  }

  private func add(
    _ change: String, _ node: some SyntaxProtocol, _ opening: String, _ closing: String = ")", comma: Range<Int>? = nil,
    atEnd: Bool = false
  ) {
    let range = atEnd ? node.bytes.upperBound..<node.bytes.upperBound : node.bytes
    let line = node.startLocation(converter: lines).line
    let text = lines.sourceLines[line - 1].trimmingCharacters(in: .whitespacesAndNewlines)
    let key = "\(file) | \(node.nameOfFunction) | \(text) | \(change)"
    let count = counts[key, default: 0] + 1
    counts[key] = count
    mutants.append(
      Mutant(
        file: file, line: line, key: count == 1 ? key : "\(key) (\(count))", range: range,
        opening: opening, closing: closing, comma: comma))
  }

  private func force(_ node: some SyntaxProtocol, _ value: Bool) {
    guard !node.is(BooleanLiteralExprSyntax.self) else { return }
    add("\(node.short) is always \(value)", node, "Mutant.\(value ? "always" : "never")(#, ")
  }

  // Other platforms, attributes and patterns stay as they are.
  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    node.condition?.trimmedDescription == "canImport(Darwin)" ? .skipChildren : .visitChildren
  }
  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  override func visit(_ node: ConditionElementListSyntax) -> SyntaxVisitorContinueKind {
    for element in node where element.condition.is(ExprSyntax.self) { force(element.condition, true) }
    if let last = node.last?.condition {
      add("\(node.short) is always false", last, ", Mutant.keep(#)", "", atEnd: true)
    }
    return .visitChildren
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    for value in [true, false] { force(node.condition, value) }
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    for value in [true, false] { force(node.condition, value) }
    return .visitChildren
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.operator.trimmedDescription
    if name == "&&" || name == "||" {
      for operand in [node.leftOperand, node.rightOperand]
      where operand.as(InfixOperatorExprSyntax.self)?.operator.trimmedDescription != name {
        force(operand, name == "&&")
      }
    } else if ["==", "!=", "===", "!==", "<", "<=", ">", ">="].contains(name), !node.isForced {
      add("\(node.short) is negated", node, "Mutant.negated(#, ")
    } else if name == "+=" || name == "-=" {
      add("\(name) becomes \(name == "+=" ? "-=" : "+=") in \(node.short)", node.rightOperand, "Mutant.opposite(#, ")
    }
    if let (function, other) = Self.renamed[name] {
      add("\(name) becomes \(other) in \(node.short)", node, "Mutant.\(function)(#, ", comma: node.operator.bytes)
    }
    return .visitChildren
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if node.operator.text == "!", !node.isForced { add("\(node.short) is negated", node, "Mutant.negated(#, ") }
    return .visitChildren
  }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    add("\(node.short) becomes one more", node, "Mutant.number(#, ")
    return .visitChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    add("\(node.short) is negated", node, "Mutant.negated(#, ")
    return .visitChildren
  }

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    if mayBeDropped(node) { add("\(node.short) is dropped", node, "if Mutant.keep(#) { ", " }") }
    return .visitChildren
  }

  private func mayBeDropped(_ node: CodeBlockItemSyntax) -> Bool {
    switch node.item {
    case .expr(let expression): isCallOrAssignment(expression) && !node.isValue
    case .stmt(let statement): statement.isEarlyExit
    default: false
    }
  }

  private func isCallOrAssignment(_ expression: ExprSyntax) -> Bool {
    if let attempt = expression.as(TryExprSyntax.self) { return isCallOrAssignment(attempt.expression) }
    if let call = expression.as(FunctionCallExprSyntax.self) {
      return call.calledExpression.trimmedDescription != "fatalError"
    }
    guard let infix = expression.as(InfixOperatorExprSyntax.self) else { return false }
    // An initializer has to give each property a value.
    let target = infix.leftOperand.trimmedDescription
    if infix.operator.is(AssignmentExprSyntax.self) {
      return !infix.isInInitializer || target.contains(".") && !target.hasPrefix("self.") && !target.hasPrefix("(")
    }
    return infix.operator.trimmedDescription.hasSuffix("=") && Self.renamed[infix.operator.trimmedDescription] == nil
  }
}

extension SyntaxProtocol {
  var bytes: Range<Int> {
    positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
  }

  /// The first line of its text.
  var short: String {
    let text = trimmedDescription
    let end = text.firstIndex(of: "\n") ?? text.endIndex
    return end == text.endIndex ? text : text[..<end] + " …"
  }

  var nameOfFunction: String {
    for node in sequence(first: Syntax(self), next: { $0.parent }) {
      if let function = node.as(FunctionDeclSyntax.self) { return function.name.text }
      if node.is(InitializerDeclSyntax.self) { return "init" }
      if node.is(DeinitializerDeclSyntax.self) { return "deinit" }
      if let variable = node.as(VariableDeclSyntax.self), !(node.parent?.is(CodeBlockItemSyntax.self) ?? false) {
        return variable.bindings.first!.pattern.trimmedDescription
      }
    }
    return "-"
  }

  /// Whether it is a condition or an operand of one, and another mutant forces its value.
  var isForced: Bool {
    guard let parent else { return false }
    if let infix = parent.as(InfixOperatorExprSyntax.self) {
      return ["&&", "||"].contains(infix.operator.trimmedDescription)
    }
    let condition = parent.as(TernaryExprSyntax.self)?.condition.id
    return parent.is(ConditionElementSyntax.self) || parent.is(WhereClauseSyntax.self) || condition == id
  }

  var isInInitializer: Bool {
    let functions: [any SyntaxProtocol.Type] = [
      ClosureExprSyntax.self, FunctionDeclSyntax.self, AccessorDeclSyntax.self,
    ]
    for node in sequence(first: Syntax(self), next: { $0.parent }) {
      if node.is(InitializerDeclSyntax.self) { return true }
      if functions.contains(where: { node.is($0) }) { return false }
    }
    return false
  }

  /// Whether it leaves a block that goes on otherwise.
  var isEarlyExit: Bool {
    guard let item = parent?.as(CodeBlockItemSyntax.self), let list = item.parent, let block = list.parent,
      !(block.parent?.is(GuardStmtSyntax.self) ?? false), !block.is(SwitchCaseSyntax.self)
    else { return false }
    if self.is(BreakStmtSyntax.self) || self.is(ContinueStmtSyntax.self) { return true }
    guard let exit = self.as(ReturnStmtSyntax.self) else { return false }
    if exit.expression == nil { return true }
    guard let condition = block.parent?.as(IfExprSyntax.self), condition.elseBody == nil,
      let outer = condition.parent?.parent?.as(CodeBlockItemSyntax.self)
    else { return false }
    return outer.id != outer.parent?.as(CodeBlockItemListSyntax.self)?.last?.id
  }
}

extension CodeBlockItemSyntax {
  /// Whether it is, or may be, the value of a function, a closure or an expression.
  var isValue: Bool {
    guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let owner = list.parent else {
      return false
    }
    if let choice = owner.as(SwitchCaseSyntax.self)?.parent?.parent { return Self.isValue(choice) }
    guard owner.is(CodeBlockSyntax.self), let user = owner.parent else { return true }
    if let function = user.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
    if let accessor = user.as(AccessorDeclSyntax.self) { return accessor.accessorSpecifier.text == "get" }
    if let choice = user.as(IfExprSyntax.self) {
      return (choice.elseBody != nil || choice.parent!.is(IfExprSyntax.self)) && Self.isValue(Syntax(choice))
    }
    return false
  }

  private static func isValue(_ choice: Syntax) -> Bool {
    if let outer = choice.parent?.as(IfExprSyntax.self) { return isValue(Syntax(outer)) }
    return choice.parent?.parent?.as(CodeBlockItemSyntax.self)?.isValue ?? true
  }
}
