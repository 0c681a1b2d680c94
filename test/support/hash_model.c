// Models: a voxel body that hangs and turns, in both modes, by given and by converged iterations.
#include "base/hash.h"
#include "model/model.h"
#include "support/hash_lines.h"

enum { STEPS = 6 };

static SinewStatus make(const SnKernels *kernels, SnWorkers *workers, SinewVoxelMode mode,
                        int newton, void **out_body)
{
    SinewStatus status = SINEW_OK;
    static const SnShape parts[2] = {
        {.kind = SN_SHAPE_BOX, .box = {.min = {0.0, 0.0, 0.0}, .max = {2.5, 1.0, 0.6}}},
        {.kind = SN_SHAPE_BOX, .box = {.min = {1.75, 0.0, 0.0}, .max = {2.5, 1.0, 1.75}}}};
    static const SnShape shape = {.kind = SN_SHAPE_BLOB, .blob = {parts, 2, 0.0}};
    SnSolidDef solid_def = {.shape = &shape, .resolution = 5, .pose = sn_affine_identity()};
    SinewMaterial given = sinew_material_default();
    SinewBodyDef options = sinew_body_def_default();
    SnMaterial material;
    SnMaterials list = {&material, NULL, 0};
    SnSolid *solid = NULL;
    given.young = 1e5;
    options.voxel.mode = mode;
    options.voxel.newton = newton;
    options.voxel.fine_levels = 1;
    options.voxel.tolerance = 1e-4;
    SN_TRY(sn_material_make(&given, "the body", &material, NULL));
    SN_TRY(sn_solid_create(&solid_def, workers, NULL, &solid, NULL));
    SnModelDef def = {.name = "body",
                      .materials = &list,
                      .options = &options,
                      .kernels = kernels,
                      .workers = workers,
                      .solid = solid};
    SN_TRY(sn_voxel_model.create(&def, out_body, NULL));

done:
    sn_solid_destroy(solid);
    return status;
}

static SinewStatus hash_voxel(const SnKernels *kernels, SnWorkers *workers, SinewVoxelMode mode,
                              int newton, uint64_t *out_hash)
{
    SinewStatus status = SINEW_OK;
    static const SinewRegion wall = {
        .kind = SINEW_REGION_BOX, .min = {-1.0, -9.0, -9.0}, .max = {0.1, 9.0, 9.0}};
    SnPin pin = {.region = &wall, .axes = {true, true, true}};
    SnAffine still = sn_affine_identity();
    SnStep step = {
        .dt = 0.02, .gravity = {0.0, -3.0, -9.0}, .pin_motions = &still, .workers = workers};
    SinewStepReport report;
    void *body = NULL;
    SN_TRY(make(kernels, workers, mode, newton, &body));
    SN_TRY(sn_voxel_model.set_pins(body, &pin, 1, NULL));
    for (int n = 0; n < STEPS; ++n) {
        SN_TRY(sn_voxel_model.step(body, &step, &report, NULL));
    }
    SinewBodyMesh mesh = sn_voxel_model.mesh(body);
    *out_hash = sn_hash(*out_hash, mesh.positions, 3 * (size_t)mesh.vertex_count * sizeof(double));

done:
    sn_voxel_model.destroy(body);
    return status;
}

int hash_model(const SnKernels *kernels, SnWorkers *workers, FILE *out)
{
    int failed = 0;
    uint64_t hash = SN_HASH_START;
    for (int n = 0; n < 4; ++n) {
        failed |=
            hash_voxel(kernels, workers, n % 2 == 0 ? SINEW_VOXEL_CONDENSED : SINEW_VOXEL_PAPER,
                       n < 2 ? 2 : 0, &hash) < 0;
    }
    hash_line(out, "voxel", kernels, hash);
    return failed;
}
