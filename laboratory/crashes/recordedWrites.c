// Records, in order, what a process writes to the files of a folder, which of them it syncs and deletes, and what it writes to its
// standard output: `LD_PRELOAD` puts these functions between the program and the C library. RECORDED_FOLDER is the folder,
// RECORDED_WRITES the file with the records. Recording.ts reads it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct record { int32_t kind, name_length; int64_t offset, size; };

static int records = -1;
static const char *folder;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("RECORDED_WRITES");
  folder = getenv("RECORDED_FOLDER");
  if (path != NULL && folder != NULL) records = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void append(char kind, const char *name, int64_t offset, int64_t size, const void *data) {
  struct record head = {kind, strlen(name), offset, size};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)name, strlen(name)}, {(void *)data, data == NULL ? 0 : size}};
  pthread_mutex_lock(&order);
  if (writev(records, parts, 3) < 0) abort();
  pthread_mutex_unlock(&order);
}

// Records what concerns a file of the folder.
static void record_path(char kind, const char *path, int64_t offset, int64_t size, const void *data) {
  size_t start = strlen(folder) + 1;
  if (strncmp(path, folder, start - 1) == 0 && path[start - 1] == '/') append(kind, path + start, offset, size, data);
}

static void record(char kind, int fd, int64_t offset, int64_t size, const void *data) {
  if (records < 0) return;
  char link[32], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = '\0';
  record_path(kind, path, offset, size, data);
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

// What is written may be lost, so that it is recorded before. What is synced is not, so that it is recorded after.
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  record('w', fd, offset, size, data);
  return real(fd, data, size, offset);
}

ssize_t write(int fd, const void *data, size_t size) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (fd == 1 && records >= 0) append('a', "", 0, size, data);
  else record('w', fd, lseek(fd, 0, SEEK_CUR), size, data);
  return real(fd, data, size);
}

int ftruncate64(int fd, off64_t size) {
  REAL(int, "ftruncate64", int, off64_t);
  record('t', fd, 0, size, NULL);
  return real(fd, size);
}

int unlink(const char *path) {
  REAL(int, "unlink", const char *);
  if (records >= 0) record_path('u', path, 0, 0, NULL);
  return real(path);
}

#define SYNC(function) \
  int function(int fd) { \
    REAL(int, #function, int); \
    int result = real(fd); \
    if (result == 0) record('s', fd, 0, 0, NULL); \
    return result; \
  }
SYNC(fsync)
SYNC(fdatasync)
