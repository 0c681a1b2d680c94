// Springs of any stiffness on the voxel model: bodies that hang by them go where they should, in as
// many iterations as by soft ones.
#include "support/test.h"

#include "base/status.h"
#include "support/dropped.h"

#include <math.h>

enum { STEPS = 12, SURFACE_MOST = 4000, PLACES_MOST = 5, SIDE = 14, SOFT_STEPS = 40 };

// A ball of 0.6 m that hangs by springs between points inside of it and a frame that stays.
typedef struct Case {
    SinewVoxelDef voxel;
    double young;     // Pa
    double stiffness; // N/m
    int points;       // up to PLACES_MOST
    int resolution;
    bool slides; // springs pull along y alone
    int side;    // not 0: instead of points, side x side of them over a square of 0.1 m
    int normal;  // the axis across it
} Case;

// Inside the ball, and in several cells.
static const double places[3 * PLACES_MOST] = {0.25, 0.6,  0.0,  0.25, 0.65, 0.05, 0.2, 0.6,
                                               0.02, 0.22, 0.55, 0.03, 0.2,  0.7,  0.0};

// Points over a square.
static void fill_square(int side, int normal, double out[3 * SIDE * SIDE])
{
    const double middle[3] = {0.25, 0.6, 0.0};
    for (int i = 0; i < side * side; ++i) {
        double at[2] = {0.1 * (i % side) / (side - 1) - 0.05, 0.1 * (i / side) / (side - 1) - 0.05};
        memcpy(out + 3 * (size_t)i, middle, sizeof middle);
        out[3 * i + (normal + 1) % 3] += at[0];
        out[3 * i + (normal + 2) % 3] += at[1];
    }
}

static SinewStatus hung_world(const SinewAllocator *allocator, int workers, const void *context,
                              SinewWorld **out_world, SinewBodyId *out_body, SinewError *error)
{
    const Case *c = context;
    SinewStatus status = SINEW_OK;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = dropped_ball_def(SINEW_MODEL_VOXEL, c->resolution);
    SinewAttachmentDef tie = sinew_attachment_def_default();
    SinewAttachmentId id;
    double square[3 * SIDE * SIDE];
    *out_world = NULL;
    if (allocator != NULL) {
        world_def.allocator = *allocator;
    }
    world_def.worker_count = workers;
    def.shape.center[1] = 0.6;
    def.material.young = c->young;
    def.material.poisson = 0.4;
    def.material.damping_mass = 1.0;
    def.voxel = c->voxel;
    SN_TRY(sinew_world_create(&world_def, out_world, error));
    SN_TRY(sinew_world_add_body(*out_world, &def, out_body, error));
    tie.body = *out_body;
    fill_square(c->side, c->normal, square);
    tie.points = c->side > 0 ? square : places;
    tie.point_count = c->side > 0 ? c->side * c->side : c->points;
    tie.stiffness = c->stiffness;
    tie.normal[1] = c->slides ? 1.0 : 0.0;
    SN_TRY(sinew_world_add_attachment(*out_world, &tie, &id, error));

done:
    return status;
}

static Case some_case(SinewVoxelMode mode, double stiffness)
{
    Case c = {.voxel = sinew_voxel_def_default(),
              .young = 2e5,
              .stiffness = stiffness,
              .points = 1,
              .resolution = 5};
    c.voxel.mode = mode;
    c.voxel.fine_levels = 1;
    c.voxel.tolerance = 1e-6;
    return c;
}

// What comes of a case.
typedef struct Outcome {
    int count;
    float surface[3 * SURFACE_MOST]; // m
    int linearisations, iterations, rescues;
    double residual; // the largest of all steps
} Outcome;

static void hang(const Case *c, Outcome *out)
{
    SinewBodyId body;
    SinewWorld *world = world_made(hung_world, c, &body);
    SinewProbeId volume = world_probe(world, body, SINEW_REPORT_VOLUME);
    double values[6];
    *out = (Outcome){0};
    for (int t = 0; t < STEPS; ++t) {
        world_steps(world, 1, 0.01);
        SinewStepReport report = sinew_world_report(world);
        out->linearisations += report.iterations;
        out->iterations += report.linear_solves;
        out->rescues += report.rescues;
        out->residual = fmax(out->residual, report.residual);
        world_read(world, volume, values);
        assert_true(values[2] == 0.0); // inverted cells
    }
    SinewPoints points = sinew_body_surface(world, body);
    assert_true(points.count > 0 && points.count <= SURFACE_MOST);
    out->count = points.count;
    memcpy(out->surface, points.xyz, 3 * (size_t)points.count * sizeof *out->surface);
    sinew_world_destroy(world);
}

