// Penalty contact: forces are gradients, and a point mass does what Coulomb's law says.
#include "support/fail_allocator.h"
#include "support/shapes.h"
#include "support/test.h"

#include "base/random.h"
#include "contact/penalty.h"
#include "geometry/point.h"
#include "math/angle.h"
#include "math/mat3.h"

#include <math.h>

static SnCollider *make_collider(const SinewShape *shape, const SnSurface *surface, double friction)
{
    SnCollider *collider = NULL;
    assert_int_equal(
        sn_collider_create(shape, surface, friction, NULL, NULL, "collider", &collider, NULL),
        SINEW_OK);
    return collider;
}

static SnPenalty *make_penalty(const double *areas, int count, int collider_count)
{
    SnPenalty *penalty = NULL;
    assert_int_equal(sn_penalty_create(areas, count, NULL, &penalty, NULL), SINEW_OK);
    assert_int_equal(sn_penalty_reserve(penalty, collider_count, NULL), SINEW_OK);
    return penalty;
}

// Derivatives ------------------------------------------------------------------------------------

// Force against energy and stiffness against force by central differences, for a point near x.
// `curved` bounds what the stiffness leaves out, N/m.
static void check_derivatives(SnPenalty *penalty, const double x[3], double curved)
{
    const double step = 1e-6;
    SnPointForce at, low, high;
    sn_penalty_evaluate(penalty, 0, 1, x, &at);
    for (int j = 0; j < 3; ++j) {
        double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0], x[1], x[2]};
        a[j] -= step;
        b[j] += step;
        sn_penalty_evaluate(penalty, 0, 1, a, &low);
        sn_penalty_evaluate(penalty, 0, 1, b, &high);
        // Energies are about 1 J, stiffness 1000 N/m: 1e-16 / 1e-6 of rounding, and third
        // derivatives (at most k over the slip, 1e6) times 1e-12; ten times of each.
        assert_at_most(fabs(at.force[j] + (high.energy - low.energy) / (2.0 * step)), 1e-6);
        for (int i = 0; i < 3; ++i) {
            double slope = -(high.force[i] - low.force[i]) / (2.0 * step);
            assert_at_most(fabs(at.stiffness[3 * i + j] - slope), 1e-3 + curved);
            assert_true(at.stiffness[3 * i + j] == at.stiffness[3 * j + i]);
        }
    }
    // Semi-definite along random directions.
    SnRandom random = {3};
    for (int n = 0; n < 20; ++n) {
        double v[3], product[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = sn_random_between(&random, -1.0, 1.0);
        }
        sn_mat3_apply(at.stiffness, v, product);
        assert_true(sn_point_dot(v, product) >= -1e-10);
    }
}

static void forces_are_gradients(void **state)
{
    (void)state;
    const SinewShape shapes[5] = {
        {.kind = SINEW_SHAPE_PLANE, .normal = {0.3, 1.0, -0.2}},
        {.kind = SINEW_SHAPE_BOX, .min = {-5.0, -9.0, -5.0}, .max = {5.0, 0.0, 5.0}},
        {.kind = SINEW_SHAPE_SPHERE, .center = {0.0, -2.0, 0.0}, .radius = 2.0},
        {.kind = SINEW_SHAPE_ELLIPSOID, .center = {0.0, -1.0, 0.0}, .radii = {3.0, 1.0, 2.0}},
        {.kind = SINEW_SHAPE_MESH}};
    // Its faces are flat; x stays away from its edges and from the diagonals of its faces.
    SnSurface *surface = sn_test_boxes((const double[6]){-5.0, -9.0, -4.0, 5.5, 0.0, 5.0}, 1);
    const double k = 1000.0; // of the one point: 1e4 Pa/m over 0.1 m^2
    SnRandom random = {5};
    for (int s = 0; s < 5; ++s) {
        bool is_flat = s < 2 || s == 4;
        SnCollider *colliders[2] = {make_collider(&shapes[s], surface, 0.0),
                                    make_collider(&shapes[s], surface, 0.6)};
        for (int n = 0; n < 50; ++n) {
            bool is_rough = n % 3 != 0;
            SnPenalty *penalty = make_penalty(&(double){0.1}, 1, 1);
            // From outside to a point some 0.05 deep that slid by 0.01 (sticks) or 0.1 (slides).
            double slide = n % 2 == 0 ? 0.01 : 0.1;
            double start[3] = {0.0, 0.01, 0.0};
            double x[3] = {slide * sn_random_between(&random, 0.5, 1.0),
                           sn_random_between(&random, -0.08, -0.04),
                           slide * sn_random_between(&random, 0.5, 1.0)};
            sn_penalty_begin(penalty, &colliders[is_rough], 1, 1e4, start);
            check_derivatives(penalty, x, is_flat ? 0.0 : k * 0.1);
            assert_int_equal(sn_penalty_renew(penalty, x), is_rough); // now with friction
            for (int i = 0; i < 3; ++i) {
                x[i] += sn_random_between(&random, -1e-3, 1e-3);
            }
            // Left out: depth over the least radius of curvature, at most 0.1 / 1 of k.
            check_derivatives(penalty, x, is_flat ? 0.0 : k * 0.1);
            sn_penalty_destroy(penalty);
        }
        sn_collider_destroy(colliders[0]);
        sn_collider_destroy(colliders[1]);
    }
    sn_surface_destroy(surface, NULL);
}

