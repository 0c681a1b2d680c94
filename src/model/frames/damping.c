#include "model/frames/damping.h"

#include <math.h>
#include <string.h>

void sn_frames_damping_release(SnFramesDamping *damping, const SinewAllocator *allocator)
{
    sn_free(allocator, damping->betas);
    sn_free(allocator, damping->roots);
    sn_free(allocator, damping->offsets);
    *damping = (SnFramesDamping){0};
}

// The first material that damps by stiffness, or -1.
static int damped_material(const SnFrames *body)
{
    for (int m = 0; m < body->material_count; ++m) {
        if (body->materials[m].damping_stiffness > 0.0) {
            return m;
        }
    }
    return -1;
}

// Beta of a joint: the mean over what its frames share, by stiffness.
static double beta_of(const SnFrames *body, const SnJointRest *joint)
{
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    int frames = body->frame_count;
    double sum = 0.0, total = 0.0;
    for (int e = 0; e < mesh->hex_count; ++e) {
        const SnMaterial *material = &body->materials[body->grid.materials[e]];
        double a = 0.0, b = 0.0;
        for (int c = 0; c < 8; ++c) {
            const double *w = body->weights + (size_t)frames * (size_t)mesh->hexes[8 * e + c];
            a += w[joint->frames[0]];
            b += w[joint->frames[1]];
        }
        // Frames that share nothing have the mean of all.
        double share = material->law.mu * sn_frames_grid_stiffness(&body->grid, e) *
                       (fmax(a * b, 0.0) + 1e-12);
        sum += share * material->damping_stiffness;
        total += share;
    }
    return sum / total;
}

static SinewStatus damp_samples(SnFrames *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFramesDamping *damping = &body->damping;
    size_t numbers = SN_FRAMES_GROUP * (size_t)sn_samples_groups(body->samples.count);
    SN_ALLOC_ZERO(damping->betas, &body->allocator, numbers, error);
    SN_ALLOC_ZERO(damping->roots, &body->allocator, SN_FRAMES_ROOT * numbers, error);
    SN_ALLOC_ZERO(damping->offsets, &body->allocator, 6 * numbers, error);
    for (int s = 0; s < body->samples.count; ++s) {
        int cell = body->samples.cells[s];
        damping->betas[s] = body->materials[body->grid.materials[cell]].damping_stiffness;
    }

done:
    return status;
}

SinewStatus sn_frames_damping_create(SnFrames *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSamples *samples = &body->samples;
    int material = damped_material(body);
    bool fitted = samples->stiffness != NULL;
    if (material < 0) {
        return SINEW_OK;
    }
    if (samples->count > 0 && (samples->group_X == NULL || (!fitted && body->options.geometric))) {
        return sn_fail_at(
            error, SINEW_ERROR_ARGUMENT, material,
            "body \"%s\": stiffness damping of material %d is %g s, expected 0 for "
            "frames but rigid ones with springs, law corotated, or svk without geometric in mode "
            "paper",
            body->name, material, body->materials[material].damping_stiffness);
    }
    body->damping.any = true;
    if (samples->count > 0) {
        SN_TRY(damp_samples(body, error));
    }
    for (int n = 0; n < body->springs.count; ++n) {
        body->springs.betas[n] = beta_of(body, &body->springs.rests[n]);
    }

done:
    return status;
}

// Strains --------------------------------------------------------------------------------------

// Of a sample, as kernels measure them.
static void strain_of(const SnSamples *samples, int s, const double *frames, double out[6])
{
    static const int rows[6] = {0, 1, 2, 1, 0, 0}, columns[6] = {0, 1, 2, 2, 2, 1};
    const double *weights =
        samples->weights + SN_BLEND_WEIGHTS * (size_t)samples->frame_count * (size_t)s;
    double z[32];
    SnBlend blend;
    memset(out, 0, 6 * sizeof *out);
    sn_blend_gather(frames, samples->frame_count, weights, z);
    if (!sn_blend_make(z, samples->X + 3 * (size_t)s, &blend)) {
        return; // the step is refused for that
    }
    const double *D = blend.D;
    for (int n = 0; n < 6; ++n) {
        int a = rows[n], b = columns[n];
        double product = D[a] * D[b] + D[3 + a] * D[3 + b] + D[6 + a] * D[6 + b];
        if (samples->stiffness == NULL) { // Green's
            out[n] = n < 3 ? 0.5 * (product - 1.0) : product;
        } else {
            out[n] = n < 3 ? D[4 * a] - 1.0 : D[3 * a + b] + D[3 * b + a];
        }
    }
}

typedef struct Begin {
    const SnFramesProblem *problem;
    double now[SN_FRAMES_BLEND_MAX], last[SN_FRAMES_BLEND_MAX]; // of blends
    double ahead;                                               // e* = e + ahead (e - e_last)
} Begin;

static void begin_range(void *context, int begin, int end, int worker)
{
    const Begin *job = context;
    const SnFrames *body = job->problem->body;
    const SnFramesDamping *damping = &body->damping;
    (void)worker;
    for (int s = begin; s < end; ++s) {
        size_t group = (size_t)s / SN_FRAMES_GROUP, lane = (size_t)s % SN_FRAMES_GROUP;
        double k = job->problem->v_rate * damping->betas[s], now[6], last[6] = {0.0};
        strain_of(&body->samples, s, job->now, now);
        if (job->ahead > 0.0) {
            strain_of(&body->samples, s, job->last, last);
        }
        for (size_t n = 0; n < 6; ++n) {
            damping->offsets[(6 * group + n) * SN_FRAMES_GROUP + lane] =
                k / (1.0 + k) * (now[n] + job->ahead * (now[n] - last[n]));
        }
        for (size_t n = 0; n < SN_FRAMES_ROOT; ++n) {
            size_t at = (SN_FRAMES_ROOT * group + n) * SN_FRAMES_GROUP + lane;
            damping->roots[at] = sqrt(1.0 + k) * body->samples.group_roots[at];
        }
    }
}

void sn_frames_damping_begin(const SnFramesProblem *problem)
{
    enum { GRAIN = 256 };
    const SnFrames *body = problem->body;
    const SnSprings *springs = &body->springs;
    Begin job = {.problem = problem, .ahead = problem->v_last / problem->v_rate};
    if (!body->damping.any) {
        return;
    }
    if (body->samples.count > 0) {
        sn_frames_blend(body, body->room.start, job.now);
        sn_frames_blend(body, body->state.last_poses, job.last);
        sn_parallel_for(problem->workers, body->samples.count, GRAIN, begin_range, &job);
    }
    if (springs->count > 0) {
        sn_springs_aim(springs, body->room.start, body->state.last_poses, job.ahead);
    }
}
