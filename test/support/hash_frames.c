// Whole steps of the model of frames: setup with its finite-element solve and fit, then a bar that
// is held at one end, turned there and swings under its weight.
#include "support/hash_lines.h"

#include "base/hash.h"
#include "model/frames/body.h"

typedef struct Run {
    const char *name;
    SinewLaw law;
    SinewFramesMode mode;
    SinewFrameKind kind;
    SinewFrameWeights weights;
    int springs;
    double beta; // s, damping by stiffness
} Run;

static const Run runs[] = {
    {"frames_fitted", SINEW_LAW_COROTATED, SINEW_FRAMES_FITTED, SINEW_FRAME_RIGID,
     SINEW_FRAME_WEIGHTS_HARMONIC, 0, 0.0},
    {"frames_paper", SINEW_LAW_SVK, SINEW_FRAMES_PAPER, SINEW_FRAME_RIGID,
     SINEW_FRAME_WEIGHTS_BIHARMONIC, 0, 0.0},
    {"frames_affine", SINEW_LAW_FIXED_COROTATED, SINEW_FRAMES_FITTED, SINEW_FRAME_AFFINE,
     SINEW_FRAME_WEIGHTS_GEODESIC, 0, 0.0},
    {"frames_damped", SINEW_LAW_COROTATED, SINEW_FRAMES_FITTED, SINEW_FRAME_RIGID,
     SINEW_FRAME_WEIGHTS_HARMONIC, 0, 0.02},
    {"frames_springs", SINEW_LAW_COROTATED, SINEW_FRAMES_FITTED, SINEW_FRAME_RIGID,
     SINEW_FRAME_WEIGHTS_HARMONIC, 1, 0.02},
    {"frames_pairs", SINEW_LAW_SVK, SINEW_FRAMES_PAPER, SINEW_FRAME_RIGID,
     SINEW_FRAME_WEIGHTS_HARMONIC, 1, 0.0},
};

static SinewStatus make_body(const Run *run, const SnKernels *kernels, SnWorkers *workers,
                             SnFrames **out_body)
{
    SinewStatus status = SINEW_OK;
    SnShape shape = {.kind = SN_SHAPE_BOX, .box = {.max = {2.0, 0.5, 0.5}}};
    SnSolidDef solid_def = {
        .shape = &shape, .resolution = 1, .cells = {16, 4, 4}, .pose = sn_affine_identity()};
    SnSolid *solid = NULL;
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SinewMaterial given = sinew_material_default();
    SinewBodyDef options = sinew_body_def_default();
    SnModelDef def = {.workers = workers,
                      .kernels = kernels,
                      .name = "bar",
                      .materials = &materials,
                      .options = &options};
    given.law = run->law;
    given.young = 1e5;
    given.damping_stiffness = run->beta;
    options.frames.mode = run->mode;
    options.frames.kind = run->kind;
    options.frames.springs = run->springs;
    options.frames.weights = run->weights;
    options.frames.count = 4;
    options.frames.integrator = SINEW_INTEGRATOR_BDF2;
    SN_TRY(sn_material_make(&given, "bar", &material, NULL));
    SN_TRY(sn_solid_create(&solid_def, NULL, NULL, &solid, NULL));
    def.solid = solid;
    SN_TRY(sn_frames_model.create(&def, (void **)out_body, NULL));

done:
    sn_solid_destroy(solid);
    return status;
}

// The pin turns by a quarter of its sine a step: rotations from + and * alone.
static SinewStatus swing(SnFrames *body, SnWorkers *workers)
{
    SinewStatus status = SINEW_OK;
    SinewRegion end = {.kind = SINEW_REGION_BOX, .min = {-1, -1, -1}, .max = {0.01, 1, 1}};
    SnPin pin = {&end, {true, true, true}};
    SnAffine motion = sn_affine_identity();
    SinewStepReport report;
    SN_TRY(sn_frames_model.set_pins(body, &pin, 1, NULL));
    for (int i = 0; i < 8; ++i) {
        SnStep step = {
            .dt = 0.01, .gravity = {0.0, -9.81, 1.0}, .pin_motions = &motion, .workers = workers};
        double cosine = 1.0 - 0.02, sine = 0.198997487421324; // of one angle
        SnAffine turn = {{1, 0, 0, 0, 0, cosine, -sine, 0, 0, sine, cosine, 0}};
        motion = sn_affine_multiply(&turn, &motion);
        SN_TRY(sn_frames_model.step(body, &step, &report, NULL));
    }

done:
    return status < 0 ? status : SINEW_OK;
}

int hash_frames(const SnKernels *kernels, SnWorkers *workers, FILE *out)
{
    int failed = 0;
    for (size_t r = 0; r < sizeof runs / sizeof *runs; ++r) {
        SnFrames *body = NULL;
        failed |= make_body(&runs[r], kernels, workers, &body) < 0;
        failed |= body == NULL || swing(body, workers) < 0;
        if (body != NULL) {
            SinewBodyMesh mesh = sn_frames_model.mesh(body);
            size_t size = 3 * (size_t)mesh.vertex_count * sizeof *mesh.positions;
            uint64_t hash = sn_hash(SN_HASH_START, mesh.positions, size);
            hash_line(out, runs[r].name, kernels, sn_hash(hash, mesh.velocities, size));
        }
        sn_frames_model.destroy(body);
    }
    return failed;
}
