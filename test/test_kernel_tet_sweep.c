// Kernels of `split` on every instruction set against their plain references: the portable variants
// bit for bit, the fast ones to rounding; and the references against differences of energies.
#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <float.h>
#include <math.h>

// Twelve blocks in two patches, more in the first than rotations are found for at once; the last
// block has lanes that repeat a tet.
enum {
    BLOCKS = 12,
    PATCHES = 2,
    LANES = 16 * BLOCKS,
    VERTICES = 40,
    PATCH_ROWS = VERTICES * PATCHES,
    CLUSTERS = 5,
    CHUNKS = 2,   // of the volume pass
    GROUPED = 48, // the vertices in whole groups
    ROWS = 2 * SN_COARSE_ROWS
};

typedef struct Case {
    _Alignas(64) float rest[SN_TET_REST * LANES];
    _Alignas(64) float volume_rest[SN_VOLUME_REST * LANES];
    _Alignas(64) float q[4 * LANES];
    _Alignas(64) float tangent[SN_TET_TANGENT_FIXED * LANES];
    _Alignas(64) float F[9 * LANES];
    _Alignas(64) float multipliers[LANES];
    _Alignas(64) float inverse[ROWS * ROWS];
    _Alignas(64) float frames[ROWS];
    _Alignas(64) float rows[4 * PATCH_ROWS], warped[4 * PATCH_ROWS];
    _Alignas(64) float places[4 * VERTICES];
    float x[3 * VERTICES + 4];
    float out[3 * VERTICES + 4];
    int vertices[4 * LANES];
    uint16_t corners[4 * LANES];
    int patch_block[PATCHES + 1];
    int patch_row[PATCHES + 1];
    int row_vertex[PATCH_ROWS];
    int group_start[PATCH_ROWS / SN_TET_ROW_GROUP + 1];
    uint16_t sources[SN_TET_ROW_GROUP * 4 * LANES];
    int volume_inverted[CHUNKS];
    double energy[PATCHES];
    int inverted[PATCHES];
} Case;

// The corners that meet at a row; those of lanes without a tet are left out. Returns how many, and
// puts them `SN_TET_ROW_GROUP` apart; `out` is nullable.
static int list_row(const Case *c, int row, uint16_t *out)
{
    int patch = row / VERTICES, count = 0;
    for (int i = 64 * c->patch_block[patch]; i < 64 * c->patch_block[patch + 1]; ++i) {
        int block = i / 64, corner = i / 16 % 4, lane = i % 16;
        if (c->corners[i] == 4 * (row % VERTICES) && 16 * block + lane < LANES - 5) {
            int at = 64 * (block - c->patch_block[patch]) + 16 * corner;
            if (out != NULL) {
                out[SN_TET_ROW_GROUP * count] = (uint16_t)(4 * (at + 4 * (lane % 4) + lane / 4));
            }
            count += 1;
        }
    }
    return count;
}

static void list_sources(Case *c)
{
    for (int g = 0; g < PATCH_ROWS / SN_TET_ROW_GROUP; ++g) {
        int most = 0;
        for (int r = 0; r < SN_TET_ROW_GROUP; ++r) {
            int count = list_row(c, SN_TET_ROW_GROUP * g + r, NULL);
            most = count > most ? count : most;
        }
        c->group_start[g + 1] = c->group_start[g] + SN_TET_ROW_GROUP * most;
        for (int i = c->group_start[g]; i < c->group_start[g + 1]; ++i) {
            c->sources[i] = SN_TET_NO_SOURCE;
        }
        for (int r = 0; r < SN_TET_ROW_GROUP; ++r) {
            list_row(c, SN_TET_ROW_GROUP * g + r, c->sources + c->group_start[g] + r);
        }
    }
}