// Where sticking becomes sliding neither energy nor force jump.
static void friction_has_no_jump(void **state)
{
    (void)state;
    SinewShape shape = {.kind = SINEW_SHAPE_PLANE, .normal = {0.0, 1.0, 0.0}};
    SnCollider *collider = make_collider(&shape, NULL, 0.5);
    SnPenalty *penalty = make_penalty(&(double){1.0}, 1, 1);
    const double start[3] = {0.0, -0.1, 0.0};
    SnPointForce low, high;
    sn_penalty_begin(penalty, &collider, 1, 1000.0, start);
    assert_true(sn_penalty_renew(penalty, start)); // 100 N, so it slides from 0.05 m on
    sn_penalty_evaluate(penalty, 0, 1, (double[3]){0.05 - 1e-9, -0.1, 0.0}, &low);
    sn_penalty_evaluate(penalty, 0, 1, (double[3]){0.05 + 1e-9, -0.1, 0.0}, &high);
    assert_at_most(fabs(low.force[0] + 50.0), 1.1e-6);
    assert_at_most(fabs(high.force[0] + 50.0), 1e-12);
    assert_at_most(fabs(high.energy - low.energy), 1.1e-7); // 50 N over 2e-9 m
    sn_penalty_destroy(penalty);
    sn_collider_destroy(collider);
}

static void the_pressure_does_not_depend_on_the_mesh(void **state)
{
    (void)state;
    SinewShape floor_shape = {.kind = SINEW_SHAPE_PLANE, .normal = {0.0, 1.0, 0.0}};
    SnCollider *floor_plane = make_collider(&floor_shape, NULL, 0.0);
    const double areas[3] = {1.0, 0.25, 0.0};
    const double x[9] = {0.0, -0.1, 0.0, 5.0, -0.1, 3.0, 1.0, -0.1, 1.0};
    SnPenalty *penalty = make_penalty(areas, 3, 1);
    double force[3], one[3];
    int contacts = 0;
    sn_penalty_begin(penalty, &floor_plane, 1, 200.0, x);
    assert_false(sn_penalty_renew(penalty, x));
    sn_penalty_end(penalty, x, force, &contacts);
    assert_true(force[0] == 0.0 && fabs(force[1] - 25.0) < 1e-14 && force[2] == 0.0);
    assert_int_equal(contacts, 2); // the one without an area touches nothing
    sn_penalty_force(penalty, 1, one);
    assert_true(fabs(one[1] - 5.0) < 1e-15);
    sn_penalty_destroy(penalty);
    sn_collider_destroy(floor_plane);
}

// A point in the corner of two planes feels both.
static void forces_of_colliders_add_up(void **state)
{
    (void)state;
    SinewShape ground = {.kind = SINEW_SHAPE_PLANE, .normal = {0.0, 1.0, 0.0}};
    SinewShape wall = {.kind = SINEW_SHAPE_PLANE, .normal = {1.0, 0.0, 0.0}};
    SnCollider *colliders[2] = {make_collider(&ground, NULL, 0.0), make_collider(&wall, NULL, 0.0)};
    SnPenalty *penalty = make_penalty(&(double){1.0}, 1, 2);
    const double x[3] = {-0.25, -0.5, 0.0};
    SnPointForce force;
    sn_penalty_begin(penalty, colliders, 2, 8.0, x);
    sn_penalty_evaluate(penalty, 0, 1, x, &force);
    assert_true(force.force[0] == 2.0 && force.force[1] == 4.0 && force.force[2] == 0.0);
    assert_true(force.energy == 0.25 + 1.0);
    sn_penalty_destroy(penalty);
    sn_collider_destroy(colliders[0]);
    sn_collider_destroy(colliders[1]);
}

// A point mass
// --------------------------------------------------------------------------------------

