// Makes the main thread run the main run loop below an async main on Linux, where Swift's runtime would give that thread
// to Dispatch. On Apple's platforms the runtime runs the loop itself, and this file is empty.

#if defined(__linux__) && !defined(__ANDROID__)
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SWIFT_CALL __attribute__((swiftcall))
typedef SWIFT_CALL void (*Original)(void);
typedef SWIFT_CALL void (*Hook)(Original original, SWIFT_CALL void (*override)(Original original));

// Swift's runtime exports the hook, but does not document it. The main thread calls it to wait for the end of an async
// main. The reference is weak, because another version of the runtime may lack the hook.
extern Hook swift_task_asyncMainDrainQueue_hook __attribute__((weak));

// The headers of CoreFoundation are not in the search path of a C target.
extern int CFRunLoopRunInMode(const void *mode, double seconds, unsigned char returnAfterSourceHandled);
extern const void *const kCFRunLoopDefaultMode;

// Neither is static, so that a program and its dynamic libraries share them, and no copy takes another for other code.
bool RunLoopMain_isTold;  // the hook was called, or a line has said that it was not

// A stop of the loop ends a run, and the next one begins. A run finishes only if its mode is empty. The main loop's modes
// never are, because they contain the main queue. So only another thread finishes, and does what it would do without this.
SWIFT_CALL void RunLoopMain_run(Original original, SWIFT_CALL void (*override)(Original original)) {
  enum { finished = 1 };
  const double noLimit = 1e10;
  RunLoopMain_isTold = true;
  while (CFRunLoopRunInMode(kCFRunLoopDefaultMode, noLimit, 0) != finished) {}
  original();
}

#define REPORT(cause) fputs("RunLoopMain: the main run loop does not run below an async main, because " cause \
  "; use a main that is not async, or a RunLoopThread\n", stderr)

// A runtime that no longer calls the hook gives the main thread to Dispatch as soon as an async main waits. That ends the
// thread, and an end of a thread calls the destructors of its values. A program that ends calls none.
static void checkHook(void *unused) {
  bool isMainThread = syscall(SYS_gettid) == getpid();
  if (!isMainThread || RunLoopMain_isTold) return;
  RunLoopMain_isTold = true;
  REPORT("Swift's runtime did not call swift_task_asyncMainDrainQueue_hook, or other code has changed it or called dispatchMain()");
}

static void checkHookAtEndOfThread(void) {
  pthread_key_t key;
  if (!pthread_key_create(&key, checkHook)) pthread_setspecific(key, &RunLoopMain_isTold);
}

__attribute__((constructor)) static void install(void) {
  if (!&swift_task_asyncMainDrainQueue_hook) {
    REPORT("Swift's runtime has no swift_task_asyncMainDrainQueue_hook");
  } else if (!swift_task_asyncMainDrainQueue_hook) {
    swift_task_asyncMainDrainQueue_hook = RunLoopMain_run;
    checkHookAtEndOfThread();
  } else if (swift_task_asyncMainDrainQueue_hook != RunLoopMain_run) {
    REPORT("other code has already set swift_task_asyncMainDrainQueue_hook");
  }
}
#endif
