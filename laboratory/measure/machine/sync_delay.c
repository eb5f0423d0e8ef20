/* Makes every fsync and fdatasync of a process take SYNC_DELAY_MICROSECONDS more: for LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static void delay(void) {
  static long micros = -1;
  if (micros < 0) {
    const char *text = getenv("SYNC_DELAY_MICROSECONDS");
    micros = text ? atol(text) : 0;
  }
  if (micros == 0) return;
  /* Without this the kernel may round a sleep up by 50 microseconds. */
  prctl(PR_SET_TIMERSLACK, 1);
  struct timespec time = {micros / 1000000, micros % 1000000 * 1000};
  nanosleep(&time, NULL);
}

int fsync(int fd) {
  static int (*original)(int);
  if (!original) original = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  int result = original(fd);
  delay();
  return result;
}

int fdatasync(int fd) {
  static int (*original)(int);
  if (!original) original = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  int result = original(fd);
  delay();
  return result;
}