// One kilogram over a tenth of a square metre at one point, stepped by backward Euler and Newton's
// method.
typedef struct Mass {
    SnPenalty *penalty;
    SnCollider *collider;
    double gravity[3]; // m/s^2
    double dt;         // s
    double stiffness;  // Pa/m
    double x[3];
    double v[3];
    int iterations; // of the last step
    int passes;     // solves of the last step
    double force[3];
} Mass;

static Mass make_mass(const SinewShape *shape, double friction)
{
    Mass mass = {.gravity = {0.0, -10.0, 0.0}, .dt = 0.01, .stiffness = 1e6};
    mass.collider = make_collider(shape, NULL, friction);
    mass.penalty = make_penalty(&(double){0.1}, 1, 1);
    return mass;
}

static void destroy_mass(Mass *mass)
{
    sn_penalty_destroy(mass->penalty);
    sn_collider_destroy(mass->collider);
}

// a x = b by Cramer's rule.
static void solve3(const double a[9], const double b[3], double out[3])
{
    double det = sn_mat3_determinant(a);
    for (int c = 0; c < 3; ++c) {
        double m[9];
        memcpy(m, a, sizeof m);
        for (int r = 0; r < 3; ++r) {
            m[3 * r + c] = b[r];
        }
        out[c] = sn_mat3_determinant(m) / det;
    }
}

// What Newton's method minimises: inertia, weight and contact.
static double objective(const Mass *mass, const double start[3], const double x[3],
                        SnPointForce *out)
{
    double sum = 0.0;
    sn_penalty_evaluate(mass->penalty, 0, 1, x, out);
    for (int k = 0; k < 3; ++k) {
        double ahead = x[k] - start[k] - mass->dt * mass->v[k];
        sum += 0.5 * ahead * ahead / (mass->dt * mass->dt) - mass->gravity[k] * x[k];
    }
    return sum + out->energy;
}

// To rounding: until a step no longer moves x, or no longer helps.
static void solve_mass(Mass *mass, const double start[3])
{
    for (int i = 0; i < 50; ++i) {
        SnPointForce force;
        double a[9], b[3], dx[3];
        double before = objective(mass, start, mass->x, &force);
        for (int k = 0; k < 3; ++k) {
            double ahead = mass->x[k] - start[k] - mass->dt * mass->v[k];
            b[k] = mass->gravity[k] + force.force[k] - ahead / (mass->dt * mass->dt);
        }
        // Of a weight of ten; places are rounded, and inertia and springs multiply that.
        double rounding = 1e-15 * (1.0 + sn_point_length(mass->x)) *
                          (1.0 / (mass->dt * mass->dt) + 0.1 * mass->stiffness);
        if (sn_point_length(b) < 1e-11 + rounding) {
            return;
        }
        memcpy(a, force.stiffness, sizeof a);
        for (int k = 0; k < 3; ++k) {
            a[4 * k] += 1.0 / (mass->dt * mass->dt);
        }
        solve3(a, b, dx);
        mass->iterations++;
        // A plain decrease is not enough: full steps over the kink of friction may cycle.
        double enough = 1e-4 * sn_point_dot(b, dx);
        double share = 2.0;
        double tried[3];
        do {
            share *= 0.5;
            sn_point_along(mass->x, share, dx, tried);
        } while (objective(mass, start, tried, &force) >
                     before - share * enough + 1e-13 * fabs(before) &&
                 share > 1e-6);
        memcpy(mass->x, tried, sizeof tried);
    }
    fail_msg("Newton's method did not converge in 50 iterations");
}

static void step_mass(Mass *mass)
{
    double start[3] = {mass->x[0], mass->x[1], mass->x[2]};
    int contacts = 0;
    mass->iterations = 0;
    mass->passes = 0;
    sn_penalty_begin(mass->penalty, &mass->collider, 1, mass->stiffness, start);
    do {
        solve_mass(mass, start);
        mass->passes++;
    } while (sn_penalty_renew(mass->penalty, mass->x));
    sn_penalty_end(mass->penalty, mass->x, mass->force, &contacts);
    for (int k = 0; k < 3; ++k) {
        mass->v[k] = (mass->x[k] - start[k]) / mass->dt;
    }
}

// At rest in the plane y = 0 in the depth at which it carries the weight.
static void sink_in(Mass *mass)
{
    mass->x[1] = mass->gravity[1] / (0.1 * mass->stiffness);
}

static const SinewShape ground = {.kind = SINEW_SHAPE_PLANE, .normal = {0.0, 1.0, 0.0}};

// Gravity turned instead of the plane, by `degrees`, towards x.
static void incline(Mass *mass, double degrees)
{
    double circle[2];
    sn_circle_degrees(degrees, circle);
    mass->gravity[0] = 10.0 * circle[1];
    mass->gravity[1] = -10.0 * circle[0];
    sink_in(mass);
}

