import Foundation
import Library
import RunLoopMain

useLibrary()
await withCheckedContinuation { (timer: CheckedContinuation<Void, Never>) in
  RunLoop.main.add(Timer(fire: .now, interval: 0, repeats: false) { _ in timer.resume() }, forMode: .common)
}
print("a timer")
