#include "support/lattice_rig.h"

#include "support/test.h"
#include "support/worlds.h"

static void hold_ends(LatticeRig *rig, const int cells[3])
{
    double big = 1e3, length = cells[0];
    SinewRegion ends[2] = {region_box(-1, -big, -big, 1e-6, big, big),
                           region_box(length - 1e-6, -big, -big, big, big, big)};
    SnPin pins[2] = {{.region = &ends[0], .axes = {true, true, true}},
                     {.region = &ends[1], .axes = {true, true, true}}};
    assert_int_equal(sn_lattice_model.set_pins(rig->body, pins, 2, NULL), SINEW_OK);
}

static void make_body(LatticeRig *rig, const SnSolidDef *solid, double poisson,
                      const SinewLatticeDef *options)
{
    const SnKernels *kernels = NULL;
    SinewMaterial given = sinew_material_default();
    SinewBodyDef body_def = sinew_body_def_default();
    SnMaterials list = {&rig->material, NULL, 0};
    SnModelDef def = {.name = "bar", .materials = &list, .options = &body_def};
    given.poisson = poisson;
    body_def.lattice = *options;
    *rig = (LatticeRig){.motions = {sn_affine_identity(), sn_affine_identity()}};
    assert_int_equal(sn_material_make(&given, "the bar", &rig->material, NULL), SINEW_OK);
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
    assert_int_equal(sn_solid_create(solid, NULL, NULL, &rig->solid, NULL), SINEW_OK);
    def.kernels = kernels;
    def.solid = rig->solid;
    assert_int_equal(sn_lattice_model.create(&def, (void **)&rig->body, NULL), SINEW_OK);
}

void lattice_rig_make(LatticeRig *rig, const int cells[3], double poisson,
                      const SinewLatticeDef *options)
{
    SnShape shape = {.kind = SN_SHAPE_BOX};
    SnSolidDef solid = {.shape = &shape, .resolution = cells[0], .pose = sn_affine_identity()};
    for (int k = 0; k < 3; ++k) {
        shape.box.max[k] = cells[k];
        solid.cells[k] = cells[k];
    }
    make_body(rig, &solid, poisson, options);
    hold_ends(rig, cells);
}

void lattice_rig_make_shape(LatticeRig *rig, const SnShape *shape, int resolution,
                            const SinewLatticeDef *options)
{
    SnSolidDef solid = {.shape = shape, .resolution = resolution, .pose = sn_affine_identity()};
    make_body(rig, &solid, 0.4, options);
}

void lattice_rig_release(LatticeRig *rig)
{
    sn_lattice_model.destroy(rig->body);
    sn_solid_destroy(rig->solid);
}

static SinewStatus solve(LatticeRig *rig, double tolerance, SinewError *error)
{
    SnStep step = {.pin_motions = rig->motions, .tolerance = tolerance};
    return sn_lattice_model.solve_static(rig->body, &step, &rig->report, error);
}

SinewStatus lattice_rig_stretch(LatticeRig *rig, double factor, double tolerance, SinewError *error)
{
    rig->motions[1] = sn_affine_identity();
    rig->motions[1].m[3] = (factor - 1.0) * rig->body->size;
    return solve(rig, tolerance, error);
}

SinewStatus lattice_rig_twist(LatticeRig *rig, double factor, double tolerance, SinewError *error)
{
    const double *last =
        rig->body->mesh->positions + 3 * (size_t)(rig->body->mesh->vertex_count - 1);
    double y = 0.5 * last[1], z = 0.5 * last[2];
    rig->motions[1] = (SnAffine){{1.0, 0.0, 0.0, (factor - 1.0) * rig->body->size, 0.0, 0.0, -1.0,
                                  y + z, 0.0, 1.0, 0.0, z - y}};
    return solve(rig, tolerance, error);
}
