#include "OtherHooks.h"

#ifdef __linux__
#include <stdlib.h>
#include <string.h>

// The code of `RunLoopMainHook` under other names. The weak reference to a hook that no runtime has is null.
#define constructor used
#define swift_task_asyncMainDrainQueue_hook hook_that_no_runtime_has
#define RunLoopMain_run RunLoopMain_run_without_hook
#define RunLoopMain_isTold RunLoopMain_isTold_without_hook
#include "../../Sources/RunLoopMainHook/RunLoopMainHook.c"
#undef constructor
#undef swift_task_asyncMainDrainQueue_hook

extern Hook swift_task_asyncMainDrainQueue_hook;
extern SWIFT_CALL void swift_task_asyncMainDrainQueue(void);

static SWIFT_CALL void run(Original original, SWIFT_CALL void (*override)(Original original)) {
  fputs("the other hook\n", stderr);
  original();
}

void setOtherHook(void) { swift_task_asyncMainDrainQueue_hook = run; }

void removeHook(void) { swift_task_asyncMainDrainQueue_hook = 0; }

// Before the constructors without a priority.
__attribute__((constructor(101))) static void setFirst(void) {
  const char *when = getenv("OTHER_HOOK");
  if (when && !strcmp(when, "before")) setOtherHook();
}

void installWithoutHook(void) { install(); }
void waitForEndOfMain(void) { swift_task_asyncMainDrainQueue(); }
#else
void setOtherHook(void) {}
void removeHook(void) {}
void installWithoutHook(void) {}
void waitForEndOfMain(void) {}
#endif