static void it_sticks_without_creep(void **state)
{
    (void)state;
    Mass mass = make_mass(&ground, 0.6); // tan 30 = 0.577
    incline(&mass, 30.0);
    for (int i = 0; i < 2000; ++i) {
        step_mass(&mass);
    }
    double settled = mass.x[0];
    // The spring's own stretch, weight over stiffness, and what it slid when it overshot at first.
    assert_at_most(settled, 2.0 * mass.gravity[0] / 1e5);
    for (int i = 0; i < 10000; ++i) {
        step_mass(&mass);
    }
    assert_at_most(fabs(mass.x[0] - settled), 1e-15);             // one place of 5e-5 m is 7e-21
    assert_at_most(fabs(mass.force[0] + mass.gravity[0]), 3e-10); // what solve_mass leaves
    destroy_mass(&mass);
}

static void it_slides_as_coulomb_says(void **state)
{
    (void)state;
    const double frictions[3] = {0.0, 0.2, 0.5};
    for (int f = 0; f < 3; ++f) {
        Mass mass = make_mass(&ground, frictions[f]);
        incline(&mass, 30.0);
        for (int i = 0; i < 20; ++i) {
            step_mass(&mass);
        }
        double before = mass.v[0];
        for (int i = 0; i < 100; ++i) {
            step_mass(&mass);
        }
        double found = (mass.v[0] - before) / (100 * mass.dt);
        double expected = mass.gravity[0] + frictions[f] * mass.gravity[1];
        assert_at_most(fabs(found - expected), 1e-6 * 10.0);
        // Sliding on: the normal force is that of the step before.
        assert_int_equal(mass.passes, 1);
        destroy_mass(&mass);
    }
}

static void it_comes_to_rest_where_it_should(void **state)
{
    (void)state;
    Mass mass = make_mass(&ground, 0.5);
    const double speed = 3.0;
    mass.dt = 0.001;
    sink_in(&mass);
    mass.v[0] = speed * 0.6;
    mass.v[2] = -speed * 0.8;
    for (int i = 0; i < 1000; ++i) {
        step_mass(&mass);
    }
    // v^2 / (2 mu g); the steps are short of it by half a step of the speed at first.
    double expected = speed * speed / (2.0 * 0.5 * 10.0);
    double found = sqrt(mass.x[0] * mass.x[0] + mass.x[2] * mass.x[2]);
    assert_at_most(fabs(found - expected), 1.1 * 0.5 * mass.dt * speed);
    assert_at_most(fabs(mass.x[0] / mass.x[2] + 0.75), 1e-9); // straight on
    assert_at_most(sn_point_length(mass.v), 1e-9);
    destroy_mass(&mass);
}

// A belt that starts to move takes the mass along; a mass that lands on it is brought to speed with
// friction times gravity.
static void it_is_carried_by_a_belt(void **state)
{
    (void)state;
    for (int f = 0; f < 2; ++f) {
        Mass mass = make_mass(&ground, f == 0 ? 5.0 : 0.25);
        const double speed = 2.0;
        sink_in(&mass);
        for (int i = 0; i < 300; ++i) {
            SnAffine from = sn_affine_identity(), to = sn_affine_identity();
            from.m[3] = speed * mass.dt * i;
            to.m[3] = speed * mass.dt * (i + 1);
            sn_collider_move(mass.collider, &from, &to);
            step_mass(&mass);
            if (f == 1 && i == 50) {
                // 2.5 m/s^2 since the spring was stretched, in the first step.
                assert_at_most(fabs(mass.v[0] - 2.5 * mass.dt * 51), 2.5 * mass.dt * 1.1);
            }
        }
        assert_at_most(fabs(mass.v[0] - speed), 1e-9);
        destroy_mass(&mass);
    }
}

// On a turntable it goes round, and round, without creeping outwards; where friction is too weak
// for the turn it leaves.
static void it_is_carried_by_a_turntable(void **state)
{
    (void)state;
    for (int f = 0; f < 2; ++f) {
        Mass mass = make_mass(&ground, f == 0 ? 0.8 : 0.05);
        sink_in(&mass);
        mass.x[0] = 0.5;
        double turned[2] = {0.0, 0.0};
        for (int i = 0; i < 3000; ++i) {
            // 100 steps a turn of one second: 2 pi / s, 19.7 m/s^2 a metre; at most, and slower
            // at first.
            double a[2], b[2];
            sn_circle_degrees(0.6 * i, a);
            sn_circle_degrees(0.6 * (i + 1), b);
            SnAffine from = {{a[0], 0, a[1], 0, 0, 1, 0, 0, -a[1], 0, a[0], 0}};
            SnAffine to = {{b[0], 0, b[1], 0, 0, 1, 0, 0, -b[1], 0, b[0], 0}};
            sn_collider_move(mass.collider, &from, &to);
            step_mass(&mass);
            if (i == 1799 || i == 2999) { // three and five turns
                turned[i == 2999] = sqrt(mass.x[0] * mass.x[0] + mass.x[2] * mass.x[2]);
            }
        }
        if (f == 0) {
            // omega is 1.05 / s: 0.55 m/s^2 of 8, the spring's stretch is 6e-6 m.
            assert_at_most(fabs(turned[0] - 0.5), 1e-4);
            assert_at_most(fabs(turned[1] - turned[0]), 1e-12);
        } else {
            assert_true(turned[1] > 0.6);
        }
        destroy_mass(&mass);
    }
}

