/* A disk whose every sync takes longer, for a process started with this library in LD_PRELOAD: by SKEP_SYNC_DELAY_US, or by the microseconds
   that stand in the file SKEP_SYNC_DELAY_FILE at that moment, so that a disk is slow for a while. With SKEP_SYNC_NONE the delay is all of it: many
   processes share a disk that is not to be waited for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long delay_us(void) {
  unsigned long us = 0;
  const char *fixed = getenv("SKEP_SYNC_DELAY_US");
  if (fixed) return strtoul(fixed, NULL, 10);
  const char *path = getenv("SKEP_SYNC_DELAY_FILE");
  FILE *file = path ? fopen(path, "re") : NULL;
  if (!file) return 0;
  if (fscanf(file, "%lu", &us) != 1) us = 0;
  fclose(file);
  return us;
}

static int synced(int fd, const char *name) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  unsigned long us = delay_us();
  if (us) usleep((useconds_t)us);
  return getenv("SKEP_SYNC_NONE") ? 0 : real(fd);
}

int fdatasync(int fd) { return synced(fd, "fdatasync"); }
int fsync(int fd) { return synced(fd, "fsync"); }
