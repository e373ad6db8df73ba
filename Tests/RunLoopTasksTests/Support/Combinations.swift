/// Each combination of three arguments. Swift Testing itself combines two.
func combinations<A, B, C>(_ first: [A], _ second: [B], _ third: [C]) -> [(A, B, C)] {
  first.flatMap { a in second.flatMap { b in third.map { (a, b, $0) } } }
}
