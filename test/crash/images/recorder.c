/*
 * Records what a process does to the files below one directory, in order, for a process started with this library in LD_PRELOAD.
 * SKEP_RECORD_DIR names the directory (a real path), SKEP_RECORD_LOG the file that the records are appended to; recording.ts reads it.
 *
 * A call that changes a file and its record happen under one lock, so that the records have the order of the changes. A sync has two
 * records, one before it and one after it: what was written while it ran may be on the disk or not. A record is one write to a file
 * that is open for appending, so that those of other processes (the test's notes) have their place in the same order.
 *
 * A change by a way that is not recorded (a shared mapping, say) leaves a record of its own: the test fails then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
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

/* As in recording.ts. */
enum { WRITE = 1, SIZE, SYNCING, SYNCED, FILE_MADE, DIR_MADE, RENAMED, UNLINKED, DIR_REMOVED, LINKED, UNSEEN = 12 };
struct head {
  uint32_t kind, flag;
  uint64_t ino, number, length;
};

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static uint64_t syncs;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }
static long raw(long number, long a, long b, long c, long d, long e, long f) {
  return ((long (*)(long, ...))real("syscall"))(number, a, b, c, d, e, f);
}

static int log_file(void) {
  static int fd = -1;
  if (fd >= 0) return fd;
  const char *path = getenv("SKEP_RECORD_LOG");
  if (!path) abort();
  fd = (int)raw(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600, 0, 0);
  if (fd < 0) abort();
  return fd;
}

/* Called with the lock. */
static void note(uint32_t kind, uint32_t flag, uint64_t ino, uint64_t number, const struct iovec *parts, int count, size_t length) {
  struct head head = {kind, flag, ino, number, length};
  struct iovec all[count + 1];
  all[0] = (struct iovec){&head, sizeof head};
  int used = 1;
  for (size_t left = length; left > 0; used++) {
    all[used] = parts[used - 1];
    if (all[used].iov_len > left) all[used].iov_len = left;
    left -= all[used].iov_len;
  }
  if (raw(SYS_writev, log_file(), (long)all, used, 0, 0, 0) != (long)(sizeof head + length)) abort();
}

static void note_text(uint32_t kind, uint64_t ino, const char *text, size_t length) {
  struct iovec part = {(void *)text, length};
  note(kind, 0, ino, 0, &part, 1, length);
}

/* The path behind the directory's own and a slash; NULL for any other file. */
static const char *below(const char *path) {
  static __thread size_t known;
  const char *root = getenv("SKEP_RECORD_DIR");
  if (!root) return NULL;
  if (!known) known = strlen(root);
  if (strncmp(path, root, known) != 0) return NULL;
  if (path[known] == 0) return path + known;
  return path[known] == '/' ? path + known + 1 : NULL;
}

