// An allocator that fails at the n-th call and counts what is still out, for the tests that make
// every allocation of a function fail once.
#ifndef SN_TEST_SUPPORT_FAIL_ALLOCATOR_H
#define SN_TEST_SUPPORT_FAIL_ALLOCATOR_H

#include "sinew/base.h"

typedef struct SnFailAllocator {
    SinewAllocator allocator;
    int64_t calls;   // allocations asked for so far
    int64_t fail_at; // the call that returns NULL, counted from 0; -1: none
    int64_t blocks;  // blocks not yet released
    int64_t bytes;   // bytes not yet released
} SnFailAllocator;

// `self` must not move while the allocator is in use.
void sn_fail_allocator_init(SnFailAllocator *self, int64_t fail_at);

// Runs `body` with the 0th, 1st, 2nd... allocation failing until a run needs no more allocations
// than were allowed. Each failing run must answer SINEW_ERROR_MEMORY and leave nothing allocated;
// the last must answer SINEW_OK and leave nothing either. Returns the number of allocations of a
// whole run.
typedef SinewStatus SnAllocatingFn(const SinewAllocator *allocator, void *context,
                                   SinewError *error);
int64_t sn_fail_each_allocation(SnAllocatingFn *body, void *context);

#endif
