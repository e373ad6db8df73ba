#if canImport(Testing)
  /// A function that a thread may keep for ever although its caller only lends it.
  ///
  /// Swift Testing lends the function that runs a test. `withoutActuallyEscaping` makes a closure of it, and stops the
  /// process at its end if anybody still has that closure, as a thread that hangs in it does. So the thread gets a
  /// closure with the same code and a copy of the context, which exists for as long as the thread needs it.
  struct AbandonableFunction: Sendable {
    let call: @Sendable () async throws -> Void

    private init(_ call: @escaping @Sendable () async throws -> Void) { self.call = call }

    /// Calls `body` with a function that may outlive this call.
    ///
    /// - Parameters:
    ///   - function: the lent function.
    ///   - body: what may keep the function, and otherwise returns `true`.
    static func lend(_ function: @Sendable () async throws -> Void, to body: (AbandonableFunction) async -> Bool) async
    {
      let context = UnsafeMutableRawPointer.allocate(byteCount: contextSize, alignment: 16)
      let isDone = await withoutActuallyEscaping(function) { function in
        await body(copy(of: AbandonableFunction(function), context))
      }
      if isDone { context.deallocate() }
    }

    // On all platforms a closure is two words, of which the second refers to its context. This context is made above,
    // so it is known: a header of two words, one of them the number of references, and then the two words of the lent
    // function, which need no counting. References to the copy are counted in the copy's own header, and it isn't
    // released with the last one, because it starts with those of the original.

    private static let contextSize = 4 * MemoryLayout<Int>.size

    @inline(never)  // so that the original has that context, whatever the optimizer knows
    private static func copy(of original: AbandonableFunction, _ context: UnsafeMutableRawPointer)
      -> AbandonableFunction
    {
      let (code, originalContext) = unsafeBitCast(original, to: (UnsafeRawPointer, UnsafeRawPointer).self)
      context.copyMemory(from: originalContext, byteCount: contextSize)
      return unsafeBitCast((code, UnsafeRawPointer(context)), to: AbandonableFunction.self)
    }
  }
#endif