// A table that tips over: until friction is the tangent of its slope the mass stays where it is on
// the table, then it slides. As a box and as a mesh.
static void it_stays_on_a_table_until_it_is_too_steep(void **state)
{
    (void)state;
    const double sides[6] = {-2.0, -1.0, -2.5, 3.0, 0.0, 2.0};
    SnSurface *surface = sn_test_boxes(sides, 1);
    const SinewShape tables[2] = {
        {.kind = SINEW_SHAPE_BOX, .min = {-2.0, -1.0, -2.5}, .max = {3.0, 0.0, 2.0}},
        {.kind = SINEW_SHAPE_MESH}};
    for (int t = 0; t < 2; ++t) {
        Mass mass = make_mass(&tables[0], 0.6); // tan 31
        sn_collider_destroy(mass.collider);
        mass.collider = make_collider(&tables[t], surface, 0.6);
        sink_in(&mass);
        mass.x[0] = 0.3;
        SnAffine from = sn_affine_identity();
        double at_30 = 0.0, at_34 = 0.0;
        for (int i = 1; i <= 340; ++i) {
            double c[2], local[3];
            sn_circle_degrees(0.1 * i, c);
            SnAffine to = {{c[0], c[1], 0, 0, -c[1], c[0], 0, 0, 0, 0, 1, 0}};
            sn_collider_move(mass.collider, &from, &to);
            step_mass(&mass);
            assert_at_most(mass.passes, 3); // the slope alone changes the normal force
            local[0] = c[0] * mass.x[0] - c[1] * mass.x[1];
            if (i > 335) { // it slides while the normal force changes by a thousandth a step
                double across = c[0] * mass.force[0] - c[1] * mass.force[1];
                double up = c[1] * mass.force[0] + c[0] * mass.force[1];
                assert_at_most(fabs(across + 0.6 * up), 2.0 * SN_PENALTY_TOLERANCE * up);
            }
            at_30 = i == 300 ? local[0] : at_30;
            at_34 = local[0];
            from = to;
        }
        // The spring gives 5 N / 1e5 N/m, and slid as much again when the table began to move.
        assert_at_most(fabs(at_30 - 0.3), 2e-4);
        assert_true(at_34 > 0.31);
        destroy_mass(&mass);
    }
    sn_surface_destroy(surface, NULL);
}

// Dropped onto a ball a little beside its top: it slides off, in few iterations though the
// curvature is left out of the stiffness.
static void newton_converges_on_round_colliders(void **state)
{
    (void)state;
    SinewShape ball = {.kind = SINEW_SHAPE_SPHERE, .radius = 0.5};
    Mass mass = make_mass(&ball, 0.1);
    mass.x[0] = 0.1;
    mass.x[1] = 0.55;
    int most = 0;
    int touched = 0;
    for (int i = 0; i < 60; ++i) {
        step_mass(&mass);
        most = mass.iterations > most ? mass.iterations : most;
        touched += sn_point_length(mass.force) > 0.0;
    }
    assert_true(touched > 3 && mass.x[0] > 0.3);
    assert_at_most(most, 40); // 21 where the solves of the first touch are counted together
    destroy_mass(&mass);
}

// State ------------------------------------------------------------------------------------------

