// What bodies of `split` and of `tetmg` must do alike, for the tests of both: each takes a rig's
// def, makes the body, and fails the test where it does otherwise.
#ifndef SN_TEST_SUPPORT_SPLIT_CHECKS_H
#define SN_TEST_SUPPORT_SPLIT_CHECKS_H

#include "support/split_rig.h"

// S5 of the validation set: the default beam under its weight bends as two other codes say, and its
// wall carries it.
void sn_split_check_beam(const SnSplitRigDef *def);

// Largest distance of a vertex from `newton`'s after ten steps of a falling cantilever of the def's
// size, law, regions and rule, m. Ten by two by two cells.
double sn_split_newton_distance(SnSplitRigDef def, SinewIntegrator rule);

// Of all places after steps of a beam that is held at one end.
uint64_t sn_split_hash_after(const SnSplitRigDef *def, int steps);

// A state that was restored goes on with the same bits, by another time step.
void sn_split_check_restored(const SnSplitRigDef *def);

// A pin that holds two axes and moves along one of them; only the first step factors.
void sn_split_check_pins(const SnSplitRigDef *def);

void sn_split_check_warm_steps_allocate_nothing(const SnSplitRigDef *def);

// Makes a small body with the allocator, steps it once and asks for a material point: for
// sn_fail_each_allocation.
SinewStatus sn_split_try_small(SnSplitRigDef def, const SinewAllocator *allocator,
                               SinewError *error);

// The armadillo of that size ("16k") held by a hand, E 1e6 Pa, under gravity; skips the test where
// there is none. The mesh is to be destroyed after the rig.
SnSplitRig sn_split_armadillo(SnSplitRigDef def, const char *size, SnTetMesh **out_mesh);

// S1 of the validation set: fifty steps of 10 ms of 15,929 tets follow converged backward Euler to
// 1 %, without a rescue.
void sn_split_check_swing(const SnSplitRigDef *def);

#endif
