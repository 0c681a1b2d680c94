// Checks that make the same world again and again, and the worlds that most of them take: a body
// dropped on a floor, or one that flies. All checks fail the test, with the sentence, when a call
// is refused that should not be.
#ifndef SN_TEST_SUPPORT_DROPPED_H
#define SN_TEST_SUPPORT_DROPPED_H

#include "support/worlds.h"

// Makes a world with a body. `allocator` may be NULL. What is in *out_world is the caller's to
// destroy, NULL too, and also where the answer is an error.
typedef SinewStatus WorldFn(const SinewAllocator *allocator, int workers, const void *context,
                            SinewWorld **out_world, SinewBodyId *out_body, SinewError *error);

// A soft ball of radius 0.3 just above the floor of dropped_world.
SinewBodyDef dropped_ball_def(SinewModelKind model, int resolution);

// The body of the SinewBodyDef `context`, with weight and a floor at y = 0; or alone and without
// weight.
WorldFn dropped_world;
WorldFn flying_world;

// For tests that make one world alone.
SinewWorld *world_made(WorldFn *make, const void *context, SinewBodyId *out_body);

// After `steps` steps the bits are the same for 1, 2, 3 and 8 workers, or those of them that are no
// more than `most_workers`.
void world_bits_agree(WorldFn *make, const void *context, int steps, int most_workers);

// After `warm` steps neither as many more nor saving and restoring allocate; steps from a restored
// state give the same bits as before; and nothing is left when the world is gone.
void world_steps_allocate_nothing(WorldFn *make, const void *context, int warm);

// Makes each allocation of `make` fail once, as sn_fail_each_allocation. Returns their number.
int64_t world_allocations_fail(WorldFn *make, const void *context);

// A world refuses the body, or, where it takes it, to solve for its rest with nothing that holds
// it, with a sentence that has these words.
void expect_body_refused(const SinewBodyDef *def, SinewStatus status, const char *words);
void expect_rest_refused(const SinewBodyDef *def, SinewStatus status, const char *words);

#endif
