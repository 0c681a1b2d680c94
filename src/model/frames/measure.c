// What a body of frames tells of itself: energies, momentum, volume.
#include "model/frames/body.h"

#include "math/mat3.h"

#include <math.h>

static void measure_lumps(const SnFrames *body, SnMeasure *out)
{
    for (int p = 0; p < body->lumps.count; ++p) {
        const double *x = body->state.places + 3 * (size_t)p;
        const double *v = body->state.velocities + 3 * (size_t)p;
        double mass = body->lump_masses[p];
        for (int k = 0; k < 3; ++k) {
            out->kinetic += 0.5 * mass * v[k] * v[k];
            out->momentum[k] += mass * v[k];
            out->mass_center[k] += mass * x[k];
        }
        out->angular_momentum[0] += mass * (x[1] * v[2] - x[2] * v[1]);
        out->angular_momentum[1] += mass * (x[2] * v[0] - x[0] * v[2]);
        out->angular_momentum[2] += mass * (x[0] * v[1] - x[1] * v[0]);
        out->mass += mass;
    }
    for (int k = 0; k < 3; ++k) {
        out->mass_center[k] /= out->mass;
    }
}

void sn_frames_measure(const void *body_, SnMeasure *out)
{
    const SnFrames *body = body_;
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    double slopes[24], gradient[SN_FRAMES_BLEND_MAX] = {0.0};
    double volume = body->grid.cubes.edge * body->grid.cubes.edge * body->grid.cubes.edge;
    *out = (SnMeasure){.residual = body->state.clock[SN_FRAMES_CLOCK_RESIDUAL],
                       .smallest_det = INFINITY};
    measure_lumps(body, out);
    // The room is free between steps.
    SnFrames *room_of = (SnFrames *)(uintptr_t)body;
    sn_frames_blend(body, body->state.poses, body->room.frames);
    SnSamplesDef samples = {.samples = &body->samples,
                            .room = &room_of->parts,
                            .workers = body->workers,
                            .kernels = body->kernels,
                            .frames = body->room.frames};
    out->elastic = sn_samples_evaluate(&samples, gradient, NULL, NULL);
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
        out->inverted_count += !(det > 0.0);
        if (det < out->smallest_det || !(det == det)) {
            out->smallest_det = det;
            out->smallest_element = e;
        }
    }
}
