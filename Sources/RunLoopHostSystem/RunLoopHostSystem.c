#if defined(__linux__)
#include "RunLoopHostSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Dispatch exports it for CoreFoundation, but does not document it. The reference is weak, because another version may
// lack it.
extern int _dispatch_get_main_queue_handle_4CF(void) __attribute__((weak));

extern void RunLoopMain_run(void) __attribute__((weak));

bool RunLoopHost_isBesideRunLoopMain(void) { return RunLoopMain_run != 0; }

static bool isForked;
static void noteFork(void) { isForked = true; }
static void observeForks(void) { pthread_atfork(0, 0, noteFork); }

bool RunLoopHost_isForked(void) { return isForked; }

// Returns 0 or an `errno`.
static int reserve(void) {
  enum { count = 24 };
  int spare[count], opened = 0, error = 0;
  while (opened < count && (spare[opened] = eventfd(0, EFD_CLOEXEC)) >= 0) opened++;
  if (opened < count) error = errno;
  while (opened > 0) close(spare[--opened]);
  return error;
}

int RunLoopHost_open(RunLoopHostDescriptors *all) {
  if (!_dispatch_get_main_queue_handle_4CF) return -1;
  all->epoll = epoll_create1(EPOLL_CLOEXEC);
  all->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  all->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  int error = all->epoll < 0 || all->event < 0 || all->timer < 0 ? errno : reserve();
  if (error) {
    RunLoopHost_close(all);
    return error;
  }
  all->mainQueue = _dispatch_get_main_queue_handle_4CF();
  int watched[] = {all->event, all->timer, all->mainQueue};
  for (int i = 0; i < 3; i++) {
    error = watched[i] < 0 ? -2 : RunLoopHost_watch(all->epoll, watched[i]);
    if (!error) continue;
    RunLoopHost_close(all);
    return error;
  }
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, observeForks);
  return 0;
}

void RunLoopHost_close(const RunLoopHostDescriptors *all) {
  if (all->epoll >= 0) close(all->epoll);
  if (all->event >= 0) close(all->event);
  if (all->timer >= 0) close(all->timer);
}

int RunLoopHost_watch(int epoll, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

void RunLoopHost_unwatch(int epoll, int descriptor) { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0); }

bool RunLoopHost_isReadable(int descriptor) {
  struct pollfd entry = {.fd = descriptor, .events = POLLIN};
  return poll(&entry, 1, 0) > 0;
}

void RunLoopHost_signal(int event) { eventfd_write(event, 1); }

void RunLoopHost_clear(int event) {
  eventfd_t number;
  eventfd_read(event, &number);
}

void RunLoopHost_setTimer(int timer, int64_t nanoseconds) {
  struct itimerspec date = {.it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &date, 0);
}
#endif
