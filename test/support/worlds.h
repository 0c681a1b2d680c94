// Small worlds for tests. All fail the test, with the sentence, when a call is refused.
#ifndef SN_TEST_SUPPORT_WORLDS_H
#define SN_TEST_SUPPORT_WORLDS_H

#include "model/model.h"
#include "sinew/world.h"

// Fails the test when `status` is negative.
void expect_done(SinewStatus status, const SinewError *error);

SinewWorld *world_make(int worker_count);

// A box from the origin to `size` along x, y and z, of cells of `size` / `cells`.
SinewBodyDef world_box_def(double size, int cells);
SinewBodyId world_add_box(SinewWorld *world, double size, int cells);

// The same, which obeys `model` instead of newton.
SinewBodyId world_add_box_with(SinewWorld *world, const SnModel *model, double size, int cells);

SinewRegion region_box(double x0, double y0, double z0, double x1, double y1, double z1);

// Holds what is in the region.
SinewPinId world_hold(SinewWorld *world, SinewBodyId body, SinewRegion region);

SinewColliderId world_add_floor(SinewWorld *world, double height);

// A probe that needs no place.
SinewProbeId world_probe(SinewWorld *world, SinewBodyId body, SinewReport report);
void world_read(const SinewWorld *world, SinewProbeId probe, double values[6]);

void world_steps(SinewWorld *world, int count, double seconds);

// Of all lent positions, normals, vertices and velocities of a body.
uint64_t world_hash(const SinewWorld *world, SinewBodyId body);

#endif