static void saved_states_go_on_with_the_same_bits(void **state)
{
    (void)state;
    Mass mass = make_mass(&ground, 0.3);
    incline(&mass, 20.0);
    mass.v[2] = 0.7;
    for (int i = 0; i < 15; ++i) {
        step_mass(&mass);
    }
    size_t size = sn_penalty_state_size(mass.penalty);
    unsigned char *bytes = malloc(size);
    unsigned char *again = malloc(size);
    sn_penalty_save(mass.penalty, bytes);
    double x[3], v[3], end[3], force[3], kept[3];
    memcpy(x, mass.x, sizeof x);
    memcpy(v, mass.v, sizeof v);
    sn_penalty_force(mass.penalty, 0, kept);
    for (int i = 0; i < 40; ++i) {
        step_mass(&mass);
    }
    memcpy(end, mass.x, sizeof end);
    sn_penalty_restore(mass.penalty, bytes);
    sn_penalty_force(mass.penalty, 0, force);
    assert_memory_equal(force, kept, sizeof force);
    sn_penalty_save(mass.penalty, again);
    assert_memory_equal(again, bytes, size);
    memcpy(mass.x, x, sizeof x);
    memcpy(mass.v, v, sizeof v);
    for (int i = 0; i < 40; ++i) {
        step_mass(&mass);
    }
    assert_memory_equal(mass.x, end, sizeof end);
    free(bytes);
    free(again);
    destroy_mass(&mass);
}

// A step that is given up changes nothing: begin, evaluate and renew leave the state alone.
static void steps_that_are_given_up_leave_no_trace(void **state)
{
    (void)state;
    Mass mass = make_mass(&ground, 0.3);
    incline(&mass, 20.0);
    for (int i = 0; i < 5; ++i) {
        step_mass(&mass);
    }
    size_t size = sn_penalty_state_size(mass.penalty);
    unsigned char *bytes = malloc(size);
    unsigned char *again = malloc(size);
    sn_penalty_save(mass.penalty, bytes);
    SnPointForce force;
    double far[3] = {mass.x[0] + 1.0, mass.x[1] - 0.1, 0.5};
    sn_penalty_begin(mass.penalty, &mass.collider, 1, 1e6, mass.x);
    sn_penalty_evaluate(mass.penalty, 0, 1, far, &force);
    assert_true(sn_penalty_renew(mass.penalty, far));
    assert_true(sn_penalty_change(mass.penalty) > 0.1);
    sn_penalty_save(mass.penalty, again);
    assert_memory_equal(again, bytes, size);
    free(bytes);
    free(again);
    destroy_mass(&mass);
}

static void renewals_come_to_an_end(void **state)
{
    (void)state;
    Mass mass = make_mass(&ground, 0.5);
    sn_penalty_begin(mass.penalty, &mass.collider, 1, 1e6, mass.x);
    int passes = 1;
    while (sn_penalty_renew(mass.penalty, (double[3]){0.0, -1.0 - passes % 2, 0.0})) {
        passes++;
    }
    assert_int_equal(passes, SN_PENALTY_PASSES);
    destroy_mass(&mass);
}

// A normal force that changed by 5e-4 is settled to 1e-3, but not to 1e-6.
static void friction_is_renewed_to_its_tolerance(void **state)
{
    (void)state;
    for (int tight = 0; tight < 2; ++tight) {
        Mass mass = make_mass(&ground, 0.5);
        sn_penalty_set_tolerance(mass.penalty, tight ? SN_PENALTY_TOLERANCE : 1e-3);
        sn_penalty_begin(mass.penalty, &mass.collider, 1, 1e6, mass.x);
        assert_true(sn_penalty_renew(mass.penalty, (double[3]){0.0, -1.0, 0.0}));
        bool again = sn_penalty_renew(mass.penalty, (double[3]){0.0, -1.0005, 0.0});
        assert_int_equal(again, tight);
        assert_at_most(fabs(sn_penalty_change(mass.penalty) / 5e-4 - 1.0), 1e-2);
        destroy_mass(&mass);
    }
}

static void room_is_made_once(void **state)
{
    (void)state;
    Mass mass = make_mass(&ground, 0.5);
    sink_in(&mass);
    mass.v[0] = 1.0;
    step_mass(&mass);
    size_t size = sn_penalty_state_size(mass.penalty);
    unsigned char *bytes = malloc(size);
    unsigned char *again = malloc(size);
    sn_penalty_save(mass.penalty, bytes);
    assert_int_equal(sn_penalty_reserve(mass.penalty, 1, NULL), SINEW_OK);
    sn_penalty_save(mass.penalty, again);
    assert_memory_equal(again, bytes, size);
    assert_int_equal(sn_penalty_reserve(mass.penalty, 3, NULL), SINEW_OK);
    assert_true(sn_penalty_state_size(mass.penalty) < size); // all contacts begin anew
    assert_int_equal(sn_penalty_reserve(mass.penalty, 0, NULL), SINEW_OK);
    int contacts = -1;
    sn_penalty_begin(mass.penalty, NULL, 0, 1e6, mass.x);
    assert_false(sn_penalty_renew(mass.penalty, mass.x));
    sn_penalty_end(mass.penalty, mass.x, mass.force, &contacts);
    assert_int_equal(contacts, 0);
    free(bytes);
    free(again);
    destroy_mass(&mass);
}

