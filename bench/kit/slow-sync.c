/* A disk whose every sync takes SKEP_SYNC_DELAY_US longer, for a process started with this library in LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int synced(int fd, const char *name) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  const char *delay = getenv("SKEP_SYNC_DELAY_US");
  if (delay) usleep((useconds_t)atoi(delay));
  return real(fd);
}

int fdatasync(int fd) { return synced(fd, "fdatasync"); }
int fsync(int fd) { return synced(fd, "fsync"); }