static void make_case(Case *c)
{
    SnRandom random = {11};
    memset(c, 0, sizeof *c);
    for (int i = 0; i < 3 * VERTICES + 4; ++i) {
        c->x[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
    for (int lane = 0; lane < LANES; ++lane) {
        int block = lane / 16, at = lane % 16;
        int first = (int)(sn_random_bits(&random) % (VERTICES - 4));
        bool real = lane < LANES - 5;
        for (int k = 0; k < 11; ++k) {
            double value = k < 9 ? (k % 4 == 0) + sn_random_between(&random, -0.3, 0.3)
                                 : sn_random_between(&random, 0.5, 2.0);
            c->rest[(11 * block + k) * 16 + at] = k < 9 || real ? (float)value : 0.0f;
        }
        for (int k = 0; k < SN_VOLUME_REST; ++k) {
            c->volume_rest[(SN_VOLUME_REST * block + k) * 16 + at] =
                (float)sn_random_between(&random, 0.1, 1.0);
        }
        for (int a = 0; a < 4; ++a) {
            // Row r of a patch is vertex VERTICES - 1 - r.
            c->corners[(4 * block + a) * 16 + at] = (uint16_t)(4 * (VERTICES - 1 - (first + a)));
            c->q[(4 * block + a) * 16 + at] = a == 3 ? 1.0f : 0.0f;
        }
    }
    c->patch_block[1] = BLOCKS - 2;
    c->patch_block[2] = BLOCKS;
    for (int r = 0; r < PATCH_ROWS; ++r) {
        c->patch_row[r / VERTICES + 1] = r + 1;
        c->row_vertex[r] = 3 * (VERTICES - 1 - r % VERTICES);
    }
    list_sources(c);
    for (int i = 0; i < 4 * VERTICES; ++i) {
        c->places[i] = (float)sn_random_between(&random, 0.1, 1.0);
    }
    for (int i = 0; i < ROWS * ROWS; ++i) {
        c->inverse[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
}

static SnTetSweep sweep_of(Case *c, SnTetLaw law)
{
    return (SnTetSweep){.law = law,
                        .rotations = 1,
                        .patch_block = c->patch_block,
                        .patch_row = c->patch_row,
                        .row_vertex = c->row_vertex,
                        .corners = c->corners,
                        .group_start = c->group_start,
                        .sources = c->sources,
                        .rest = c->rest,
                        .x = c->x,
                        .q = c->q,
                        .tangent = c->tangent,
                        .rows = c->rows,
                        .F = c->F,
                        .energy = c->energy,
                        .inverted = c->inverted};
}

// All kernels one after the other.
static void run(const SnKernels *kernels, SnTetLaw law, Case *c)
{
    SnTetSweep sweep = sweep_of(c, law);
    int start[VERTICES + 1], places[4 * VERTICES], further[VERTICES];
    float mass[VERTICES], held[3 * VERTICES + 4];
    for (int v = 0; v <= VERTICES; ++v) {
        start[v] = v / 3; // every third vertex has a fifth row
    }
    for (int i = 0; i < 4 * VERTICES; ++i) {
        places[i] = 4 * (i * 7 % PATCH_ROWS);
        further[i / 4] = 4 * (i / 4);
    }
    for (int i = 0; i < 3 * VERTICES + 4; ++i) {
        mass[i % VERTICES] = 0.1f;
        held[i] = i % 7 == 0 ? 0.0f : 1.0f;
    }
    kernels->tet->deform(&sweep, 0, PATCHES);
    kernels->tet->energy(&sweep, 0, PATCHES);
    kernels->tet->gradient(&sweep, 0, PATCHES);
    SnVertexSum sum = {.places = places,
                       .start = start,
                       .further = further,
                       .rows = c->rows,
                       .mass = mass,
                       .free = held,
                       .x = c->x,
                       .scale = 0.5f,
                       .out = c->out};
    kernels->vertex->sum(&sum, 0, VERTICES);
    sweep.x = c->out;
    kernels->tet->product(&sweep, 0, PATCHES);
    c->out[3 * VERTICES] = (float)kernels->vertex->dot(c->out, c->x, 1, 3 * VERTICES - 2);
    sweep.x = c->x;
    sweep.warped = true;
    sweep.rows = c->warped;
    kernels->tet->product(&sweep, 0, PATCHES);
}

// Relative to the largest number of the array.
static void compare(const char *what, const float *got, const float *expected, int count,
                    bool portable)
{
    float largest = 0.0f;
    for (int i = 0; i < count; ++i) {
        largest = fmaxf(largest, fabsf(expected[i]));
    }
    for (int i = 0; i < count; ++i) {
        // Fast variants round once less in each product; Newton's step divides by determinants of
        // about a tenth, so some hundred units in the last place.
        float bound = portable ? 0.0f : 3e-4f * largest;
        if (!(fabsf(got[i] - expected[i]) <= bound)) {
            fail_msg("%s %d is %.9g, expected %.9g", what, i, (double)got[i], (double)expected[i]);
        }
    }
}

static void check_variant(const SnKernels *kernels, bool portable)
{
    static Case expected, got;
    for (int law = 0; law < 3; ++law) {
        make_case(&expected);
        make_case(&got);
        run(sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS), (SnTetLaw)law, &expected);
        run(kernels, (SnTetLaw)law, &got);
        compare("q", got.q, expected.q, 4 * LANES, portable);
        compare("F", got.F, expected.F, 9 * LANES, portable);
        compare("row", got.rows, expected.rows, 4 * PATCH_ROWS, portable);
        compare("warped", got.warped, expected.warped, 4 * PATCH_ROWS, portable);
        compare("out", got.out, expected.out, 3 * VERTICES + 1, portable);
        for (int p = 0; p < PATCHES; ++p) {
            assert_int_equal(got.inverted[p], expected.inverted[p]);
            assert_at_most(fabs(got.energy[p] - expected.energy[p]),
                           portable ? 0.0 : 1e-4 * expected.energy[p]);
        }
    }
}

static void every_variant_agrees_with_the_reference(void **state)
{
    (void)state;
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            check_variant(sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS), true);
            check_variant(sn_kernels_of((SnIsa)isa, SN_FAST_BITS), false);
        }
    }
}

