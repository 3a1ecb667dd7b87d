/*
 * A process that is killed at a chosen step of its work on disk, for one started with this library in LD_PRELOAD. While the file
 * named by SKEP_DISK_KILL exists (`<step> <part> <other part>`), every call that changes a file or directory whose path contains
 * one of the parts is a step: it is noted in SKEP_DISK_KILL.steps, a line each, and before the call that is the given step the
 * process kills itself with SIGKILL.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int steps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int real_open(const char *path, int flags, mode_t mode) {
  static int (*real)(const char *, int, ...);
  if (!real) real = dlsym(RTLD_NEXT, "open");
  return real(path, flags, mode);
}

static ssize_t real_write(int fd, const void *bytes, size_t length) {
  static ssize_t (*real)(int, const void *, size_t);
  if (!real) real = dlsym(RTLD_NEXT, "write");
  return real(fd, bytes, length);
}

/* Notes the step; the process ends here when it is the one. */
static void step(const char *call, const char *path) {
  const char *control = getenv("SKEP_DISK_KILL");
  char text[256] = {0}, part[120], other[120], name[4096], line[4608];
  int at;
  int file = control ? real_open(control, O_RDONLY, 0) : -1;
  if (file < 0) return;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0 || sscanf(text, "%d %119s %119s", &at, part, other) != 3) return;
  if (!strstr(path, part) && !strstr(path, other)) return;
  pthread_mutex_lock(&lock);
  snprintf(name, sizeof name, "%s.steps", control);
  file = real_open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
  int bytes = snprintf(line, sizeof line, "%s %s\n", call, path);
  if (file < 0 || real_write(file, line, (size_t)bytes) != bytes) abort();
  close(file);
  if (++steps == at) kill(getpid(), SIGKILL);
  pthread_mutex_unlock(&lock);
}

static void step_of(const char *call, int fd) {
  char link[64], path[4096];
  if (!getenv("SKEP_DISK_KILL")) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  step(call, path);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  static ssize_t (*real)(int, const void *, size_t, off_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite");
  step_of("write", fd);
  return real(fd, bytes, length, at);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  step_of("write", fd);
  return real_write(fd, bytes, length);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) { return pwrite(fd, bytes, length, (off_t)at); }

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  step_of("fsync", fd);
  return real(fd);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  step_of("fdatasync", fd);
  return real(fd);
}

int ftruncate(int fd, off_t length) {
  static int (*real)(int, off_t);
  if (!real) real = dlsym(RTLD_NEXT, "ftruncate");
  step_of("truncate", fd);
  return real(fd, length);
}

int ftruncate64(int fd, off64_t length) { return ftruncate(fd, (off_t)length); }

int rename(const char *before, const char *after) {
  static int (*real)(const char *, const char *);
  if (!real) real = dlsym(RTLD_NEXT, "rename");
  step("rename", after);
  return real(before, after);
}

int unlink(const char *path) {
  static int (*real)(const char *);
  if (!real) real = dlsym(RTLD_NEXT, "unlink");
  step("unlink", path);
  return real(path);
}

int mkdir(const char *path, mode_t mode) {
  static int (*real)(const char *, mode_t);
  if (!real) real = dlsym(RTLD_NEXT, "mkdir");
  step("mkdir", path);
  return real(path, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (flags & (O_CREAT | O_TRUNC)) step("create", path);
  return real_open(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open(path, flags | O_LARGEFILE, mode);
}
