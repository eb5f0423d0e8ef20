// Makes a system call fail that concerns a folder: `LD_PRELOAD` puts these functions between the program and the C library, for
// Node.js, libuv and the SQLite inside of it alike. FAILING_CALLS_FOLDER is the folder, FAILING_CALLS_CONTROL a file of the size of
// `struct control`, with which the program says what fails, and which shows the calls. FailingCalls.ts has the same layout.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_CALLS 8192
#define NAME_LENGTH 56
#define MOST_FILES 4096

struct call { int writes; int transfers; char name[NAME_LENGTH]; };

struct control {
  atomic_int is_on;
  // The number of the call that fails, from 1; 0 for none.
  int at;
  // 0 for half of the bytes.
  int error;
  // Whether all later calls fail, too.
  int persists;
  // Whether only calls that write fail from then on.
  int writes_only;
  atomic_int count;
  atomic_int failed;
  atomic_int open_files;
  struct call calls[MOST_CALLS];
};

enum { READS = 0, WRITES = 1 };
enum { WHOLE = 0, TRANSFERS = 1 };

static struct control *control;
static const char *folder;
static size_t folder_length;
// The name of each open file of the folder.
static char *files[MOST_FILES];

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("FAILING_CALLS_CONTROL");
  folder = getenv("FAILING_CALLS_FOLDER");
  if (path == NULL || folder == NULL) return;
  folder_length = strlen(folder);
  int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  if (memory == MAP_FAILED) return;
  control = memory;
  control->open_files = 0;
}

// The part of a path within the folder, or NULL.
static const char *within(const char *path) {
  if (control == NULL || path == NULL || strncmp(path, folder, folder_length) != 0) return NULL;
  return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}

static const char *file_of(int fd) { return fd >= 0 && fd < MOST_FILES ? files[fd] : NULL; }

// While locks fail, SQLite tries for ten seconds at each read. Those of a local disk do not fail for long.
static int fails_later(const char *kind, int writes) {
  return control->persists && strcmp(kind, "lock") != 0 && (writes || !control->writes_only);
}

// Counts a call. Returns 0 if it goes through, -1 with errno if it fails, and 1 if half of its bytes go through.
static int check(const char *kind, const char *name, int writes, int transfers) {
  if (name == NULL || control == NULL || !control->is_on) return 0;
  int number = atomic_fetch_add(&control->count, 1) + 1;
  if (number <= MOST_CALLS) {
    struct call *call = &control->calls[number - 1];
    call->writes = writes;
    call->transfers = transfers;
    snprintf(call->name, NAME_LENGTH, "%s %s", kind, name);
  }
  if (control->at == 0 || number < control->at) return 0;
  if (number > control->at && !fails_later(kind, writes)) return 0;
  if (control->error == 0 && !transfers) return 0;
  atomic_fetch_add(&control->failed, 1);
  if (control->error == 0) return 1;
  errno = control->error;
  return -1;
}

static int opened(int fd, const char *name) {
  if (fd < 0 || fd >= MOST_FILES || name == NULL) return fd;
  files[fd] = strdup(name);
  atomic_fetch_add(&control->open_files, 1);
  return fd;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define MODE(flags) \
  int mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, int); va_end(list); }

static int writes_of(int flags) { return flags & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC) ? WRITES : READS; }

