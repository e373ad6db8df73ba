import CGTK
import Foundation
import RunLoopHost
import RunLoopTasks

// A GTK window to look at, with a list that reloads once in each pass. A thread adds 900 rows one by one, and each press of
// the button 100. With `test`, the program presses the button itself, and once all rows are there, it prints the window's
// counts and ends.

let isTest = CommandLine.arguments.dropFirst().first == "test"
let mainLoop = EmbeddedMainLoop()

g_unix_fd_add(
  mainLoop.fileDescriptor, G_IO_IN,
  { _, _, _ in
    MainActor.assumeIsolated { mainLoop.runPass() }
    return 1  // go on
  }, nil)

gtk_init()
let window = ListWindow()

Thread.detachNewThread {
  for number in 1...900 {
    MainActor.perform { window.add("Row \(number), by a thread") }
    if number % 100 == 0 { usleep(100_000) }
  }
  if isTest { MainActor.perform { window.pressButton() } }
}

while !window.isClosed, !(isTest && window.shownRows == 1_000) { g_main_context_iteration(nil, 1) }
if isTest { print(window.counts) }
