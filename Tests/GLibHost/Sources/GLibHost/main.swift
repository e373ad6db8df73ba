import CGLib
import Foundation
import MainLoopSource
import RunLoopTasks

// The main run loop in a GLib main loop. `test` prints one event a line, which `.ci/check-hosts` compares; `measure`
// prints what it costs.

switch CommandLine.arguments.dropFirst().first {
case "test": test()
case "measure": measure()
default: fatalError("test or measure")
}
