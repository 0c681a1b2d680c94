// Large arrays for benches, on large pages where the system gives them: with small ones the search
// for the page, not the memory, would limit what a stream over many megabytes reaches.
#ifndef SN_BENCH_PAGES_H
#define SN_BENCH_PAGES_H

#include <stdbool.h>
#include <stddef.h>

// `size` bytes, zero and touched, so that no page is missing when the clock runs. NULL when memory
// is short. out_asked tells whether the system accepted the wish for large pages.
void *sn_pages_alloc(size_t size, bool *out_asked);

// NULL is fine.
void sn_pages_free(void *memory);

#endif
