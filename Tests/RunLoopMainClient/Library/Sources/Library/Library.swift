import RunLoopMain

/// Does nothing, so that the library is linked.
public func useLibrary() {}
