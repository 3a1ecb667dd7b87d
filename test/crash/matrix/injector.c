/*
 * Counts the calls that a process makes to files below one directory, by the kind of the file, and lets some of them fail, for a process
 * started with this library in LD_PRELOAD; injector.ts writes its input and reads its output.
 *
 * SKEP_MATRIX_DIR    the directory (a real path)
 * SKEP_MATRIX_KINDS  a file with one extended regular expression a line: a path below the directory is of the first kind that matches it;
 *                    kind 0 is every directory, and has a line that nothing matches
 * SKEP_MATRIX_HIT    "kind call effect number;…": the call with this number, from 1 on, of that kind gets the effect; none where it is not set
 * SKEP_MATRIX_COUNTS a file of zeros: 32-bit counts by kind, call and effect, of the calls that the effect could have hit
 * SKEP_MATRIX_LOG    "hit <place in SKEP_MATRIX_HIT, from 0 on> <path>" for a call that was hit; "unknown <path>" for a path of no kind; "unseen <way> <path>" for a change by a
 *                    way that passes by this library
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <regex.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* As in kinds.ts and cells.ts. */
enum { OPEN, WRITE, SYNC, RENAME, UNLINK, READ, CALLS };
enum { EIO_, ENOSPC_, SHORT, DELAY, EFFECTS };
#define KINDS_MAX 128
#define CELLS_MAX 16
#define DIRECTORY 0
#define NONE -1
#define DELAY_US 250000

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_once_t once = PTHREAD_ONCE_INIT;
static regex_t kinds[KINDS_MAX];
static int known;
static const char *root;
static uint32_t *counts;
static struct {
  int kind, call, effect;
  uint32_t number;
} cells[CELLS_MAX];
static int cells_known;

static long raw(long number, long a, long b, long c, long d) {
  return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(number, a, b, c, d);
}