static void run_coarse(const SnKernels *kernels, Case *c, float *z)
{
    static int clusters[4 * GROUPED], start[CLUSTERS + 1], members[4 * VERTICES];
    static _Alignas(64) float turns[4 * GROUPED], shares[4 * GROUPED], columns[16 * CLUSTERS];
    static _Alignas(64) float turned[16 * GROUPED], sums[16 * CLUSTERS];
    static float place[4 * GROUPED], member_shares[4 * VERTICES];
    static float right[ROWS], held[3 * VERTICES + 4], rotations[4 * CLUSTERS];
    SnRandom random = {5};
    memset(shares, 0, sizeof shares);
    memset(right, 0, sizeof right);
    for (int i = 0; i < 4 * GROUPED; ++i) {
        int vertex = i / 64 * 16 + i % 16;
        clusters[i] = 4 * ((i / 16 + vertex) % CLUSTERS);
        shares[i] = vertex < VERTICES ? (float)sn_random_between(&random, 0.1, 1.0) : 0.0f;
        place[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
    for (int i = 0; i < 4 * VERTICES; ++i) {
        members[i] = (7 * i) % (4 * VERTICES);
        member_shares[i] = (float)sn_random_between(&random, 0.1, 1.0);
    }
    for (int i = 0; i < 4 * CLUSTERS; ++i) {
        rotations[i] = i % 4 == 3 ? (i / 4 % 2 ? -0.8f : 0.8f) : (i / 4 % 2 ? -0.2f : 0.3f);
    }
    for (int i = 0; i < 3 * VERTICES + 4; ++i) {
        held[i] = i % 5 == 0 ? 0.0f : 1.0f;
        z[i] = 0.0f;
    }
    for (int k = 0; k <= CLUSTERS; ++k) {
        start[k] = k * 4 * VERTICES / CLUSTERS - (k == 2 ? 1 : 0);
    }
    SnCoarse coarse = {.vertex_count = VERTICES,
                       .row_count = ROWS,
                       .clusters = clusters,
                       .shares = shares,
                       .place = place,
                       .start = start,
                       .members = members,
                       .member_shares = member_shares,
                       .inverse = c->inverse,
                       .rotations = rotations,
                       .turns = turns,
                       .residual = c->x,
                       .turned = turned,
                       .sums = sums,
                       .right = right,
                       .frames = c->frames,
                       .columns = columns,
                       .free = held,
                       .z = z};
    kernels->coarse->blend(&coarse, 0, GROUPED / 16);
    kernels->coarse->turn(&coarse, 0, GROUPED / 16);
    kernels->coarse->gather(&coarse, 0, CLUSTERS);
    for (int i = 0; i < ROWS; ++i) {
        right[i] = sums[i % (16 * CLUSTERS)];
    }
    kernels->coarse->solve(&coarse, 0, ROWS / SN_COARSE_ROWS);
    for (int i = 0; i < 16 * CLUSTERS; ++i) {
        columns[i] = i % 4 < 3 ? c->frames[i % ROWS] : 0.0f;
    }
    kernels->coarse->spread(&coarse, 0, GROUPED / 16);
}

static void run_volume(const SnKernels *kernels, Case *c)
{
    static const int chunk_block[CHUNKS + 1] = {0, 5, BLOCKS};
    // Nine tets of a block are real and share no vertex; the others have all corners at one.
    for (int i = 0; i < 4 * LANES; ++i) {
        int lane = i % 16, corner = i / 16 % 4;
        c->vertices[i] = 4 * (lane < 9 ? 4 * ((lane + i / 64) % 9) + corner : VERTICES - 1);
    }
    for (int l = 0; l < LANES; ++l) {
        if (l % 16 >= 9) {
            c->volume_rest[SN_VOLUME_REST * (l / 16) * 16 + l % 16] = 0.0f;
            c->volume_rest[(SN_VOLUME_REST * (l / 16) + 1) * 16 + l % 16] = 1.0f;
        }
    }
    SnTetVolume volume = {.chunk_block = chunk_block,
                          .vertices = c->vertices,
                          .rest = c->volume_rest,
                          .inverse_dt2 = 4.0f,
                          .fresh = true,
                          .multipliers = c->multipliers,
                          .x = c->places,
                          .inverted = c->volume_inverted};
    kernels->tet_volume(&volume, 0, CHUNKS);
    volume.fresh = false;
    kernels->tet_volume(&volume, 0, CHUNKS);
    volume.fresh = true;
    volume.multipliers = NULL;
    kernels->tet_volume(&volume, 1, CHUNKS);
}

// What a step of mode paper does with vertices, on a part of them.
typedef struct Fall {
    float start[3 * VERTICES + 4], aim[3 * VERTICES + 4], move[3 * VERTICES + 4];
    float x[3 * VERTICES + 4], places[4 * VERTICES];
    float guess[4][3 * VERTICES + 4];
    double inertia[2];
} Fall;

static void run_fall(const SnKernels *kernels, Fall *out)
{
    static double positions[3 * VERTICES], velocities[3 * VERTICES];
    static float step[3 * VERTICES + 4], held[3 * VERTICES + 4];
    static int outside[VERTICES];
    SnRandom random = {3};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3 * VERTICES; ++i) {
        positions[i] = sn_random_between(&random, 99.0, 101.0);
        velocities[i] = sn_random_between(&random, -1.0, 1.0);
        step[i] = (float)sn_random_between(&random, -1.0, 1.0);
        held[i] = i % 5 == 0 ? 0.0f : 1.0f;
        outside[i / 3] = (7 * (i / 3)) % VERTICES;
        out->places[4 * (i / 3) + 3] = (float)i;
    }
    SnVertexFall fall = {.outside = outside,
                         .positions = positions,
                         .velocities = velocities,
                         .origin = {99.5, 100.0, 100.5},
                         .pull = {0.0, -0.1, 0.01},
                         .time = 0.01,
                         .start = out->start,
                         .aim = out->aim,
                         .move = out->move,
                         .x = out->x};
    SnVertexPlaces places = {.start = out->start,
                             .step = step,
                             .free = held,
                             .move = out->move,
                             .x = out->x,
                             .places = out->places};
    kernels->vertex->fall(&fall, 1, VERTICES - 2);
    kernels->vertex->advance(&places, 2, VERTICES - 3);
    kernels->vertex->retreat(&places, 4, VERTICES - 4);
    fall.last_move = fall.last_change = positions;
    fall.move_share = 0.1;
    fall.change_share = -0.2;
    fall.guesses = true;
    fall.guess_time = 0.02;
    fall.start = out->guess[0];
    fall.aim = out->guess[1];
    fall.move = out->guess[2];
    fall.x = out->guess[3];
    for (int k = 0; k < 3; ++k) {
        fall.guess_pull[k] = 0.1 * k;
        fall.weigh[k] = 0.5 - 0.498 * k; // the share is between 0 and 1, and now and then beyond
    }
    kernels->vertex->fall(&fall, 0, VERTICES - 2);
    SnVertexInertia inertia = {out->guess[1], out->guess[2], held, step};
    kernels->vertex->inertia(&inertia, 1, VERTICES - 2, out->inertia);
}

// The same bits in every variant: nothing is fused, and nothing beyond the part is written.
static void vertices_fall_as_in_the_reference(void **state)
{
    (void)state;
    static Fall expected, got;
    run_fall(sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS), &expected);
    assert_true(expected.x[3 * (VERTICES - 2)] == 0.0f && expected.x[3] != 0.0f);
    for (int i = 0; i < 2 * SN_ISA_COUNT; ++i) {
        if (sn_isa_runs((SnIsa)(i / 2))) {
            run_fall(sn_kernels_of((SnIsa)(i / 2), i % 2 == 0 ? SN_PORTABLE_BITS : SN_FAST_BITS),
                     &got);
            assert_memory_equal(&got, &expected, sizeof got);
        }
    }
}

