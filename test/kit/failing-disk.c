/*
 * A disk that breaks on command, for a process started with this library in LD_PRELOAD. While the file named by SKEP_DISK_FAULT
 * exists, a sync of any file whose path contains that file's text stalls, loses what was written since the last good sync, and
 * fails with EIO: what a kernel that drops dirty pages after a failed write-back leaves behind. A text that begins with `!` makes
 * such a sync hang for ever instead; one that begins with `=` makes the disk full for writes to such a file (ENOSPC); with `~` such a
 * sync is said to be done, and nothing is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FDS 65536
/* Long enough for every acknowledgement that was on its way to arrive. */
#define STALL_US 300000

/* Bytes written since the last good sync, while they lie in one piece; LOOSE when they do not. */
#define LOOSE -1
static off_t from[FDS], upto[FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void wrote(int fd, off_t at, ssize_t bytes) {
  if (fd < 0 || fd >= FDS || bytes <= 0) return;
  pthread_mutex_lock(&lock);
  if (from[fd] == upto[fd]) from[fd] = upto[fd] = at;
  if (upto[fd] == at) upto[fd] = at + bytes;
  else upto[fd] = LOOSE;
  pthread_mutex_unlock(&lock);
}

static void forget(int fd) {
  if (fd < 0 || fd >= FDS) return;
  pthread_mutex_lock(&lock);
  from[fd] = upto[fd] = 0;
  pthread_mutex_unlock(&lock);
}

static ssize_t real_pwrite(int fd, const void *bytes, size_t length, off_t at) {
  static ssize_t (*real)(int, const void *, size_t, off_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite");
  return real(fd, bytes, length, at);
}

static int matches(int fd, char mark);

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  if (matches(fd, '=')) {
    errno = ENOSPC;
    return -1;
  }
  ssize_t done = real_pwrite(fd, bytes, length, at);
  wrote(fd, at, done);
  return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  return pwrite(fd, bytes, length, (off_t)at);
}

int close(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "close");
  forget(fd);
  return real(fd);
}

/* Whether the control file names this one; `mark` is the first character that it must have, or 0 for none of the marks. */
static int matches(int fd, char mark) {
  const char *control = getenv("SKEP_DISK_FAULT");
  if (!control || access(control, F_OK) != 0) return 0;
  char part[256] = {0}, name[64], path[4096];
  int file = open(control, O_RDONLY);
  ssize_t length = file < 0 ? 0 : read(file, part, sizeof part - 1);
  if (file >= 0) close(file);
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t known = readlink(name, path, sizeof path - 1);
  if (length <= 0 || known <= 0) return 0;
  path[known] = 0;
  if (mark == 0) return strchr("!=~", part[0]) == NULL && strstr(path, part) != NULL;
  return part[0] == mark && strstr(path, part + 1) != NULL;
}

/* Whether a sync of this file fails now; hangs where it is to hang. */
static int fails(int fd) {
  while (matches(fd, '!')) pause();
  return matches(fd, 0);
}

/* Says in SKEP_DISK_FAULT.failed when the first failure was told: milliseconds since the epoch. */
static void tell(void) {
  char path[4096], text[32];
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(path, sizeof path, "%s.failed", getenv("SKEP_DISK_FAULT"));
  snprintf(text, sizeof text, "%lld", (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file < 0) return;
  if (write(file, text, strlen(text)) < 0) abort();
  close(file);
}

static void lose(int fd) {
  static const char zeros[4096];
  if (fd < 0 || fd >= FDS) return;
  for (off_t at = from[fd]; at < upto[fd]; at += sizeof zeros) {
    size_t left = (size_t)(upto[fd] - at);
    if (real_pwrite(fd, zeros, left < sizeof zeros ? left : sizeof zeros, at) < 0) abort();
  }
}

static int synced(int fd, const char *name) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  if (matches(fd, '~')) return 0;
  if (!fails(fd)) {
    int result = real(fd);
    if (result == 0) forget(fd);
    return result;
  }
  usleep(STALL_US);
  lose(fd);
  tell();
  errno = EIO;
  return -1;
}

int fdatasync(int fd) { return synced(fd, "fdatasync"); }
int fsync(int fd) { return synced(fd, "fsync"); }
