import CGLib
import RunLoopHost

/// The main run loop as a `GSource`, for a GLib main loop.
///
/// A program has one, as long as it runs.
public enum MainLoopSource {
  // All of these belong to the main thread, on which GLib calls the functions.
  nonisolated(unsafe) private static let loop = EmbeddedMainLoop()
  nonisolated(unsafe) private static var functions = GSourceFuncs(
    prepare: { _, timeout in
      timeout?.pointee = -1
      return loop.prepareToSleep() ? 1 : 0
    },
    check: { source in source.map { g_source_query_unix_fd($0, tag) } == G_IO_IN ? 1 : 0 },
    dispatch: { _, _, _ in
      loop.runPass()
      return 1
    },
    finalize: nil, closure_callback: nil, closure_marshal: nil)
  nonisolated(unsafe) private static var tag: gpointer?

  /// Adds the main loop to a context.
  public static func add(to context: OpaquePointer?, priority: Int32 = G_PRIORITY_DEFAULT) {
    let source = g_source_new(&functions, guint(MemoryLayout<GSource>.size))
    tag = g_source_add_unix_fd(source, loop.fileDescriptor, G_IO_IN)
    g_source_set_priority(source, priority)
    g_source_set_can_recurse(source, 1)
    g_source_attach(source, context)
    g_source_unref(source)
  }
}
