// Preloaded into an engine by kept-engine.test.ts: each sync of a file takes half a second longer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

typedef int (*sync_t)(int);

int fdatasync(int file) {
  usleep(500000);
  return ((sync_t)dlsym(RTLD_NEXT, "fdatasync"))(file);
}
