#include "bench/pages.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { LARGE_PAGE = 2 << 20 };

void *sn_pages_alloc(size_t size, bool *out_asked)
{
    *out_asked = false;
    size = sn_round_up(size, LARGE_PAGE);
    void *memory = aligned_alloc(LARGE_PAGE, size);
    if (memory == NULL) {
        return NULL;
    }
#if defined(MADV_HUGEPAGE)
    *out_asked = madvise(memory, size, MADV_HUGEPAGE) == 0;
#endif
    memset(memory, 0, size);
    return memory;
}

void sn_pages_free(void *memory)
{
    free(memory);
}
