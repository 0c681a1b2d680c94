// What a body of frames tells of itself: energies, momentum, volume.
#include "model/frames/body.h"

#include "math/mat3.h"
#include "model/measure.h"

#include <math.h>

void sn_frames_measure(const void *body_, SnMeasure *out)
{
    const SnFrames *body = body_;
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    double slopes[24], gradient[SN_FRAMES_BLEND_MAX] = {0.0};
    double volume = body->grid.cubes.edge * body->grid.cubes.edge * body->grid.cubes.edge;
    *out = (SnMeasure){.residual = body->state.clock[SN_FRAMES_CLOCK_RESIDUAL],
                       .smallest_det = INFINITY};
    sn_measure_masses(out, body->lump_masses, body->state.places, body->state.velocities,
                      body->lumps.count);
    // The room is free between steps.
    SnFrames *room_of = (SnFrames *)(uintptr_t)body;
    sn_frames_blend(body, body->state.poses, body->room.frames);
    SnSamplesDef samples = {.samples = &body->samples,
                            .room = &room_of->parts,
                            .workers = body->workers,
                            .kernels = body->kernels,
                            .frames = body->room.frames};
    out->elastic = sn_samples_evaluate(&samples, gradient, NULL, NULL);
    if (body->is_affine) {
        body->room.known[0] = 0.0; // determinants are of this evaluation
    }
    out->elastic += sn_springs_evaluate(&body->springs, body->state.poses, 0.0, gradient, NULL);
    sn_frames_follow(body);
    sn_frames_grid_slopes(&body->grid, slopes);
    for (int e = 0; e < mesh->hex_count; ++e) {
        double F[9] = {0.0};
        for (int n = 0; n < 72; ++n) {
            int c = n / 9;
            F[n % 9] += body->mesh_places[3 * mesh->hexes[8 * (size_t)e + (size_t)c] + n % 9 / 3] *
                        slopes[3 * c + n % 3];
        }
        double det = sn_mat3_determinant(F);
        out->volume += det * volume;
        sn_measure_det(out, e, det);
    }
}