static void coarse_and_volume_agree_with_the_reference(void **state)
{
    (void)state;
    static Case expected, got;
    static float expected_z[3 * VERTICES + 4], got_z[3 * VERTICES + 4];
    for (int i = 0; i < 2 * SN_ISA_COUNT; ++i) {
        bool portable = i % 2 == 0;
        if (!sn_isa_runs((SnIsa)(i / 2))) {
            continue;
        }
        make_case(&expected);
        make_case(&got);
        const SnKernels *plain = sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS);
        const SnKernels *kernels =
            sn_kernels_of((SnIsa)(i / 2), portable ? SN_PORTABLE_BITS : SN_FAST_BITS);
        run_coarse(plain, &expected, expected_z);
        run_volume(plain, &expected);
        run_coarse(kernels, &got, got_z);
        run_volume(kernels, &got);
        compare("frame", got.frames, expected.frames, ROWS, portable);
        compare("z", got_z, expected_z, 3 * VERTICES, portable);
        compare("place", got.places, expected.places, 4 * (VERTICES - 1), portable);
        compare("multiplier", got.multipliers, expected.multipliers, LANES, portable);
        for (int b = 0; b < CHUNKS && portable; ++b) {
            assert_int_equal(got.volume_inverted[b], expected.volume_inverted[b]);
        }
    }
}

