// The system calls of `RunLoopHost`, most of which Swift does not see. Empty on Apple's platforms.

#if defined(__linux__)
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  int epoll;  // contains the others
  int event;
  int timer;
  int mainQueue;  // Dispatch's
} RunLoopHostDescriptors;

// Opens the descriptors, and makes sure that there are some left for the main loop and for Dispatch, which would crash
// without. Returns 0, an `errno`, -1 if Dispatch does not export its descriptor, or -2 if it has none.
int RunLoopHost_open(RunLoopHostDescriptors *descriptors);
void RunLoopHost_close(const RunLoopHostDescriptors *descriptors);

// Returns 0 or an `errno`.
int RunLoopHost_watch(int epoll, int descriptor);
void RunLoopHost_unwatch(int epoll, int descriptor);
bool RunLoopHost_isReadable(int descriptor);

// Makes an eventfd readable.
void RunLoopHost_signal(int event);
// Makes it unreadable.
void RunLoopHost_clear(int event);
// Makes a timerfd readable from a time of the monotonic clock on, in nanoseconds; 0 for never.
void RunLoopHost_setTimer(int timer, int64_t nanoseconds);

// This process was forked after the descriptors were opened. They belong to its parent.
bool RunLoopHost_isForked(void);
// `RunLoopMain` is part of the program.
bool RunLoopHost_isBesideRunLoopMain(void);
#endif
