import CoreFoundation
import Foundation
import RunLoopMain

// A main that is not async runs its loop by hand.
RunLoop.main.perform {
  print("a block")
  CFRunLoopStop(CFRunLoopGetMain())
}
CFRunLoopRun()
print("the end")