static double farthest(const Outcome *a, const Outcome *b)
{
    double most = 0.0;
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < 3 * a->count; ++i) {
        double apart = fabs((double)a->surface[i] - (double)b->surface[i]);
        most = apart > most ? apart : most; // gcc 12 for ARM ends in fmax of such sums
    }
    return most;
}

static Outcome found, wanted;

static const double stiffness[] = {1e5, 1e6, 1e7, 1e8, 1e9}; // N/m
enum { STIFFNESSES = sizeof stiffness / sizeof *stiffness };

// How far a given number of linearisations may be from many, of the body's size: as far as with
// soft springs. Places are told in float, to 1e-7.
static const double near[] = {1e-6, 5e-4, 5e-5, 5e-6};

static void expect_counted(const Case *c, int newton)
{
    Case counted = *c;
    counted.voxel.newton = newton;
    hang(&counted, &found);
    assert_at_most(farthest(&found, &wanted), near[newton] * 0.6);
    // What one linearisation leaves of the first turns is 1e-6 m, and at 1e9 N/m as much force as
    // there is: such steps take more.
    assert_true(found.rescues <= (newton == 1 && c->stiffness > 1e8 ? STEPS / 4 : 0));
    assert_true(found.linearisations <= newton * STEPS + 9 * found.rescues);
    assert_at_most(found.residual, 0.5);
}

// What a factor finds is where iterations go, and in as many of them as by a soft spring.
static void condensed_bodies_hang_by_stiff_springs(void **state)
{
    (void)state;
    int linearisations = 0, iterations = 0, factors = 0;
    for (int s = 0; s < STIFFNESSES; s += sn_test_is_slow() ? 4 : 1) {
        Case c = some_case(SINEW_VOXEL_CONDENSED, stiffness[s]);
        c.voxel.solver = SINEW_VOXEL_DIRECT;
        hang(&c, &wanted);
        factors = s == 0 ? wanted.linearisations : factors;
        assert_true(wanted.linearisations <= 2 * factors && wanted.residual <= 1e-6);
        c.voxel.solver = SINEW_VOXEL_AUTO;
        hang(&c, &found);
        assert_at_most(farthest(&found, &wanted), near[0] * 0.6);
        linearisations = s == 0 ? found.linearisations : linearisations;
        iterations = s == 0 ? found.iterations : iterations;
        // Two a step by a soft spring; what turns about a stiff one takes up to four.
        assert_at_most(found.linearisations, 2.5 * linearisations);
        assert_at_most(found.iterations, 2.5 * iterations);

        assert_true(found.residual <= 1e-6 && found.rescues == 0);
        for (int newton = 1; newton <= 3; ++newton) {
            expect_counted(&c, newton);
        }
    }
}

static void paper_bodies_hang_by_stiff_springs(void **state)
{
    (void)state;
    for (int s = 0; s < STIFFNESSES; s += sn_test_is_slow() ? 4 : 1) {
        Case c = some_case(SINEW_VOXEL_PAPER, stiffness[s]);
        c.voxel.newton = 8;
        c.voxel.pcg = 50;
        hang(&c, &wanted);
        c.voxel.pcg = 0;
        for (int newton = 1; newton <= 3; ++newton) {
            expect_counted(&c, newton);
        }
    }
}

// A spring gives way by its force over its stiffness, and what is stiffer than others by so much
// holds as a pin does.
static void very_stiff_springs_are_pins(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        Case c = some_case((SinewVoxelMode)mode, 1e7);
        c.voxel.newton = mode == SINEW_VOXEL_PAPER ? 3 : 0;
        hang(&c, &wanted);
        c.stiffness = 1e9;
        hang(&c, &found);
        // 1.5 kN over 1e7 N/m, and the turn that comes of it at the far side.
        assert_at_most(farthest(&found, &wanted), 1e-3 * 0.6);
    }
}

