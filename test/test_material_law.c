// Laws: derivatives against central differences, the projected Hessian against an eigenvalue
// decomposition by another method, invariances, states that laws forbid, and closed forms.
#include "support/test.h"

#include "base/clock.h"
#include "base/random.h"
#include "material/law.h"
#include "math/mat3.h"

#include <float.h>
#include <math.h>

enum { STATES = 200 };
static const double YOUNG = 1000.0;
static const double POISSON = 0.3;

typedef enum StateKind {
    STATE_MILD,      // singular values 0.8 to 1.3
    STATE_STRETCHED, // 0.1 to 6
    STATE_EQUAL,     // two or three the same
    STATE_FLAT,      // the smallest 1e-3 to 1e-2
    STATE_INVERTED,  // the smallest negative
    STATE_KIND_COUNT
} StateKind;

typedef struct State {
    double F[9];
    double room; // how far F may be moved before the energy is another function, at most 1
} State;

static void random_rotation(SnRandom *random, double out[9])
{
    double q[4];
    double norm;
    do {
        for (int k = 0; k < 4; ++k) {
            q[k] = sn_random_between(random, -1.0, 1.0);
        }
        norm = sn_quat_norm(q);
    } while (norm < 0.1 || norm > 1.0);
    for (int k = 0; k < 4; ++k) {
        q[k] /= norm;
    }
    sn_quat_to_mat3(q, out);
}

static void random_direction(SnRandom *random, double out[9])
{
    for (int k = 0; k < 9; ++k) {
        out[k] = sn_random_between(random, -1.0, 1.0);
    }
}

static State random_state(StateKind kind, SnRandom *random)
{
    double low = kind == STATE_STRETCHED ? 0.1 : 0.8;
    double high = kind == STATE_STRETCHED ? 6.0 : 1.3;
    double s[3];
    for (int k = 0; k < 3; ++k) {
        s[k] = sn_random_between(random, low, high);
    }
    if (kind == STATE_EQUAL) {
        s[1] = s[0];
        s[2] = sn_random_unit(random) < 0.5 ? s[0] : s[2];
    } else if (kind == STATE_FLAT) {
        s[2] = sn_random_between(random, 1e-3, 1e-2);
    } else if (kind == STATE_INVERTED) {
        s[2] = -sn_random_between(random, 0.05, 0.7);
    }
    double U[9];
    double V[9];
    random_rotation(random, U);
    random_rotation(random, V);
    State state = {.room = 1.0};
    double room = fmin(fabs(s[2]), fmin(s[0], s[1]) + s[2]);
    state.room = fmin(1.0, room);
    for (int k = 0; k < 9; ++k) {
        U[k] *= s[k % 3];
    }
    sn_mat3_multiply_transpose(U, V, state.F);
    return state;
}

// Calls `check` for every law at every kind of state that it allows.
typedef void CheckFn(const SnLaw *law, const State *state, SnRandom *random);
static void each_state(CheckFn *check)
{
    for (int l = 0; l < SN_LAW_KIND_COUNT; ++l) {
        SnLaw law = sn_law_make((SnLawKind)l, YOUNG, POISSON);
        for (int kind = 0; kind < STATE_KIND_COUNT; ++kind) {
            if (kind == STATE_INVERTED && sn_law_is_barrier(law.kind)) {
                continue;
            }
            SnRandom random = {(uint64_t)(100 * l + kind)};
            for (int i = 0; i < sn_test_share(STATES); ++i) {
                State state = random_state((StateKind)kind, &random);
                check(&law, &state, &random);
            }
        }
    }
}

static void moved(const double F[9], double step, const double dF[9], double out[9])
{
    for (int k = 0; k < 9; ++k) {
        out[k] = F[k] + step * dF[k];
    }
}

static double dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

static double norm(const double *a, int count)
{
    return sqrt(dot(a, a, count));
}

// ---- derivatives ------------------------------------------------------------------------------

