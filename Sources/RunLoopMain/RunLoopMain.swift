// This module has no declarations. A program or a test target imports it, and on Linux its main thread runs the main
// run loop with an async main as well. `RunLoopMainHook` does that before `main` begins.

#if os(Linux)
  import Foundation  // so that the linker finds the run loop in dynamic and static libraries
#endif