static double total_of(const double energies[6])
{
    return energies[0] + energies[1] + energies[2];
}

// A soft ball that stiff springs hold at many points strains the cells there by half. [E]'s forces,
// which are no gradient, bring in energy there, until cells invert or searches stop the body where
// it is. It has to swing back all the same, as it does in mode condensed, and to lose energy.
static void paper_bodies_swing_by_many_stiff_springs(void **state)
{
    (void)state;
    int runs = sn_test_share(6);
    for (int i = 0; i < runs; ++i) {
        Case c = some_case(SINEW_VOXEL_PAPER, stiffness[1 + i % 4]);
        SinewBodyId body;
        double energies[6], start = 0.0, shape[6], middle[6] = {0.0}, far = 0.0;
        int rescues = 0;
        c.young = 5e4;
        c.side = i == 5 ? SIDE : 7;
        c.normal = 1 - i % 2;
        c.voxel.newton = 1 + i % 3;
        c.voxel.integrator = i < 3 ? SINEW_INTEGRATOR_EULER : SINEW_INTEGRATOR_BDF2;
        SinewWorld *world = world_made(hung_world, &c, &body);
        SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
        SinewProbeId volume = world_probe(world, body, SINEW_REPORT_VOLUME);
        SinewProbeId place = world_probe(world, body, SINEW_REPORT_MEAN_DISPLACEMENT);
        for (int t = 0; t < 115; ++t) {
            world_steps(world, 1, 0.01);
            rescues += sinew_world_report(world).rescues;
            assert_at_most(sinew_world_report(world).residual, 0.5);
            world_read(world, energy, energies);
            world_read(world, volume, shape);
            world_read(world, place, middle);
            start = t == 0 ? total_of(energies) : start;
            assert_at_most(total_of(energies), start);
            assert_true(shape[2] == 0.0); // inverted cells
            far = fmax(far, middle[0]);
        }
        // A quarter of the ball's size to the side, and most of the way back.
        assert_true(far > 0.15 && middle[0] < 0.5 * far);
        assert_true(rescues > 0 && rescues <= 115 / 3);
        sinew_world_destroy(world);
    }
}

// Several points, springs that let them slide, coarser cells: no more iterations at 1e11 N/m than
// twice those of a soft spring, where blocks of vertices would take ten times as many.
static void springs_of_all_kinds_take_few_iterations(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind += sn_test_is_slow() ? 7 : 1) {
        Case c = some_case(SINEW_VOXEL_CONDENSED, 1e5);
        c.points = kind % 2 == 0 ? 1 : PLACES_MOST;
        c.slides = kind / 2 % 2 == 1;
        c.voxel.solver = kind / 4 == 1 ? SINEW_VOXEL_MULTILEVEL : SINEW_VOXEL_AUTO;
        c.young = kind / 4 == 1 ? 1e7 : 2e5;
        hang(&c, &wanted);
        c.stiffness = 1e11;
        hang(&c, &found);
        assert_true(found.residual <= 1e-6 && found.rescues == 0);
        // By a factor each linearisation is one solve. At 1e11 N/m rounding asks for some more.
        assert_true(found.iterations <= (kind < 4 ? 8 * STEPS : 2 * wanted.iterations));
    }
}

// More points than there are ties for go by the corners of their cells: in as many iterations, by
// factors too, as fewer of the same stiffness in all.
static void many_points_are_tied_by_their_corners(void **state)
{
    (void)state;
    for (int direct = 0; direct < 2; ++direct) {
        Case c = some_case(SINEW_VOXEL_CONDENSED, 1e9);
        c.voxel.solver = direct ? SINEW_VOXEL_DIRECT : SINEW_VOXEL_AUTO;
        c.side = 7;
        hang(&c, &wanted);
        c.side = SIDE;
        hang(&c, &found);
        assert_at_most(found.linearisations, 1.3 * wanted.linearisations);
        assert_at_most(found.iterations, 1.3 * wanted.iterations);
        assert_true(found.residual <= 1e-6 && found.rescues == 0);
        assert_at_most(farthest(&found, &wanted), 1e-3 * 0.6); // both hold the square
    }
}