#define OPEN(function) \
  int function(const char *path, int flags, ...) { \
    MODE(flags) \
    REAL(int, #function, const char *, int, ...); \
    const char *name = within(path); \
    if (check("open", name, writes_of(flags), WHOLE) < 0) return -1; \
    return opened(real(path, flags, mode), name); \
  }
OPEN(open)
OPEN(open64)

int openat(int at, const char *path, int flags, ...) {
  MODE(flags)
  REAL(int, "openat", int, const char *, int, ...);
  const char *name = within(path);
  if (check("open", name, writes_of(flags), WHOLE) < 0) return -1;
  return opened(real(at, path, flags, mode), name);
}

static int forget(int fd) {
  char *name = files[fd];
  int result = check("close", name, READS, WHOLE);
  files[fd] = NULL;
  atomic_fetch_sub(&control->open_files, 1);
  free(name);
  return result;
}

// The file is closed even if this fails, as Linux does it.
int close(int fd) {
  REAL(int, "close", int);
  if (file_of(fd) == NULL || forget(fd) == 0) return real(fd);
  int error = errno;
  real(fd);
  errno = error;
  return -1;
}

#define TRANSFER(type, function, kind, writes, parameters, call, half, ...) \
  type function parameters { \
    REAL(type, #function, __VA_ARGS__); \
    int result = check(kind, file_of(fd), writes, TRANSFERS); \
    if (result < 0) return -1; \
    return result > 0 && size > 1 ? half : call; \
  }
TRANSFER(ssize_t, pread64, "read", READS, (int fd, void *data, size_t size, off64_t offset), real(fd, data, size, offset),
  real(fd, data, size / 2, offset), int, void *, size_t, off64_t)
TRANSFER(ssize_t, pwrite64, "write", WRITES, (int fd, const void *data, size_t size, off64_t offset),
  real(fd, data, size, offset), real(fd, data, size / 2, offset), int, const void *, size_t, off64_t)
TRANSFER(ssize_t, read, "read", READS, (int fd, void *data, size_t size), real(fd, data, size), real(fd, data, size / 2),
  int, void *, size_t)
TRANSFER(ssize_t, write, "write", WRITES, (int fd, const void *data, size_t size), real(fd, data, size),
  real(fd, data, size / 2), int, const void *, size_t)

#define BY_FILE(function, kind, writes, parameters, call, ...) \
  int function parameters { \
    REAL(int, #function, __VA_ARGS__); \
    return check(kind, file_of(fd), writes, WHOLE) < 0 ? -1 : call; \
  }
BY_FILE(fsync, "sync", WRITES, (int fd), real(fd), int)
BY_FILE(fdatasync, "sync", WRITES, (int fd), real(fd), int)
BY_FILE(ftruncate64, "truncate", WRITES, (int fd, off64_t size), real(fd, size), int, off64_t)
BY_FILE(fchmod, "chmod", WRITES, (int fd, mode_t mode), real(fd, mode), int, mode_t)
BY_FILE(fchown, "chown", WRITES, (int fd, uid_t user, gid_t group), real(fd, user, group), int, uid_t, gid_t)
BY_FILE(__fxstat64, "stat", READS, (int version, int fd, struct stat64 *found), real(version, fd, found), int, int,
  struct stat64 *)

#define BY_PATH(type, failure, function, kind, writes, parameters, call, ...) \
  type function parameters { \
    REAL(type, #function, __VA_ARGS__); \
    return check(kind, within(path), writes, WHOLE) < 0 ? failure : call; \
  }
BY_PATH(int, -1, access, "access", READS, (const char *path, int mode), real(path, mode), const char *, int)
BY_PATH(int, -1, unlink, "unlink", WRITES, (const char *path), real(path), const char *)
BY_PATH(int, -1, remove, "unlink", WRITES, (const char *path), real(path), const char *)
BY_PATH(int, -1, unlinkat, "unlink", WRITES, (int at, const char *path, int flags), real(at, path, flags), int, const char *,
  int)
BY_PATH(int, -1, rename, "rename", WRITES, (const char *path, const char *to), real(path, to), const char *, const char *)
BY_PATH(int, -1, mkdir, "mkdir", WRITES, (const char *path, mode_t mode), real(path, mode), const char *, mode_t)
BY_PATH(int, -1, rmdir, "rmdir", WRITES, (const char *path), real(path), const char *)
BY_PATH(int, -1, chmod, "chmod", WRITES, (const char *path, mode_t mode), real(path, mode), const char *, mode_t)
BY_PATH(int, -1, __xstat64, "stat", READS, (int version, const char *path, struct stat64 *found), real(version, path, found),
  int, const char *, struct stat64 *)
BY_PATH(int, -1, __lxstat64, "stat", READS, (int version, const char *path, struct stat64 *found),
  real(version, path, found), int, const char *, struct stat64 *)
BY_PATH(int, -1, statfs64, "statfs", READS, (const char *path, struct statfs64 *found), real(path, found), const char *,
  struct statfs64 *)
BY_PATH(int, -1, inotify_add_watch, "watch", READS, (int fd, const char *path, uint32_t mask), real(fd, path, mask), int,
  const char *, uint32_t)
BY_PATH(ssize_t, -1, readlink, "readlink", READS, (const char *path, char *data, size_t size), real(path, data, size),
  const char *, char *, size_t)
BY_PATH(char *, NULL, realpath, "realpath", READS, (const char *path, char *found), real(path, found), const char *, char *)
BY_PATH(DIR *, NULL, opendir, "list", READS, (const char *path), real(path), const char *)
BY_PATH(int, -1, scandir64, "list", READS, (const char *path, struct dirent64 ***list, int (*select)(const struct dirent64 *),
  int (*compare)(const struct dirent64 **, const struct dirent64 **)), real(path, list, select, compare), const char *,
  struct dirent64 ***, int (*)(const struct dirent64 *), int (*)(const struct dirent64 **, const struct dirent64 **))

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset) {
  REAL(void *, "mmap64", void *, size_t, int, int, int, off64_t);
  if (check("map", file_of(fd), READS, WHOLE) < 0) return MAP_FAILED;
  return real(address, size, protection, flags, fd, offset);
}

int fcntl64(int fd, int command, ...) {
  REAL(int, "fcntl64", int, int, ...);
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  // Nothing lets a local disk fail to release a lock.
  int locks = command == F_GETLK || (command == F_SETLK && ((struct flock *)argument)->l_type != F_UNLCK);
  if (locks && check("lock", file_of(fd), READS, WHOLE) < 0) return -1;
  return real(fd, command, argument);
}

// libuv makes some calls by their number.
long syscall(long number, ...) {
  REAL(long, "syscall", long, ...);
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_statx) {
    const char *path = (const char *)b;
    const char *name = path != NULL && *path == '\0' ? file_of((int)a) : within(path);
    if (check("stat", name, READS, WHOLE) < 0) return -1;
  }
  if (number == SYS_close) return close((int)a);
  return real(number, a, b, c, d, e, f);
}