static void begin(void) {
  const char *names = getenv("SKEP_MATRIX_KINDS"), *out = getenv("SKEP_MATRIX_COUNTS"), *cell = getenv("SKEP_MATRIX_HIT");
  const char *wanted = getenv("SKEP_MATRIX_DIR");
  if (!names || !out || !wanted) return;
  FILE *file = REAL(fopen)(names, "r");
  if (!file) abort();
  char line[1024];
  while (known < KINDS_MAX && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (regcomp(&kinds[known++], line, REG_EXTENDED | REG_NOSUB) != 0) abort();
  }
  fclose(file);
  long fd = raw(SYS_openat, AT_FDCWD, (long)out, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) abort();
  counts = REAL(mmap)(NULL, sizeof(uint32_t) * KINDS_MAX * CALLS * EFFECTS, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
  if (counts == MAP_FAILED) abort();
  raw(SYS_close, fd, 0, 0, 0);
  for (; cell && *cell; cell += strcspn(cell, ";"), cell += *cell == ';') {
    if (cells_known == CELLS_MAX) abort();
    if (sscanf(cell, "%d %d %d %u", &cells[cells_known].kind, &cells[cells_known].call, &cells[cells_known].effect, &cells[cells_known].number) != 4) abort();
    cells_known++;
  }
  root = wanted;
}

static void say(const char *what, const char *path) {
  const char *log = getenv("SKEP_MATRIX_LOG");
  char line[PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%s %s\n", what, path);
  long fd = log ? raw(SYS_openat, AT_FDCWD, (long)log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (fd < 0) return;
  raw(SYS_write, fd, (long)line, length, 0);
  raw(SYS_close, fd, 0, 0, 0);
}

/* The path behind the directory's own and a slash; NULL for any other file. */
static const char *below(const char *path) {
  pthread_once(&once, begin);
  if (!root) return NULL;
  size_t length = strlen(root);
  return strncmp(path, root, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

static const char *open_below(int fd, char *path) {
  char name[48];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(name, path, PATH_MAX - 1);
  if (length <= 0) return NULL;
  path[length] = 0;
  /* Another thread may have renamed over the file or removed it meanwhile; what it was is told by the name that it had. */
  static const char gone[] = " (deleted)";
  size_t end = sizeof gone - 1;
  if ((size_t)length > end && strcmp(path + length - end, gone) == 0) path[length - end] = 0;
  return below(path);
}

/* The path that a call names, with its directory's links followed. */
static const char *named_below(int at, const char *path, char *out) {
  char whole[PATH_MAX * 2], parent[PATH_MAX];
  if (path[0] == '/') snprintf(whole, sizeof whole, "%s", path);
  else {
    char base[PATH_MAX];
    if (at == AT_FDCWD) {
      if (!getcwd(base, sizeof base)) return NULL;
    } else {
      char name[48];
      snprintf(name, sizeof name, "/proc/self/fd/%d", at);
      ssize_t length = readlink(name, base, sizeof base - 1);
      if (length <= 0) return NULL;
      base[length] = 0;
    }
    snprintf(whole, sizeof whole, "%s/%s", base, path);
  }
  for (size_t end = strlen(whole); end > 1 && whole[end - 1] == '/'; end--) whole[end - 1] = 0;
  char *slash = strrchr(whole, '/');
  if (!slash || slash == whole) return NULL;
  *slash = 0;
  if (!realpath(whole, parent)) return NULL;
  if ((size_t)snprintf(out, PATH_MAX, "%s/%s", parent, slash + 1) >= PATH_MAX) return NULL;
  return below(out);
}

static int kind_of(const char *path, int is_directory) {
  if (is_directory) return DIRECTORY;
  for (int kind = DIRECTORY + 1; kind < known; kind++)
    if (regexec(&kinds[kind], path, 0, NULL, 0) == 0) return kind;
  say("unknown", path);
  return NONE;
}

static int is_directory_at(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Counts a call, and gives the effect that hits it, NONE mostly. A delay has passed when this returns. `possible`: a bit for each effect. */
static int met(const char *path, int is_directory, int call, int possible) {
  int kind = kind_of(path, is_directory);
  if (kind == NONE) return NONE;
  int hit = NONE, at = NONE;
  for (int effect = 0; effect < EFFECTS; effect++) {
    if (!(possible & 1 << effect)) continue;
    uint32_t number = __atomic_add_fetch(&counts[(kind * CALLS + call) * EFFECTS + effect], 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < cells_known; i++)
      if (kind == cells[i].kind && call == cells[i].call && effect == cells[i].effect && number == cells[i].number) {
        hit = effect;
        at = i;
      }
  }
  if (hit == NONE) return NONE;
  char what[16];
  snprintf(what, sizeof what, "hit %d", at);
  say(what, path);
  if (hit == DELAY) usleep(DELAY_US);
  if (hit == EIO_) errno = EIO;
  if (hit == ENOSPC_) errno = ENOSPC;
  return hit;
}
static int fails(const char *path, int is_directory, int call, int possible) {
  int effect = met(path, is_directory, call, possible);
  return effect == EIO_ || effect == ENOSPC_;
}
#define ALWAYS (1 << EIO_ | 1 << DELAY)
#define CHANGES (ALWAYS | 1 << ENOSPC_)

/* Half of what is asked for. */
static int halved(const struct iovec *parts, int count, struct iovec *out) {
  size_t left = 0;
  int used = 0;
  for (int i = 0; i < count; i++) left += parts[i].iov_len;
  for (left /= 2; left > 0; used++) {
    out[used] = parts[used];
    if (out[used].iov_len > left) out[used].iov_len = left;
    left -= out[used].iov_len;
  }
  return used;
}

/* A write is short because the disk is full: the next one to the file fails. libuv writes the rest by itself, and gives its caller the short count only then. */
static int fills(int fd, int is_short) {
  static int full = NONE;
  if (is_short) __atomic_store_n(&full, fd, __ATOMIC_SEQ_CST);
  else if (__atomic_load_n(&full, __ATOMIC_SEQ_CST) == fd) {
    __atomic_store_n(&full, NONE, __ATOMIC_SEQ_CST);
    errno = ENOSPC;
    return 1;
  }
  return 0;
}

/* Reads and writes. `at` below 0: where the descriptor stands. */
static ssize_t moved(int fd, const struct iovec *parts, int count, off_t at, int call) {
  char path[PATH_MAX];
  struct iovec half[count > 0 ? count : 1];
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  int used = count, possible = (call == WRITE ? CHANGES : ALWAYS) | (length > 1 ? 1 << SHORT : 0);
  const char *ours = open_below(fd, path);
  if (ours) {
    int effect = met(ours, 0, call, possible);
    if (effect == EIO_ || effect == ENOSPC_) return -1;
    if (effect == SHORT) used = halved(parts, count, half);
    if (effect == SHORT) parts = half;
    if (call == WRITE && fills(fd, effect == SHORT)) return -1;
  }
  if (call == WRITE) return at < 0 ? REAL(writev)(fd, parts, used) : REAL(pwritev)(fd, parts, used, at);
  return at < 0 ? REAL(readv)(fd, parts, used) : REAL(preadv)(fd, parts, used, at);
}
#define PART struct iovec part = {(void *)bytes, length}
ssize_t write(int fd, const void *bytes, size_t length) { PART; return moved(fd, &part, 1, -1, WRITE); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return moved(fd, parts, count, -1, WRITE); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { PART; return moved(fd, &part, 1, at, WRITE); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) { return pwrite(fd, bytes, length, at); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return moved(fd, parts, count, at, WRITE); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) { return moved(fd, parts, count, at, WRITE); }
ssize_t read(int fd, void *bytes, size_t length) { PART; return moved(fd, &part, 1, -1, READ); }
ssize_t readv(int fd, const struct iovec *parts, int count) { return moved(fd, parts, count, -1, READ); }
ssize_t pread(int fd, void *bytes, size_t length, off_t at) { PART; return moved(fd, &part, 1, at, READ); }
ssize_t pread64(int fd, void *bytes, size_t length, off64_t at) { return pread(fd, bytes, length, at); }
ssize_t preadv(int fd, const struct iovec *parts, int count, off_t at) { return moved(fd, parts, count, at, READ); }
ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t at) { return moved(fd, parts, count, at, READ); }

/* A new size is a write of zeros, or of a file's end. */
static int sized(int fd, off_t length) {
  char path[PATH_MAX];
  const char *ours = open_below(fd, path);
  if (ours && fails(ours, 0, WRITE, CHANGES)) return -1;
  return REAL(ftruncate)(fd, length);
}
int ftruncate(int fd, off_t length) { return sized(fd, length); }
int ftruncate64(int fd, off64_t length) { return sized(fd, length); }

static int synced(int fd, int (*call)(int)) {
  char path[PATH_MAX];
  struct stat found;
  const char *ours = open_below(fd, path);
  if (ours && fstat(fd, &found) == 0 && fails(ours, S_ISDIR(found.st_mode), SYNC, CHANGES)) return -1;
  return call(fd);
}
int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

static int opened(int at, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  const char *ours = named_below(at, name, path);
  int makes = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
  /* A file that is not there is no file of the node's. */
  if (ours && (makes || access(path, F_OK) == 0) && fails(ours, is_directory_at(path), OPEN, makes ? CHANGES : ALWAYS)) return -1;
  return REAL(openat)(at, name, flags, mode);
}
#define MODE(flags)                                                \
  mode_t mode = 0;                                                 \
  if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list more;                                                  \
    va_start(more, flags);                                         \
    mode = va_arg(more, mode_t);                                   \
    va_end(more);                                                  \
  }
int open(const char *name, int flags, ...) { MODE(flags) return opened(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags) return opened(AT_FDCWD, name, flags, mode); }
int openat(int at, const char *name, int flags, ...) { MODE(flags) return opened(at, name, flags, mode); }
int openat64(int at, const char *name, int flags, ...) { MODE(flags) return opened(at, name, flags, mode); }
int creat(const char *name, mode_t mode) { return opened(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

/* A directory is opened when it is made. */
int mkdirat(int at, const char *name, mode_t mode) {
  char path[PATH_MAX];
  const char *ours = named_below(at, name, path);
  if (ours && access(path, F_OK) != 0 && fails(ours, 1, OPEN, CHANGES)) return -1;
  return REAL(mkdirat)(at, name, mode);
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int unlinkat(int at, const char *name, int flags) {
  char path[PATH_MAX];
  const char *ours = named_below(at, name, path);
  if (ours && access(path, F_OK) == 0 && fails(ours, (flags & AT_REMOVEDIR) != 0, UNLINK, CHANGES)) return -1;
  return REAL(unlinkat)(at, name, flags);
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char *name) { return is_directory_at(name) ? rmdir(name) : unlink(name); }

/* The kind is that of the name that a file gets. */
static int fails_to_get(int at, const char *name, int from_at, const char *from) {
  char path[PATH_MAX], old[PATH_MAX];
  const char *ours = named_below(at, name, path);
  return ours && named_below(from_at, from, old) && fails(ours, is_directory_at(old), RENAME, CHANGES);
}
int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
  return fails_to_get(to_at, to, from_at, from) ? -1 : REAL(renameat2)(from_at, from, to_at, to, flags);
}
int renameat(int from_at, const char *from, int to_at, const char *to) { return renameat2(from_at, from, to_at, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
  return fails_to_get(to_at, to, from_at, from) ? -1 : REAL(linkat)(from_at, from, to_at, to, flags);
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

/* Ways by which faults do not come. */
static void unseen(const char *path, const char *way) {
  char text[64];
  if (!path) return;
  snprintf(text, sizeof text, "unseen %s", way);
  say(text, path);
}
int fallocate(int fd, int mode, off_t at, off_t length) {
  char path[PATH_MAX];
  unseen(open_below(fd, path), "fallocate");
  return REAL(fallocate)(fd, mode, at, length);
}
int truncate(const char *name, off_t length) {
  char path[PATH_MAX];
  unseen(named_below(AT_FDCWD, name, path), "truncate");
  return REAL(truncate)(name, length);
}
FILE *fopen(const char *name, const char *mode) {
  char path[PATH_MAX];
  unseen(named_below(AT_FDCWD, name, path), "fopen");
  return REAL(fopen)(name, mode);
}
FILE *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

long syscall(long number, ...) {
  va_list more;
  long given[6];
  va_start(more, number);
  for (int i = 0; i < 6; i++) given[i] = va_arg(more, long);
  va_end(more);
  /* What goes through a ring passes by every function here: there is none, and libuv does without. */
  if (number == SYS_io_uring_setup) {
    errno = ENOSYS;
    return -1;
  }
  char path[PATH_MAX];
  const char *copied = number == SYS_copy_file_range ? open_below((int)given[2], path) : NULL;
  if (copied && fails(copied, 0, WRITE, CHANGES)) return -1;
  return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