// Of central differences with steps from 1e-2 down the best is judged. Truncation, step^2, and
// rounding, 1e-16 / step, meet near 1e-10; the third derivatives of the stiffest states add two or
// three digits.
static const double DIFFERENCE_STEPS[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
static const double DIFFERENCE_TOLERANCE = 1e-7;

static void check_stress(const SnLaw *law, const State *state, SnRandom *random)
{
    double dF[9];
    double P[9];
    random_direction(random, dF);
    sn_law_stress(law, state->F, P);
    double best = INFINITY;
    for (int k = 0; k < SN_COUNT(DIFFERENCE_STEPS); ++k) {
        double step = DIFFERENCE_STEPS[k] * state->room;
        double ahead[9];
        double behind[9];
        moved(state->F, step, dF, ahead);
        moved(state->F, -step, dF, behind);
        double slope = (sn_law_energy(law, ahead) - sn_law_energy(law, behind)) / (2.0 * step);
        best = fmin(best, fabs(slope - dot(P, dF, 9)));
    }
    assert_at_most(best, DIFFERENCE_TOLERANCE * (norm(P, 9) + law->mu) * norm(dF, 9));
}

static void stress_is_the_gradient_of_energy(void **unused)
{
    (void)unused;
    each_state(check_stress);
}

static void check_differential(const SnLaw *law, const State *state, SnRandom *random)
{
    double dF[9];
    double dP[9];
    random_direction(random, dF);
    sn_law_differential(law, state->F, dF, dP);
    double best = INFINITY;
    for (int k = 0; k < SN_COUNT(DIFFERENCE_STEPS); ++k) {
        double step = DIFFERENCE_STEPS[k] * state->room;
        double at[9];
        double ahead[9];
        double behind[9];
        moved(state->F, step, dF, at);
        sn_law_stress(law, at, ahead);
        moved(state->F, -step, dF, at);
        sn_law_stress(law, at, behind);
        for (int e = 0; e < 9; ++e) {
            ahead[e] = (ahead[e] - behind[e]) / (2.0 * step);
        }
        best = fmin(best, sn_mat3_distance(ahead, dP));
    }
    assert_at_most(best, DIFFERENCE_TOLERANCE * (norm(dP, 9) + law->mu));
}

static void differential_is_the_change_of_stress(void **unused)
{
    (void)unused;
    each_state(check_differential);
}

static void check_hessian(const SnLaw *law, const State *state, SnRandom *random)
{
    (void)random;
    double H[81];
    sn_law_hessian(law, state->F, H);
    for (int c = 0; c < 9; ++c) {
        double dF[9] = {0.0};
        double dP[9];
        dF[c] = 1.0;
        sn_law_differential(law, state->F, dF, dP);
        for (int r = 0; r < 9; ++r) {
            // The same terms in another order: some tens of roundings of the largest.
            assert_at_most(fabs(H[9 * r + c] - dP[r]), 1e-14 * norm(H, 81));
            assert_true(H[9 * r + c] == H[9 * c + r]);
        }
    }
}

static void hessian_is_the_differential_in_all_directions(void **unused)
{
    (void)unused;
    each_state(check_hessian);
}

// ---- projection -------------------------------------------------------------------------------

// One turn of the Jacobi iteration for a symmetric matrix, in the plane (p, q).
static void turn(double A[81], double Q[81], int p, int q)
{
    if (A[9 * p + q] == 0.0) {
        return;
    }
    double z = (A[10 * q] - A[10 * p]) / (2.0 * A[9 * p + q]);
    double t = (z < 0.0 ? -1.0 : 1.0) / (fabs(z) + sqrt(1.0 + z * z));
    double c = 1.0 / sqrt(1.0 + t * t);
    double s = c * t;
    for (int k = 0; k < 9; ++k) {
        double x = A[9 * k + p];
        double y = A[9 * k + q];
        A[9 * k + p] = c * x - s * y;
        A[9 * k + q] = s * x + c * y;
        x = Q[9 * k + p];
        y = Q[9 * k + q];
        Q[9 * k + p] = c * x - s * y;
        Q[9 * k + q] = s * x + c * y;
    }
    for (int k = 0; k < 9; ++k) {
        double x = A[9 * p + k];
        double y = A[9 * q + k];
        A[9 * p + k] = c * x - s * y;
        A[9 * q + k] = s * x + c * y;
    }
}

// Eigenvalues of H, and eigenvectors in the columns of Q.
static void eigen9(const double H[81], double values[9], double Q[81])
{
    double A[81];
    memcpy(A, H, sizeof A);
    memset(Q, 0, 81 * sizeof *Q);
    for (int k = 0; k < 9; ++k) {
        Q[10 * k] = 1.0;
    }
    for (int sweep = 0; sweep < 12; ++sweep) {
        for (int p = 0; p < 9; ++p) {
            for (int q = p + 1; q < 9; ++q) {
                turn(A, Q, p, q);
            }
        }
    }
    for (int k = 0; k < 9; ++k) {
        values[k] = A[10 * k];
    }
}

static double least9(const double values[9])
{
    double least = values[0];
    for (int k = 1; k < 9; ++k) {
        least = fmin(least, values[k]);
    }
    return least;
}

// How many Hessians of each sort were met, so that both are known to be tested.
static int definite_count;
static int indefinite_count;

static void check_projection(const SnLaw *law, const State *state, SnRandom *random)
{
    (void)random;
    double H[81];
    double projected[81];
    double values[9];
    double Q[81];
    sn_law_hessian(law, state->F, H);
    sn_law_hessian_definite(law, state->F, projected);
    eigen9(H, values, Q);
    // Rounding of the singular vectors, and of 27 sums of products; flat states lose two digits
    // more, where 1 / j^2 magnifies the difference between both ways to the determinant.
    double tolerance = 1e-13 / state->room * norm(H, 81);
    for (int r = 0; r < 9; ++r) {
        for (int c = 0; c < 9; ++c) {
            double nearest = 0.0;
            for (int k = 0; k < 9; ++k) {
                nearest += fmax(values[k], 0.0) * Q[9 * r + k] * Q[9 * c + k];
            }
            assert_at_most(fabs(projected[9 * r + c] - nearest), tolerance);
            assert_true(projected[9 * r + c] == projected[9 * c + r]);
        }
    }
    if (least9(values) > 0.0) {
        definite_count++;
        for (int k = 0; k < 81; ++k) {
            assert_at_most(fabs(projected[k] - H[k]), tolerance);
        }
    } else {
        indefinite_count++;
    }
    eigen9(projected, values, Q);
    assert_at_most(-least9(values), 1e-14 * norm(projected, 81));
}

static void projection_is_the_nearest_semi_definite_matrix(void **unused)
{
    (void)unused;
    definite_count = 0;
    indefinite_count = 0;
    each_state(check_projection);
    assert_true(definite_count > 0);
    assert_true(indefinite_count > 0);
}

// ---- invariance and rest ----------------------------------------------------------------------

static void check_invariance(const SnLaw *law, const State *state, SnRandom *random)
{
    if (law->kind == SN_LAW_LINEAR) {
        return;
    }
    double R[9];
    double turned[9];
    double P[9];
    double expected[9];
    double P_turned[9];
    random_rotation(random, R);
    sn_mat3_multiply(R, state->F, turned);
    sn_law_stress(law, state->F, P);
    sn_law_stress(law, turned, P_turned);
    sn_mat3_multiply(R, P, expected);
    double energy = sn_law_energy(law, state->F);
    // Turning rounds F by 1e-16 |F|; the energy answers with P, the stress with the Hessian.
    double H[81];
    sn_law_hessian(law, state->F, H);
    double rounding = 4e-15 * norm(state->F, 9);
    double energy_tolerance = 1e-14 * energy + rounding * (norm(P, 9) + law->mu);
    assert_at_most(fabs(sn_law_energy(law, turned) - energy), energy_tolerance);
    assert_at_most(sn_mat3_distance(P_turned, expected), rounding * norm(H, 81));
    // Isotropy: turning the rest shape costs nothing either.
    sn_mat3_multiply(state->F, R, turned);
    assert_at_most(fabs(sn_law_energy(law, turned) - energy), energy_tolerance);
}

static void rotations_cost_nothing(void **unused)
{
    (void)unused;
    each_state(check_invariance);
}

// The linear law sees a strain in every rotation: 1 - cos(a) along two axes.
static void only_the_linear_law_feels_a_rotation(void **unused)
{
    (void)unused;
    const double F[9] = {0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0};
    SnLaw law = sn_law_make(SN_LAW_LINEAR, YOUNG, POISSON);
    double expected = law.mu * 0.32 + 0.5 * law.lambda * 0.64;
    assert_at_most(fabs(sn_law_energy(&law, F) - expected), 1e-13 * expected);
}

static void rest_has_no_energy_and_no_stress(void **unused)
{
    (void)unused;
    SnRandom random = {5};
    for (int l = 0; l < SN_LAW_KIND_COUNT; ++l) {
        SnLaw law = sn_law_make((SnLawKind)l, YOUNG, POISSON);
        double F[9];
        double P[9];
        sn_mat3_identity(F);
        assert_true(sn_law_energy(&law, F) == 0.0);
        sn_law_stress(&law, F, P);
        assert_at_most(norm(P, 9), 1e-15 * YOUNG);
        for (int i = 0; i < STATES && law.kind != SN_LAW_LINEAR; ++i) {
            random_rotation(&random, F);
            // A rounded rotation has a strain of some 1e-16, and energy of its square.
            assert_at_most(fabs(sn_law_energy(&law, F)), 1e-29 * YOUNG);
            sn_law_stress(&law, F, P);
            assert_at_most(norm(P, 9), 2e-14 * YOUNG);
        }
    }
}

// At strains of 1e-9 all laws are Hooke's, up to 1e-9 of the energy; rounding of the strain, 1e-16,
// leaves 1e-7 of it, a hundred times less than is asked. Formulas that subtract numbers of
// the size of a stiffness would leave nothing.
static void energy_keeps_its_digits_near_rest(void **unused)
{
    (void)unused;
    SnRandom random = {6};
    SnLaw hooke = sn_law_make(SN_LAW_LINEAR, YOUNG, POISSON);
    for (int i = 0; i < STATES; ++i) {
        double F[9];
        double dF[9];
        double R[9];
        double turned[9];
        random_direction(&random, dF);
        sn_mat3_identity(F);
        moved(F, 1e-9, dF, F);
        random_rotation(&random, R);
        sn_mat3_multiply(R, F, turned);
        double expected = sn_law_energy(&hooke, F);
        for (int l = SN_LAW_COROTATED; l < SN_LAW_KIND_COUNT; ++l) {
            SnLaw law = sn_law_make((SnLawKind)l, YOUNG, POISSON);
            assert_at_most(fabs(sn_law_energy(&law, turned) - expected), 1e-5 * expected);
        }
    }
}

static void all_laws_are_hookes_at_rest(void **unused)
{
    (void)unused;
    const double ratios[] = {-0.9, -0.3, 0.0, 0.3, 0.49};
    double F[9];
    sn_mat3_identity(F);
    for (int i = 0; i < SN_COUNT(ratios); ++i) {
        double expected[81];
        SnLaw hooke = sn_law_make(SN_LAW_LINEAR, YOUNG, ratios[i]);
        sn_law_hessian(&hooke, F, expected);
        // E = mu (3 lambda + 2 mu) / (lambda + mu), and nu = lambda / (2 (lambda + mu)).
        double sum = hooke.lambda + hooke.mu;
        assert_at_most(fabs(hooke.mu * (2.0 * sum + hooke.lambda) / sum - YOUNG), 1e-11);
        assert_at_most(fabs(0.5 * hooke.lambda / sum - ratios[i]), 1e-13);
        assert_true(expected[0] == hooke.lambda + 2.0 * hooke.mu && expected[4] == hooke.lambda);
        assert_true(expected[10] == hooke.mu && expected[12] == hooke.mu);
        for (int l = 0; l < SN_LAW_KIND_COUNT; ++l) {
            SnLaw law = sn_law_make((SnLawKind)l, YOUNG, ratios[i]);
            double H[81];
            double projected[81];
            sn_law_hessian(&law, F, H);
            sn_law_hessian_definite(&law, F, projected);
            for (int k = 0; k < 81; ++k) {
                assert_at_most(fabs(H[k] - expected[k]), 1e-14 * norm(expected, 81));
                assert_at_most(fabs(projected[k] - expected[k]), 1e-14 * norm(expected, 81));
            }
        }
    }
}

// ---- forbidden and degenerate states ----------------------------------------------------------

static const double DEGENERATE[][9] = {
    {0},
    {1, 2, 3, 2, 4, 6, 3, 6, 9},
    {1, 0, 0, 0, 1, 0, 0, 0, 0},
    {-1, 0, 0, 0, 1, 0, 0, 0, 1},
    {-1, 0, 0, 0, -1, 0, 0, 0, -1},
    {1, 0, 0, 0, 0.5, 0, 0, 0, -0.5}, // the kink of corotated laws
    {2, 0, 0, 0, 1, 0, 0, 0, -1},
    {0, 0, 0, 0, 0, 0, 0, 0, -1},
    {1, 0, 0, 0, 1, 0, 0, 0, 1e-40},
    {1e-20, 0, 0, 0, 1e-20, 0, 0, 0, 1e-20},
    {1e3, 0, 0, 0, -1e-3, 0, 0, 0, 1},
};

static bool all_finite(const double *a, int count)
{
    bool finite = true;
    for (int k = 0; k < count; ++k) {
        finite = finite && isfinite(a[k]);
    }
    return finite;
}

static void degenerate_states_never_give_nan(void **unused)
{
    (void)unused;
    for (int l = 0; l < SN_LAW_KIND_COUNT; ++l) {
        SnLaw law = sn_law_make((SnLawKind)l, YOUNG, POISSON);
        for (int i = 0; i < SN_COUNT(DEGENERATE); ++i) {
            const double *F = DEGENERATE[i];
            double energy = sn_law_energy(&law, F);
            double P[9];
            double dP[9];
            double H[81];
            double projected[81];
            sn_law_stress(&law, F, P);
            sn_law_differential(&law, F, DEGENERATE[1], dP);
            sn_law_hessian(&law, F, H);
            sn_law_hessian_definite(&law, F, projected);
            assert_true(all_finite(P, 9) && all_finite(dP, 9));
            assert_true(all_finite(H, 81) && all_finite(projected, 81));
            if (sn_law_is_barrier(law.kind)) {
                assert_true(energy == INFINITY);
                assert_true(norm(P, 9) == 0.0 && norm(dP, 9) == 0.0);
                assert_true(norm(H, 81) == 0.0 && norm(projected, 81) == 0.0);
            } else {
                // St. Venant-Kirchhoff cannot tell a mirror image from the rest shape.
                assert_true(isfinite(energy));
                assert_true(law.kind == SN_LAW_SVK ? energy >= 0.0 : energy > 0.0);
            }
        }
    }
}

static void barrier_grows_towards_the_flat_state(void **unused)
{
    (void)unused;
    for (int l = 0; l < SN_LAW_KIND_COUNT; ++l) {
        SnLaw law = sn_law_make((SnLawKind)l, YOUNG, POISSON);
        double last = 0.0;
        for (double s = 0.5; sn_law_is_barrier(law.kind) && s > 1e-28; s *= 0.1) {
            double F[9] = {1.0, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, 1.0};
            double H[81];
            double energy = sn_law_energy(&law, F);
            assert_true(energy > last && isfinite(energy));
            sn_law_hessian_definite(&law, F, H);
            assert_true(all_finite(H, 81));
            last = energy;
        }
    }
    assert_true(sn_law_is_barrier(SN_LAW_NEO_HOOKEAN));
    assert_true(sn_law_is_barrier(SN_LAW_MOONEY_RIVLIN));
    assert_false(sn_law_is_barrier(SN_LAW_STABLE_NEO_HOOKEAN));
}

// A line search must be able to refuse what overflowed.
static void states_without_numbers_have_infinite_energy(void **unused)
{
    (void)unused;
    const double bad[] = {(double)NAN, INFINITY, -INFINITY, 1e200};
    for (int l = 0; l < SN_LAW_KIND_COUNT; ++l) {
        SnLaw law = sn_law_make((SnLawKind)l, YOUNG, POISSON);
        for (int i = 0; i < 4 * SN_COUNT(bad); ++i) {
            double F[9] = {1.0, 0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.1, 1.0};
            double P[9];
            F[i % 4] = bad[i / 4];
            F[8] = bad[i / 4];
            assert_true(sn_law_energy(&law, F) == INFINITY);
            sn_law_stress(&law, F, P); // may be anything, but ends
        }
    }
}

// A point is where the two stable laws part [S]: without the logarithm it is a local minimum, with
// it the energy falls along F = t I from the start.
static void only_the_logarithm_leads_out_of_a_point(void **unused)
{
    (void)unused;
    const double point[9] = {0.0};
    const double near[9] = {0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01};
    SnLaw with = sn_law_make(SN_LAW_STABLE_NEO_HOOKEAN, YOUNG, POISSON);
    SnLaw without = sn_law_make(SN_LAW_STABLE_NEO_HOOKEAN_0, YOUNG, POISSON);
    assert_true(sn_law_energy(&with, near) < sn_law_energy(&with, point));
    assert_true(sn_law_energy(&without, near) > sn_law_energy(&without, point));
}

// ---- closed forms -----------------------------------------------------------------------------

// What a law must answer at one F.
typedef struct Row {
    SnLawKind kind;
    double energy;
    double first;  // of P, the entry that the test names
    double second; // another
} Row;

static void check_rows(const Row *rows, int count, const double F[9], int first, int second)
{
    for (int i = 0; i < count; ++i) {
        SnLaw law = sn_law_make(rows[i].kind, YOUNG, POISSON);
        double P[9];
        sn_law_stress(&law, F, P);
        // Ten or twenty roundings of terms of the size of a stiffness.
        assert_at_most(fabs(sn_law_energy(&law, F) - rows[i].energy), 4e-15 * YOUNG);
        assert_at_most(fabs(P[first] - rows[i].first), 1e-14 * YOUNG);
        assert_at_most(fabs(P[second] - rows[i].second), 1e-14 * YOUNG);
    }
}

// F = diag(s, 1, 1): i1 = s^2 + 2, i2 = 2 s^2 + 1, j = s, stretch = s + 2. The energy as a function
// of s is differentiated by hand for P_11. P_22 is d psi / d s_2 at s_2 = 1, where i1 has the slope
// 2, i2 the slope 2 (s^2 + 1), j the slope s and stretch the slope 1.
static void uniaxial_strain_has_its_closed_form(void **unused)
{
    (void)unused;
    SnLaw law = sn_law_make(SN_LAW_MOONEY_RIVLIN, YOUNG, POISSON);
    double mu = law.mu;
    double la = law.lambda;
    double m = 4.0 / 3.0 * mu;
    double l = la + 5.0 / 6.0 * mu;
    double a = 1.0 + m / l - m / (4.0 * l);
    const double stretches[] = {0.4, 0.9, 1.7};
    for (int i = 0; i < SN_COUNT(stretches); ++i) {
        double s = stretches[i];
        double d = s - 1.0;
        double E = 0.5 * (s * s - 1.0); // Green's strain
        double fade = 1.0 - 1.0 / (s * s + 3.0);
        double p = cbrt(s);
        double mr_energy = law.c10 * ((s * s + 2.0) / (p * p) - 3.0) +
                           law.c01 * ((2.0 * s * s + 1.0) / (p * s) - 3.0) + 0.5 * law.bulk * d * d;
        // (s^2 + 2) s^(-2/3) -> 4/3 (s^(1/3) - s^(-5/3)), (2 s^2 + 1) s^(-4/3) ->
        // 4/3 (s^(-1/3) - s^(-7/3)); across: 2 - 2/3 i1 and 2 (s^2 + 1) - 4/3 i2 are
        // 2/3 (1 - s^2) each.
        double mr_first = 4.0 / 3.0 * law.c10 * (p - 1.0 / (s * p * p)) +
                          4.0 / 3.0 * law.c01 * (1.0 / p - 1.0 / (s * s * p)) + law.bulk * d;
        double mr_second =
            2.0 / 3.0 * (1.0 - s * s) * (law.c10 / (p * p) + law.c01 / (p * s)) + law.bulk * d * s;
        double hooke = (0.5 * la + mu) * d * d;
        double logs = log(s);
        double snh_rest = 0.5 * l * (1.0 - a) * (1.0 - a) - 0.5 * m * log(4.0);
        const Row rows[] = {
            {SN_LAW_LINEAR, hooke, (la + 2.0 * mu) * d, la * d},
            {SN_LAW_COROTATED, hooke, (la + 2.0 * mu) * d, la * d},
            {SN_LAW_FIXED_COROTATED, hooke, (la + 2.0 * mu) * d, la * d * s},
            {SN_LAW_SVK, (0.5 * la + mu) * E * E, (la + 2.0 * mu) * E * s, la * E},
            {SN_LAW_NEO_HOOKEAN, mu * (E - logs) + 0.5 * la * logs * logs,
             mu * (s - 1.0 / s) + la * logs / s, la * logs},
            {SN_LAW_STABLE_NEO_HOOKEAN,
             m * E + 0.5 * l * (s - a) * (s - a) - 0.5 * m * log(s * s + 3.0) - snh_rest,
             m * s * fade + l * (s - a), m * fade + l * (s - a) * s},
            {SN_LAW_STABLE_NEO_HOOKEAN_0, mu * (E - d) + 0.5 * (la + mu) * d * d,
             (la + 2.0 * mu) * d, mu - mu * s + (la + mu) * d * s},
            {SN_LAW_MOONEY_RIVLIN, mr_energy, mr_first, mr_second},
        };
        const double F[9] = {s, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        check_rows(rows, SN_COUNT(rows), F, 0, 4);
    }
}

// F = I + g e1 e2^T: j = 1, i1 = i2 = 3 + g^2. Only F_12 = g varies, so P_12 is the energy
// differentiated by g. The singular values in the plane have the product 1 and the sum 2 r,
// r = sqrt(1 + g^2/4), so that the sum of (sigma - 1)^2 is 4 r (r - 1), and dr/dg = g / (4 r).
// Nothing acts along the third axis but what a change of volume would: P_13 = 0.
static void simple_shear_has_its_closed_form(void **unused)
{
    (void)unused;
    SnLaw law = sn_law_make(SN_LAW_MOONEY_RIVLIN, YOUNG, POISSON);
    double mu = law.mu;
    double la = law.lambda;
    double m = 4.0 / 3.0 * mu;
    const double shears[] = {-1.5, 0.2, 0.9};
    for (int i = 0; i < SN_COUNT(shears); ++i) {
        double g = shears[i];
        double g2 = g * g;
        double r = sqrt(1.0 + 0.25 * g2);
        double c = law.c10 + law.c01;
        double polar = 4.0 * mu * r * (r - 1.0);
        double polar_slope = mu * g * (2.0 - 1.0 / r);
        const Row rows[] = {
            {SN_LAW_LINEAR, 0.5 * mu * g2, mu * g, 0.0},
            {SN_LAW_COROTATED, polar + 2.0 * la * (r - 1.0) * (r - 1.0),
             polar_slope + la * g * (1.0 - 1.0 / r), 0.0},
            {SN_LAW_FIXED_COROTATED, polar, polar_slope, 0.0},
            {SN_LAW_SVK, 0.5 * mu * g2 + (0.25 * mu + 0.125 * la) * g2 * g2,
             mu * g + (mu + 0.5 * la) * g2 * g, 0.0},
            {SN_LAW_NEO_HOOKEAN, 0.5 * mu * g2, mu * g, 0.0},
            {SN_LAW_STABLE_NEO_HOOKEAN, 0.5 * m * (g2 - log(1.0 + 0.25 * g2)),
             m * g * (1.0 - 1.0 / (4.0 + g2)), 0.0},
            {SN_LAW_STABLE_NEO_HOOKEAN_0, 0.5 * mu * g2, mu * g, 0.0},
            {SN_LAW_MOONEY_RIVLIN, c * g2, 2.0 * c * g, 0.0},
        };
        const double F[9] = {1.0, g, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        check_rows(rows, SN_COUNT(rows), F, 1, 2);
    }
}

// ---- names and parameters ---------------------------------------------------------------------

static void youngs_modulus_comes_back(void **state)
{
    (void)state;
    const double ratios[] = {-0.5, 0.0, 0.3, 0.49};
    for (int i = 0; i < SN_COUNT(ratios); ++i) {
        SnLaw law = sn_law_make(SN_LAW_COROTATED, YOUNG, ratios[i]);
        // Rounding of some operations, lambda being fifty times as large at the last.
        assert_at_most(fabs(sn_law_young(&law) / YOUNG - 1.0), 1e-13);
    }
}

static void names_are_those_of_scene_files(void **unused)
{
    (void)unused;
    assert_string_equal(sn_law_name(SN_LAW_LINEAR), "linear");
    assert_string_equal(sn_law_name(SN_LAW_COROTATED), "corotated");
    assert_string_equal(sn_law_name(SN_LAW_FIXED_COROTATED), "fixed_corotated");
    assert_string_equal(sn_law_name(SN_LAW_SVK), "svk");
    assert_string_equal(sn_law_name(SN_LAW_NEO_HOOKEAN), "neo_hookean");
    assert_string_equal(sn_law_name(SN_LAW_STABLE_NEO_HOOKEAN), "stable_neo_hookean");
    assert_string_equal(sn_law_name(SN_LAW_MOONEY_RIVLIN), "mooney_rivlin");
    assert_string_equal(sn_law_name(SN_LAW_STABLE_NEO_HOOKEAN_0), "stable_neo_hookean_0");
    assert_string_equal(sn_law_name(SN_LAW_KIND_COUNT), "unknown law");
}

static void wrong_parameters_are_named(void **unused)
{
    (void)unused;
    const struct {
        double young, poisson, density;
        const char *text;
    } cases[] = {
        {0.0, 0.3, 1000.0, "young is 0 Pa, expected a positive finite number"},
        {-5.0, 0.3, 1000.0, "young is -5 Pa, expected a positive finite number"},
        {INFINITY, 0.3, 1000.0, "young is inf Pa, expected a positive finite number"},
        {1e6, 0.5, 1000.0, "poisson is 0.5, expected a number above -1 and below 0.5"},
        {1e6, -1.0, 1000.0, "poisson is -1, expected a number above -1 and below 0.5"},
        {1e6, 0.3, 0.0, "density is 0 kg/m^3, expected a positive finite number"},
        {1e6, 0.3, -2.5, "density is -2.5 kg/m^3, expected a positive finite number"},
        {1e6, 0.3, INFINITY, "density is inf kg/m^3, expected a positive finite number"},
        {1e300, 0.5 - 1e-16, 1.0,
         "young 1e+300 Pa with poisson 0.49999999999999989 makes mu 3.33333e+299 Pa and lambda inf "
         "Pa, expected positive finite stiffnesses"},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        SinewError error = {0};
        assert_int_equal(sn_law_check(cases[i].young, cases[i].poisson, cases[i].density, &error),
                         SINEW_ERROR_ARGUMENT);
        assert_string_equal(error.text, cases[i].text);
    }
    double nan = (double)NAN;
    assert_int_equal(sn_law_check(nan, 0.3, 1.0, NULL), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sn_law_check(1.0, nan, 1.0, NULL), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sn_law_check(1.0, 0.3, nan, NULL), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sn_law_check(DBL_TRUE_MIN, 0.3, 1.0, NULL), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sn_law_check(1e6, 0.499, 1000.0, NULL), SINEW_OK);
    assert_int_equal(sn_law_check(1e6, -0.99, 1000.0, NULL), SINEW_OK);
}

// ---- cost -------------------------------------------------------------------------------------

enum { CALLS = 5, TIMED_STATES = 256, ROUNDS = 20 };

// One call of five, and a number that depends on what it gave.
static double call(int which, const SnLaw *law, const double F[9], const double dF[9])
{
    double out[81];
    switch (which) {
    case 0:
        return sn_law_energy(law, F);
    case 1:
        sn_law_stress(law, F, out);
        return norm(out, 9);
    case 2:
        sn_law_differential(law, F, dF, out);
        return norm(out, 9);
    case 3:
        sn_law_hessian(law, F, out);
        return out[0] + out[80];
    default:
        sn_law_hessian_definite(law, F, out);
        return out[0] + out[80];
    }
}

// Prints nanoseconds a call where SINEW_TEST_FIGURES is set, as doc/materials.md has them.
static void calls_repeat_their_bits(void **unused)
{
    (void)unused;
    static double F[TIMED_STATES][9];
    SnRandom random = {11};
    for (int i = 0; i < 9 * TIMED_STATES; ++i) {
        double noise = i < 9 * TIMED_STATES / 2 ? 0.05 : 0.5;
        F[i / 9][i % 9] = (i % 9 % 4 == 0 ? 1.0 : 0.0) + sn_random_between(&random, -noise, noise);
    }
    for (int l = 0; l < SN_LAW_KIND_COUNT; ++l) {
        SnLaw law = sn_law_make((SnLawKind)l, YOUNG, POISSON);
        double nanoseconds[CALLS];
        for (int which = 0; which < CALLS; ++which) {
            double least = INFINITY;
            double first = 0.0;
            for (int round = 0; round < ROUNDS; ++round) {
                double sum = 0.0;
                double start = sn_clock_seconds();
                for (int i = 0; i < TIMED_STATES; ++i) {
                    sum += call(which, &law, F[i], F[0]);
                }
                least = fmin(least, sn_clock_seconds() - start);
                first = round == 0 ? sum : first;
                assert_true(sum == first);
            }
            nanoseconds[which] = 1e9 * least / TIMED_STATES;
        }
        if (getenv("SINEW_TEST_FIGURES") != NULL) {
            printf("| `%s` | %.0f | %.0f | %.0f | %.0f | %.0f |\n", sn_law_name(law.kind),
                   nanoseconds[0], nanoseconds[1], nanoseconds[2], nanoseconds[3], nanoseconds[4]);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stress_is_the_gradient_of_energy),
    cmocka_unit_test(differential_is_the_change_of_stress),
    cmocka_unit_test(hessian_is_the_differential_in_all_directions),
    cmocka_unit_test(projection_is_the_nearest_semi_definite_matrix),
    cmocka_unit_test(rotations_cost_nothing),
    cmocka_unit_test(only_the_linear_law_feels_a_rotation),
    cmocka_unit_test(rest_has_no_energy_and_no_stress),
    cmocka_unit_test(energy_keeps_its_digits_near_rest),
    cmocka_unit_test(all_laws_are_hookes_at_rest),
    cmocka_unit_test(degenerate_states_never_give_nan),
    cmocka_unit_test(barrier_grows_towards_the_flat_state),
    cmocka_unit_test(states_without_numbers_have_infinite_energy),
    cmocka_unit_test(only_the_logarithm_leads_out_of_a_point),
    cmocka_unit_test(uniaxial_strain_has_its_closed_form),
    cmocka_unit_test(simple_shear_has_its_closed_form),
    cmocka_unit_test(youngs_modulus_comes_back),
    cmocka_unit_test(names_are_those_of_scene_files),
    cmocka_unit_test(wrong_parameters_are_named),
    cmocka_unit_test(calls_repeat_their_bits),
};

SN_TEST_GROUP(material_law, tests);
