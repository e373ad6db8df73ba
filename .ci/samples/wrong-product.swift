// Code that lacks an import. `.ci/check-samples` checks that each marked line has its message, and that no other line has
// one.
import Foundation
import RunLoopTasks
import Testing

func virtualTime() {
  // expected-error@+1 {{Import RunLoopVirtualTime or RunLoopTesting, which are products of this package}}
  _ = RunLoop.current.advance(by: .seconds(1))
}

func recordings() {
  // expected-error@+1 {{Import RunLoopTracing, which is a product of this package}}
  _ = RunLoop.current.trace()
  // expected-error@+1 {{Import RunLoopTracing, which is a product of this package}}
  _ = RunLoop.current.reportHangs(over: .seconds(1)) { print($0) }
}

// expected-error@+1 {{reference to member 'ownRunLoop' cannot be resolved without a contextual type}}
@Test(.ownRunLoop) func ownLoop() {}