// Equilibria by factors and by coarser cells, where springs alone hold a body.
static void equilibria_do_not_depend_on_the_solver(void **state)
{
    (void)state;
    SinewError error;
    for (int s = 0; s < 2 * STIFFNESSES; s += sn_test_is_slow() ? 9 : 1) {
        Case c = some_case(SINEW_VOXEL_CONDENSED, stiffness[s / 2]);
        SinewBodyId body;
        double values[2][6] = {{0.0}};
        c.points = PLACES_MOST;
        c.voxel.fine_levels = s % 2;
        for (int levels = 0; levels < 2; ++levels) {
            c.voxel.solver = levels == 0 ? SINEW_VOXEL_DIRECT : SINEW_VOXEL_MULTILEVEL;
            SinewWorld *world = world_made(hung_world, &c, &body);
            SinewProbeId middle = world_probe(world, body, SINEW_REPORT_MEAN_DISPLACEMENT);
            expect_done(sinew_world_solve_static(world, 0.1, 1e-6, &error), &error);
            assert_true(sinew_world_report(world).iterations <= 20);
            world_read(world, middle, values[levels]);
            sinew_world_destroy(world);
        }
        for (int k = 0; k < 3; ++k) {
            assert_at_most(fabs(values[0][k] - values[1][k]), 1e-5 * 0.6); // by the tolerance
        }
    }
}

static Case stiff_case(int newton)
{
    Case c = some_case(SINEW_VOXEL_CONDENSED, 1e9);
    c.points = PLACES_MOST;
    c.resolution = 5;
    c.voxel.newton = newton;
    return c;
}

// So strained after SOFT_STEPS that steps are rescued.
static Case soft_case(void)
{
    Case c = some_case(SINEW_VOXEL_PAPER, 1e7);
    c.young = 5e4;
    c.resolution = 3;
    c.side = 7;
    c.voxel.newton = 1;
    return c;
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    Case soft = soft_case();
    SinewBodyId body;
    SinewWorld *world = world_made(hung_world, &soft, &body);
    int rescues = 0;
    for (int t = 0; t < SOFT_STEPS; ++t) {
        world_steps(world, 1, 0.02); // as those that follow
        rescues += sinew_world_report(world).rescues;
    }
    sinew_world_destroy(world);
    assert_true(rescues > 0);
    world_bits_agree(hung_world, &soft, SOFT_STEPS, 8);
    for (int newton = 0; newton < 2; ++newton) {
        Case c = stiff_case(newton);
        world_bits_agree(hung_world, &c, 4, 8);
    }
}

static void steps_allocate_nothing_and_restore(void **state)
{
    (void)state;
    for (int newton = 0; newton < 2; ++newton) {
        Case c = stiff_case(newton);
        world_steps_allocate_nothing(hung_world, &c, 3);
    }
    Case soft = soft_case();
    world_steps_allocate_nothing(hung_world, &soft, SOFT_STEPS);
}

static SinewStatus stepped_world(const SinewAllocator *allocator, int workers, const void *context,
                                 SinewWorld **out_world, SinewBodyId *out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(hung_world(allocator, workers, context, out_world, out_body, error));
    SN_TRY(sinew_world_step(*out_world, 0.01, error));

done:
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    Case c = stiff_case(1);
    c.resolution = 2;
    // Room for springs is made by the first step.
    assert_true(world_allocations_fail(stepped_world, &c) > world_allocations_fail(hung_world, &c));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(condensed_bodies_hang_by_stiff_springs),
    cmocka_unit_test(paper_bodies_hang_by_stiff_springs),
    cmocka_unit_test(paper_bodies_swing_by_many_stiff_springs),
    cmocka_unit_test(very_stiff_springs_are_pins),
    cmocka_unit_test(springs_of_all_kinds_take_few_iterations),
    cmocka_unit_test(many_points_are_tied_by_their_corners),
    cmocka_unit_test(equilibria_do_not_depend_on_the_solver),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
    cmocka_unit_test(every_allocation_may_fail),
};

SN_TEST_GROUP(model_voxel_ties, tests);
