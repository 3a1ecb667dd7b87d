/* Fails syncs or writes of files whose path holds SKEP_FAULT_MATCH as soon as the file SKEP_FAULT_SWITCH exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(int fd, const char *call) {
  const char *match = getenv("SKEP_FAULT_MATCH"), *on = getenv("SKEP_FAULT_SWITCH"), *what = getenv("SKEP_FAULT_CALL");
  char link[64], path[4096];
  if (!match || !on || !what || strcmp(what, call) != 0 || access(on, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (!strstr(path, match)) return 0;
  /* Into the same pipe as the acknowledgements, so that their order is known. */
  if (write(1, "fault\n", 6) != 6) abort();
  return 1;
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (!fails(fd, "sync")) return real(fd);
  errno = EIO;
  return -1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  if (!fails(fd, "write")) return real(fd, bytes, size, at);
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) { return pwrite64(fd, bytes, size, at); }