static double energy_at(Case *c, SnTetLaw law)
{
    // Rotations to convergence, as the derivative takes them.
    SnTetSweep sweep = sweep_of(c, law);
    double sum = 0.0;
    sweep.rotations = 6;
    sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS)->tet->energy(&sweep, 0, PATCHES);
    for (int p = 0; p < PATCHES; ++p) {
        sum += c->energy[p];
    }
    return sum;
}

static void forces_are_the_gradient_of_the_energy(void **state)
{
    (void)state;
    static Case c;
    for (int law = 0; law < 3; ++law) {
        for (int vertex = 2; vertex < VERTICES; vertex += 9) {
            double slope = 0.0;
            make_case(&c);
            SnTetSweep sweep = sweep_of(&c, (SnTetLaw)law);
            sweep.rotations = 6;
            sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS)->tet->gradient(&sweep, 0, PATCHES);
            for (int r = 0; r < PATCH_ROWS; ++r) {
                slope += c.row_vertex[r] == 3 * vertex ? (double)c.rows[4 * r + 1] : 0.0;
            }
            c.x[3 * vertex + 1] += 0.01f;
            double up = energy_at(&c, (SnTetLaw)law);
            c.x[3 * vertex + 1] -= 0.02f;
            double down = energy_at(&c, (SnTetLaw)law);
            // Energies of about 1e2 in float, and third derivatives times 1e-4 over six.
            assert_at_most(fabs((up - down) / 0.02 - slope), 0.02 * (1.0 + fabs(slope)));
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_variant_agrees_with_the_reference),
    cmocka_unit_test(coarse_and_volume_agree_with_the_reference),
    cmocka_unit_test(vertices_fall_as_in_the_reference),
    cmocka_unit_test(forces_are_the_gradient_of_the_energy),
};
SN_TEST_GROUP(kernel_tet_sweep, tests);
