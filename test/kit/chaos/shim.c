// Preloaded into every process of a node (docs/testing.md): steps its clock and slows its disk, as the page of the node says.
// Built by test/kit/chaos/shim.ts: cc -shared -fPIC -O1 shim.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct page {
  int64_t clock_us; // added to the date
  int64_t disk_us;  // what each write to a file, and each fsync, takes longer
};

static const struct page *page;

__attribute__((constructor)) static void attach(void) {
  int file = open("/run/netns/page", O_RDONLY | O_CLOEXEC);
  if (file < 0) return; // not a process of a node
  struct stat about;
  if (fstat(file, &about) == 0 && about.st_size >= (off_t)sizeof *page) {
    void *found = mmap(NULL, sizeof *page, PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) page = found;
  }
  close(file);
}

#define REAL(name, type) \
  static type real; \
  if (real == NULL) real = (type)dlsym(RTLD_NEXT, name)

typedef int (*clock_gettime_t)(clockid_t, struct timespec *);
typedef int (*gettimeofday_t)(struct timeval *, void *);
typedef int (*sync_t)(int);
typedef ssize_t (*write_t)(int, const void *, size_t);

int clock_gettime(clockid_t clock, struct timespec *at) {
  REAL("clock_gettime", clock_gettime_t);
  int result = real(clock, at);
  if (result == 0 && page != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    at->tv_sec += page->clock_us / 1000000; // whole seconds
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  REAL("gettimeofday", gettimeofday_t);
  int result = real(at, zone);
  if (result == 0 && page != NULL) at->tv_sec += page->clock_us / 1000000;
  return result;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}

static void wait_for_disk(void) {
  if (page != NULL && page->disk_us > 0) usleep((useconds_t)page->disk_us);
}

int fsync(int file) {
  REAL("fsync", sync_t);
  wait_for_disk();
  return real(file);
}

int fdatasync(int file) {
  REAL("fdatasync", sync_t);
  wait_for_disk();
  return real(file);
}

ssize_t write(int file, const void *bytes, size_t length) {
  REAL("write", write_t);
  struct stat about;
  if (page != NULL && page->disk_us > 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode)) wait_for_disk();
  return real(file, bytes, length);
}