// A row of points on two planes at right angles: the first `corner` in both, the rest in one.
enum { ROW = 2000, PLANES = 6 };

typedef struct Row {
    SnCollider *planes[PLANES]; // all but the first two are far away
    SnPenalty *penalty;
    double x[3 * ROW];
} Row;

static Row *make_row(int touching, int corner)
{
    static double areas[ROW];
    Row *row = malloc(sizeof *row);
    for (int c = 0; c < PLANES; ++c) {
        SinewShape shape = {.kind = SINEW_SHAPE_PLANE, .normal = {c == 1, c != 1, 0.0}};
        shape.offset = c < 2 ? 0.0 : -100.0;
        row->planes[c] = make_collider(&shape, NULL, 0.5);
    }
    for (int p = 0; p < ROW; ++p) {
        areas[p] = 0.01 * (1 + p % 3);
        row->x[3 * p] = p % 5 < 1 && p / 5 < corner ? -0.01 : 1.0;
        row->x[3 * p + 1] = p < touching ? -0.02 : 1.0;
        row->x[3 * p + 2] = 0.001 * p;
    }
    row->penalty = make_penalty(areas, ROW, PLANES);
    return row;
}

static void destroy_row(Row *row)
{
    for (int c = 0; c < PLANES; ++c) {
        sn_collider_destroy(row->planes[c]);
    }
    sn_penalty_destroy(row->penalty);
    free(row);
}

// The points slide a little, with friction as it is renewed.
static void slide_row(Row *row, double out_force[3], int *out_contacts)
{
    double x[3 * ROW];
    memcpy(x, row->x, sizeof x);
    for (int p = 0; p < ROW; ++p) {
        x[3 * p + 2] += 0.001 * (p % 7);
    }
    sn_penalty_begin(row->penalty, row->planes, PLANES, 1e5, row->x);
    while (sn_penalty_renew(row->penalty, x)) {
    }
    sn_penalty_end(row->penalty, x, out_force, out_contacts);
}

static size_t size_of_row(int touching, int corner)
{
    Row *row = make_row(touching, corner);
    double force[3];
    int contacts = 0;
    slide_row(row, force, &contacts);
    assert_int_equal(contacts, touching);
    assert_false(sn_penalty_is_short(row->penalty));
    size_t size = sn_penalty_state_size(row->penalty);
    destroy_row(row);
    return size;
}

// Of points and colliders without contact there is not a byte.
static void a_state_goes_with_what_touches(void **state)
{
    (void)state;
    size_t none = size_of_row(0, 0);
    size_t some = size_of_row(100, 0);
    assert_true(none <= 128);
    assert_true(some - none <= 100 * 96);
    assert_true(size_of_row(200, 0) - none == 2 * (some - none));
}

// More touches than the first guess: the step says so, and with more room its result is that of a
// contact that had it from the beginning.
static void what_is_short_of_room_begins_again(void **state)
{
    (void)state;
    Row *row = make_row(ROW, ROW / 5);
    Row *wide = make_row(ROW, ROW / 5);
    double force[3], wanted[3], one[3], other[3];
    int contacts = 0, wanted_contacts = 0;
    size_t size = sn_penalty_state_size(row->penalty);
    unsigned char *kept = malloc(size);
    sn_penalty_save(row->penalty, kept);
    assert_int_equal(sn_penalty_grow(wide->penalty, ROW * PLANES, NULL), SINEW_OK);
    slide_row(wide, wanted, &wanted_contacts);
    assert_false(sn_penalty_is_short(wide->penalty));
    int times = 0;
    for (slide_row(row, force, &contacts); sn_penalty_is_short(row->penalty); ++times) {
        assert_in_range(times, 0, 8);
        sn_penalty_restore(row->penalty, kept);
        assert_int_equal(sn_penalty_grow(row->penalty, 0, NULL), SINEW_OK);
        slide_row(row, force, &contacts);
    }
    assert_true(times > 0);
    assert_int_equal(contacts, ROW);
    assert_int_equal(wanted_contacts, ROW);
    assert_memory_equal(force, wanted, sizeof force);
    for (int p = 0; p < ROW; ++p) {
        sn_penalty_force(row->penalty, p, one);
        sn_penalty_force(wide->penalty, p, other);
        assert_memory_equal(one, other, sizeof one);
    }
    assert_int_equal(sn_penalty_state_size(row->penalty), sn_penalty_state_size(wide->penalty));
    free(kept);
    destroy_row(row);
    destroy_row(wide);
}