static const char *open_below(int fd, char *path) {
  char name[48];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(name, path, PATH_MAX - 1);
  if (length <= 0) return NULL;
  path[length] = 0;
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

static uint64_t ino_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

static uint64_t ino_at(const char *path, off_t *size) {
  struct stat found;
  if (lstat(path, &found) != 0) return 0;
  if (size) *size = found.st_size;
  return found.st_ino;
}

static void unseen(const char *how, const char *path) {
  char text[PATH_MAX + 64];
  int length = snprintf(text, sizeof text, "%s %s", how, path);
  pthread_mutex_lock(&order);
  note_text(UNSEEN, 0, text, (size_t)length);
  pthread_mutex_unlock(&order);
}

/* Writes. `at` below 0: where the descriptor stands. */
static ssize_t written(int fd, const struct iovec *parts, int count, off_t at) {
  char path[PATH_MAX];
  const char *ours = open_below(fd, path);
  if (ours) pthread_mutex_lock(&order);
  ssize_t done = at < 0 ? REAL(writev)(fd, parts, count) : REAL(pwritev)(fd, parts, count, at);
  if (!ours) return done;
  int error = errno;
  if (done > 0) {
    off_t from = at < 0 ? lseek(fd, 0, SEEK_CUR) - done : at;
    note(WRITE, (fcntl(fd, F_GETFL) & O_DSYNC) != 0, ino_of(fd), (uint64_t)from, parts, count, (size_t)done);
  }
  pthread_mutex_unlock(&order);
  errno = error;
  return done;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  char path[PATH_MAX];
  struct iovec part = {(void *)bytes, length};
  return open_below(fd, path) ? written(fd, &part, 1, -1) : REAL(write)(fd, bytes, length);
}
ssize_t writev(int fd, const struct iovec *parts, int count) { return written(fd, parts, count, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  struct iovec part = {(void *)bytes, length};
  return written(fd, &part, 1, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) { return pwrite(fd, bytes, length, at); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return written(fd, parts, count, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) { return written(fd, parts, count, at); }

static int sized(int fd, off_t length) {
  char path[PATH_MAX];
  if (!open_below(fd, path)) return REAL(ftruncate)(fd, length);
  pthread_mutex_lock(&order);
  int result = REAL(ftruncate)(fd, length), error = errno;
  if (result == 0) note(SIZE, 0, ino_of(fd), (uint64_t)length, NULL, 0, 0);
  pthread_mutex_unlock(&order);
  errno = error;
  return result;
}
int ftruncate(int fd, off_t length) { return sized(fd, length); }
int ftruncate64(int fd, off64_t length) { return sized(fd, length); }

/* Syncs, of files and of directories. */
static int synced(int fd, int (*call)(int)) {
  char path[PATH_MAX];
  if (!open_below(fd, path)) return call(fd);
  uint64_t ino = ino_of(fd);
  pthread_mutex_lock(&order);
  uint64_t number = ++syncs;
  note(SYNCING, 0, ino, number, NULL, 0, 0);
  pthread_mutex_unlock(&order);
  int result = call(fd), error = errno;
  pthread_mutex_lock(&order);
  note(SYNCED, result == 0, ino, number, NULL, 0, 0);
  pthread_mutex_unlock(&order);
  errno = error;
  return result;
}
int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

/* Names. */
static int opened(int at, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  int changes = (flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const char *ours = changes ? named_below(at, name, path) : NULL;
  if (!ours) return REAL(openat)(at, name, flags, mode);
  if ((flags & O_TMPFILE) == O_TMPFILE) unseen("O_TMPFILE", ours);
  pthread_mutex_lock(&order);
  uint64_t before = ino_at(path, NULL);
  int fd = REAL(openat)(at, name, flags, mode), error = errno;
  if (fd >= 0 && before == 0) note_text(FILE_MADE, ino_of(fd), ours, strlen(ours));
  else if (fd >= 0 && (flags & O_TRUNC)) note(SIZE, 0, ino_of(fd), 0, NULL, 0, 0);
  pthread_mutex_unlock(&order);
  errno = error;
  return fd;
}
#define MODE(flags)                                             \
  mode_t mode = 0;                                              \
  if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list more;                                               \
    va_start(more, flags);                                      \
    mode = va_arg(more, mode_t);                                \
    va_end(more);                                               \
  }
int open(const char *name, int flags, ...) { MODE(flags) return opened(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags) return opened(AT_FDCWD, name, flags, mode); }
int openat(int at, const char *name, int flags, ...) { MODE(flags) return opened(at, name, flags, mode); }
int openat64(int at, const char *name, int flags, ...) { MODE(flags) return opened(at, name, flags, mode); }
int creat(const char *name, mode_t mode) { return opened(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

int mkdirat(int at, const char *name, mode_t mode) {
  char path[PATH_MAX];
  const char *ours = named_below(at, name, path);
  if (!ours) return REAL(mkdirat)(at, name, mode);
  pthread_mutex_lock(&order);
  int result = REAL(mkdirat)(at, name, mode), error = errno;
  if (result == 0) note_text(DIR_MADE, ino_at(path, NULL), ours, strlen(ours));
  pthread_mutex_unlock(&order);
  errno = error;
  return result;
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int unlinkat(int at, const char *name, int flags) {
  char path[PATH_MAX];
  const char *ours = named_below(at, name, path);
  if (!ours) return REAL(unlinkat)(at, name, flags);
  pthread_mutex_lock(&order);
  int result = REAL(unlinkat)(at, name, flags), error = errno;
  if (result == 0) note_text(flags & AT_REMOVEDIR ? DIR_REMOVED : UNLINKED, 0, ours, strlen(ours));
  pthread_mutex_unlock(&order);
  errno = error;
  return result;
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char *name) {
  struct stat found;
  if (lstat(name, &found) != 0) return -1;
  return S_ISDIR(found.st_mode) ? rmdir(name) : unlink(name);
}

/* Two names; the record has a zero byte between them. */
static int paired(uint32_t kind, int from_at, const char *from, int to_at, const char *to, int flags) {
  char from_path[PATH_MAX], to_path[PATH_MAX], text[2 * PATH_MAX];
  const char *ours_from = named_below(from_at, from, from_path), *ours_to = named_below(to_at, to, to_path);
  int isRename = kind == RENAMED;
  if (!ours_from && !ours_to)
    return isRename ? REAL(renameat2)(from_at, from, to_at, to, (unsigned)flags) : REAL(linkat)(from_at, from, to_at, to, flags);
  if (!ours_from || !ours_to || (isRename && flags != 0)) unseen(isRename ? "rename" : "link", ours_to ? ours_to : ours_from);
  pthread_mutex_lock(&order);
  int result = isRename ? REAL(renameat2)(from_at, from, to_at, to, (unsigned)flags) : REAL(linkat)(from_at, from, to_at, to, flags);
  int error = errno;
  if (result == 0 && ours_from && ours_to) {
    int first = snprintf(text, sizeof text, "%s", ours_from);
    int second = snprintf(text + first + 1, sizeof text - (size_t)first - 1, "%s", ours_to);
    note_text(kind, 0, text, (size_t)(first + 1 + second));
  }
  pthread_mutex_unlock(&order);
  errno = error;
  return result;
}
int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
  return paired(RENAMED, from_at, from, to_at, to, (int)flags);
}
int renameat(int from_at, const char *from, int to_at, const char *to) { return paired(RENAMED, from_at, from, to_at, to, 0); }
int rename(const char *from, const char *to) { return paired(RENAMED, AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
  return paired(LINKED, from_at, from, to_at, to, flags);
}
int link(const char *from, const char *to) { return paired(LINKED, AT_FDCWD, from, AT_FDCWD, to, 0); }

/* Ways that are not recorded. */
static void unseen_open(int fd, const char *how) {
  char path[PATH_MAX];
  const char *ours = open_below(fd, path);
  if (ours) unseen(how, ours);
}
int fallocate(int fd, int mode, off_t at, off_t length) {
  unseen_open(fd, "fallocate");
  return REAL(fallocate)(fd, mode, at, length);
}
int fallocate64(int fd, int mode, off64_t at, off64_t length) { return fallocate(fd, mode, at, length); }
int posix_fallocate(int fd, off_t at, off_t length) {
  unseen_open(fd, "posix_fallocate");
  return REAL(posix_fallocate)(fd, at, length);
}
int posix_fallocate64(int fd, off64_t at, off64_t length) { return posix_fallocate(fd, at, length); }
int truncate(const char *name, off_t length) {
  char path[PATH_MAX];
  const char *ours = named_below(AT_FDCWD, name, path);
  if (ours) unseen("truncate", ours);
  return REAL(truncate)(name, length);
}
int truncate64(const char *name, off64_t length) { return truncate(name, length); }
int symlink(const char *to, const char *name) {
  char path[PATH_MAX];
  const char *ours = named_below(AT_FDCWD, name, path);
  if (ours) unseen("symlink", ours);
  return REAL(symlink)(to, name);
}
FILE *fopen(const char *name, const char *mode) {
  char path[PATH_MAX];
  const char *ours = strpbrk(mode, "wa+") ? named_below(AT_FDCWD, name, path) : NULL;
  if (ours) unseen("fopen", ours);
  return REAL(fopen)(name, mode);
}
FILE *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

/* LMDB maps its table of readers; each opening begins it anew, so that its bytes count for nothing after a loss of power. */
static int is_lock(const char *path) {
  size_t length = strlen(path);
  return length >= 8 && strcmp(path + length - 8, "lock.mdb") == 0;
}
static void check_map(int kept, int flags, int fd) {
  char path[PATH_MAX];
  if (!(kept & PROT_WRITE) || !(flags & MAP_SHARED) || (flags & MAP_ANONYMOUS) || fd < 0) return;
  const char *ours = open_below(fd, path);
  if (ours && !is_lock(ours)) unseen("mmap", ours);
}
void *mmap(void *at, size_t length, int kept, int flags, int fd, off_t from) {
  check_map(kept, flags, fd);
  return REAL(mmap)(at, length, kept, flags, fd, from);
}
void *mmap64(void *at, size_t length, int kept, int flags, int fd, off64_t from) { return mmap(at, length, kept, flags, fd, from); }

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
  if (number == SYS_copy_file_range) unseen_open((int)given[2], "copy_file_range");
  return raw(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
