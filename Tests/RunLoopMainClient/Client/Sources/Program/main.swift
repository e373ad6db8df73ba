// Without Foundation, whose run loop the module has to bring along.
import Glibc
import RunLoopMain

@concurrent func leaveMainThread() async { await Task.yield() }  // not empty, so that it is not optimized away

let mainThread = pthread_self()
for _ in 1...100 { await leaveMainThread() }
print("on the main thread:", pthread_self() == mainThread)