// Bytes that a state cannot be are found out before they are taken.
static void damaged_states_do_not_fit(void **state)
{
    (void)state;
    Row *row = make_row(100, 10);
    double force[3];
    int contacts = 0;
    size_t used = 0, room = 0;
    slide_row(row, force, &contacts);
    size_t size = sn_penalty_state_size(row->penalty);
    uint64_t *bytes = malloc(size);
    sn_penalty_save(row->penalty, bytes);
    assert_true(sn_penalty_fits(row->penalty, bytes, size, &used, &room));
    assert_int_equal(used, size);
    assert_int_equal(room, 110);
    for (size_t less = 0; less < size; less += 7) {
        assert_false(sn_penalty_fits(row->penalty, bytes, less, &used, &room));
    }
    // Counts of points, colliders, touches and pushes, the ends of colliders, the first point.
    for (int i = 0; i <= 4 + PLANES; ++i) {
        uint64_t *number = bytes + i + (i == 4 + PLANES ? 6 : 0);
        uint64_t was = *number;
        *number = UINT64_MAX / 2 + (uint64_t)i;
        assert_false(sn_penalty_fits(row->penalty, bytes, size, &used, &room));
        *number = was;
    }
    free(bytes);
    destroy_row(row);
}

static void steps_allocate_nothing(void **state)
{
    (void)state;
    SnFailAllocator counting;
    sn_fail_allocator_init(&counting, -1);
    SnSurface *surface = sn_test_sphere(12);
    SinewShape mesh = {.kind = SINEW_SHAPE_MESH};
    SnCollider *collider = NULL;
    SnPenalty *penalty = NULL;
    double force[3];
    int contacts = 0;
    const double x[6] = {0.1, 0.95, 0.1, 0.9, 0.1, 0.05};
    assert_int_equal(
        sn_collider_create(&mesh, surface, 0.5, NULL, &counting.allocator, "c", &collider, NULL),
        SINEW_OK);
    assert_int_equal(
        sn_penalty_create((double[2]){0.1, 0.2}, 2, &counting.allocator, &penalty, NULL), SINEW_OK);
    assert_int_equal(sn_penalty_reserve(penalty, 1, NULL), SINEW_OK);
    int64_t calls = counting.calls;
    for (int i = 0; i < 3; ++i) {
        SnPointForce forces[2];
        sn_penalty_begin(penalty, &collider, 1, 1e6, x);
        sn_penalty_evaluate(penalty, 0, 2, x, forces);
        while (sn_penalty_renew(penalty, x)) {
        }
        sn_penalty_end(penalty, x, force, &contacts);
    }
    assert_int_equal(contacts, 2);
    assert_int_equal(counting.calls, calls);
    sn_penalty_destroy(penalty);
    sn_collider_destroy(collider);
    assert_int_equal(counting.blocks, 0);
    sn_surface_destroy(surface, NULL);
}

static SinewStatus make_with(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPenalty *penalty = NULL;
    SN_TRY(sn_penalty_create(context, 1, allocator, &penalty, error));
    SN_TRY(sn_penalty_reserve(penalty, 2, error));
    SN_TRY(sn_penalty_reserve(penalty, 400, error));
    SN_TRY(sn_penalty_grow(penalty, 300, error)); // more than the first guess
done:
    sn_penalty_destroy(penalty);
    return status;
}

static void penalties_survive_short_memory(void **state)
{
    (void)state;
    assert_int_equal(sn_fail_each_allocation(make_with, &(double){0.5}), 20);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(forces_are_gradients),
    cmocka_unit_test(friction_has_no_jump),
    cmocka_unit_test(the_pressure_does_not_depend_on_the_mesh),
    cmocka_unit_test(forces_of_colliders_add_up),
    cmocka_unit_test(it_sticks_without_creep),
    cmocka_unit_test(it_slides_as_coulomb_says),
    cmocka_unit_test(it_comes_to_rest_where_it_should),
    cmocka_unit_test(it_is_carried_by_a_belt),
    cmocka_unit_test(it_is_carried_by_a_turntable),
    cmocka_unit_test(it_stays_on_a_table_until_it_is_too_steep),
    cmocka_unit_test(newton_converges_on_round_colliders),
    cmocka_unit_test(saved_states_go_on_with_the_same_bits),
    cmocka_unit_test(steps_that_are_given_up_leave_no_trace),
    cmocka_unit_test(renewals_come_to_an_end),
    cmocka_unit_test(a_state_goes_with_what_touches),
    cmocka_unit_test(what_is_short_of_room_begins_again),
    cmocka_unit_test(damaged_states_do_not_fit),
    cmocka_unit_test(friction_is_renewed_to_its_tolerance),
    cmocka_unit_test(room_is_made_once),
    cmocka_unit_test(steps_allocate_nothing),
    cmocka_unit_test(penalties_survive_short_memory),
};
SN_TEST_GROUP(contact_penalty, tests);
