// Kernels of `tetmg` on every instruction set against their plain references: the portable variants
// bit for bit, the fast ones to rounding; and the blocks of tets against the sweeps of `split`.
#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <math.h>

// Two blocks of tets, the last with lanes that repeat one; rows with none to seven entries.
enum {
    BLOCKS = 2,
    LANES = 16 * BLOCKS,
    TETS = LANES - 3,
    EDGES = SN_TET_EDGES * TETS,
    ROWS = 37,
    NODES = 9,
    ENTRIES = 7 * ROWS
};

typedef struct Case {
    _Alignas(64) float rest[SN_TET_REST * LANES];
    _Alignas(64) float q[4 * LANES];
    _Alignas(64) float tangent[SN_TET_TANGENT_FIXED * LANES];
    int slots[SN_TET_EDGES * LANES];
    uint16_t turned[SN_TET_EDGES * BLOCKS];
    float edges[SN_TET_EDGE_SLOT * (EDGES + 1)], lasts[EDGES + 1];
    int edge_start[EDGES + 1], first[EDGES], second[EDGES];
    float blocks[9 * 2 * EDGES];
    int start[ROWS + 1], later[ROWS], columns[ENTRIES + 1];
    float values[9 * ENTRIES + 25];
    float mass[ROWS], added[12 * ROWS], diagonal[12 * ROWS], inverse[12 * ROWS];
    float free[3 * ROWS + 4], x[3 * ROWS + 4], right[3 * ROWS + 4];
    float product[3 * ROWS + 4], swept[3 * ROWS + 4], left[3 * ROWS + 4], back[3 * ROWS + 4];
    unsigned char control[ROWS];
    int pair_start[ROWS + 1], pair_places[4 * ROWS];
    float pair_weights[4 * ROWS], streamed[9 * ROWS], gathered[9 * ROWS];
    int nodes[8 * ROWS], node_start[NODES + 1], members[8 * ROWS];
    float weights[8 * ROWS], turns[12 * NODES];
    float node_right[3 * NODES], moves[4 * NODES], z[3 * ROWS + 4];
    int parents[4 * ROWS], tet_start[NODES + 1];
    float restricted[3 * NODES], prolonged[3 * ROWS + 4];
} Case;

static void fill(SnRandom *random, float *out, int count, double low, double high)
{
    for (int i = 0; i < count; ++i) {
        out[i] = (float)sn_random_between(random, low, high);
    }
}

static void make_tets(Case *c, SnRandom *random)
{
    fill(random, c->rest, SN_TET_REST * LANES, 0.5, 2.0);
    fill(random, c->tangent, SN_TET_TANGENT_FIXED * LANES, -1.0, 1.0);
    for (int lane = 0; lane < LANES; ++lane) {
        int block = lane / 16, at = lane % 16;
        const float q[4] = {0.5f, lane % 2 ? 0.5f : -0.5f, 0.5f, lane % 3 ? 0.5f : -0.5f};
        for (int k = 0; k < 4; ++k) {
            c->q[(4 * block + k) * 16 + at] = q[k];
        }
        for (int e = 0; e < SN_TET_EDGES; ++e) {
            int slot = lane < TETS ? SN_TET_EDGES * lane + e : EDGES;
            c->slots[(SN_TET_EDGES * block + e) * 16 + at] = SN_TET_EDGE_SLOT * slot;
            c->turned[SN_TET_EDGES * block + e] |=
                (uint16_t)((unsigned)((lane + e) % 3 == 0) << at);
        }
    }
    // Edges of three slots, some of them transposed.
    for (int e = 0; e < EDGES / 3; ++e) {
        c->edge_start[e] = 3 * e;
        c->first[e] = 18 * e;
        c->second[e] = 18 * e + 9;
    }
    c->edge_start[EDGES / 3] = EDGES;
}

static void make_case(Case *c)
{
    SnRandom random = {7};
    int filled = 0;
    memset(c, 0, sizeof *c);
    make_tets(c, &random);
    for (int r = 0; r < ROWS; ++r) {
        c->start[r] = filled;
        c->later[r] = filled + r % 8 / 2;
        for (int k = 0; k < r % 8; ++k) {
            c->columns[filled++] = 3 * ((r + 5 * k + 1) % ROWS);
        }
        c->free[3 * r] = r % 5 == 0 ? 0.0f : 1.0f;
        c->free[3 * r + 1] = r % 10 == 0 ? 0.0f : 1.0f;
        c->free[3 * r + 2] = r % 10 == 5 ? 0.0f : 1.0f;
    }
    c->start[ROWS] = filled;
    fill(&random, c->values, 9 * ENTRIES + 16, -0.3, 0.1);
    fill(&random, c->mass, ROWS, 2.0, 3.0);
    fill(&random, c->x, 3 * ROWS + 4, -1.0, 1.0);
    fill(&random, c->right, 3 * ROWS + 4, -1.0, 1.0);
    fill(&random, c->weights, 8 * ROWS, 0.0, 1.0);
    fill(&random, c->turns, 12 * NODES, -1.0, 1.0);
    fill(&random, c->z, 3 * ROWS + 4, -1.0, 1.0);
    for (int i = 0; i < 8 * ROWS; ++i) {
        c->nodes[i] = 4 * (i % NODES);
        c->members[i] = i;
    }
    for (int i = 0; i < 4 * ROWS; ++i) {
        c->parents[i] = 5 * i % NODES;
    }
    for (int r = 0; r < ROWS; ++r) {
        c->added[12 * r] = c->added[12 * r + 5] = c->added[12 * r + 10] = 0.25f;
    }
    fill(&random, c->pair_weights, 4 * ROWS, -1.0, 1.0);
    for (int r = 0; r < ROWS; ++r) {
        c->control[r] = (unsigned char)((r % 6 == 0 ? 0 : SN_BLOCK_NEXT) | (r % 5));
        c->pair_start[r + 1] = c->pair_start[r] + r % 5;
        for (int k = 0; k < r % 5; ++k) {
            c->pair_places[c->pair_start[r] + k] = 9 * ((3 * r + 7 * k) % ROWS);
        }
    }
    for (int n = 0; n <= NODES; ++n) {
        c->node_start[n] = n * 8 * ROWS / NODES;
        c->tet_start[n] = n * 4 * ROWS / NODES;
    }
}

static void run(const SnKernels *kernels, SnTetLaw law, SnTetTangent kind, Case *c)
{
    SnTetBlocks tets = {law,  kind,       c->slots, c->turned, c->rest,
                        c->q, c->tangent, c->edges, c->lasts};
    SnEdgeSum sum = {c->edge_start, c->first, c->second, c->edges, c->lasts, 0.5f, c->blocks};
    SnBlockRows rows = {.start = c->start,
                        .later = c->later,
                        .columns = c->columns,
                        .values = c->values,
                        .mass = c->mass,
                        .added = c->added,
                        .diagonal = c->diagonal,
                        .inverse = c->inverse,
                        .free = c->free,
                        .x = c->x,
                        .right = c->right,
                        .out = c->product};
    SnNodeBlend blend = {.nodes = c->nodes,
                         .weights = c->weights,
                         .start = c->node_start,
                         .members = c->members,
                         .turns = c->turns,
                         .residual = c->x,
                         .right = c->node_right,
                         .moves = c->moves,
                         .free = c->free,
                         .z = c->z};
    kernels->tet_block->blocks(&tets, 0, BLOCKS);
    kernels->tet_block->sum(&sum, 0, EDGES / 3);
    kernels->block->invert(&rows, 0, ROWS);
    kernels->block->multiply(&rows, 0, ROWS);
    rows.out = c->swept;
    kernels->block->forward(&rows, 0, ROWS);
    rows.x = c->swept;
    rows.out = c->left;
    kernels->block->residual(&rows, 0, ROWS);
    memcpy(c->back, c->swept, sizeof c->back);
    rows.out = c->back;
    kernels->block->backward(&rows, 0, ROWS);
    SnBlockPairs pairs = {c->control,     c->pair_start, c->pair_weights,
                          c->pair_places, c->values,     c->streamed};
    kernels->block->stream(&pairs, ROWS);
    pairs.to = c->gathered;
    kernels->block->gather(&pairs, 0, ROWS);
    kernels->node->gather(&blend, 0, NODES);
    kernels->node->turn(&blend, 0, NODES);
    kernels->node->spread(&blend, 0, ROWS);
    SnTetBlend tet = {.parents = c->parents,
                      .weights = c->weights,
                      .start = c->tet_start,
                      .members = c->members,
                      .fine = c->x,
                      .right = c->restricted,
                      .coarse = c->moves,
                      .z = c->prolonged};
    kernels->node->restrict_to(&tet, 0, NODES);
    kernels->node->prolong(&tet, 0, ROWS);
}

// Relative to the largest number of the array.
static void compare(const char *what, const float *got, const float *expected, int count,
                    bool portable)
{
    float largest = 0.0f;
    for (int i = 0; i < count; ++i) {
        largest = fmaxf(largest, fabsf(expected[i]));
    }
    assert_true(largest > 0.0f);
    for (int i = 0; i < count; ++i) {
        // Fast variants round once less in each product; sums of some twenty terms, and inverses of
        // blocks whose condition is below ten.
        float bound = portable ? 0.0f : 2e-5f * largest;
        if (!(fabsf(got[i] - expected[i]) <= bound)) {
            fail_msg("%s %d is %.9g, expected %.9g", what, i, (double)got[i], (double)expected[i]);
        }
    }
}

static void check_variant(const SnKernels *kernels, bool portable)
{
    static Case expected, got;
    for (int i = 0; i < 9; ++i) {
        make_case(&expected);
        make_case(&got);
        run(sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS), (SnTetLaw)(i / 3), (SnTetTangent)(i % 3),
            &expected);
        run(kernels, (SnTetLaw)(i / 3), (SnTetTangent)(i % 3), &got);
        compare("slot", got.edges, expected.edges, SN_TET_EDGE_SLOT * EDGES, portable);
        compare("last", got.lasts, expected.lasts, EDGES, portable);
        compare("block", got.blocks, expected.blocks, 9 * 2 * EDGES / 3, portable);
        compare("diagonal", got.diagonal, expected.diagonal, 12 * ROWS, portable);
        compare("inverse", got.inverse, expected.inverse, 12 * ROWS, portable);
        compare("product", got.product, expected.product, 3 * ROWS, portable);
        compare("swept", got.swept, expected.swept, 3 * ROWS, portable);
        compare("left", got.left, expected.left, 3 * ROWS, portable);
        compare("back", got.back, expected.back, 3 * ROWS, portable);
        compare("streamed", got.streamed, expected.streamed, 9 * ROWS, portable);
        compare("gathered", got.gathered, expected.gathered, 9 * ROWS, portable);
        compare("node", got.node_right, expected.node_right, 3 * NODES, portable);
        compare("move", got.moves, expected.moves, 4 * NODES, portable);
        compare("z", got.z, expected.z, 3 * ROWS, portable);
        compare("restricted", got.restricted, expected.restricted, 3 * NODES, portable);
        compare("prolonged", got.prolonged, expected.prolonged, 3 * ROWS, portable);
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

static const int CORNERS[SN_TET_EDGES][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

// Force on each corner by blocks: a corner's own is the negative sum of the others.
static void add_forces(const Case *c, int lane, const float *x, double force[12])
{
    for (int e = 0; e < SN_TET_EDGES; ++e) {
        int slot = SN_TET_EDGES * lane + e;
        float block[9];
        memcpy(block, c->edges + SN_TET_EDGE_SLOT * slot, SN_TET_EDGE_SLOT * sizeof *block);
        block[8] = c->lasts[slot];
        int a = CORNERS[e][0], b = CORNERS[e][1];
        if (c->turned[SN_TET_EDGES * (lane / 16) + e] >> lane % 16 & 1) {
            a = CORNERS[e][1], b = CORNERS[e][0];
        }
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                double d = (double)(x[3 * b + j] - x[3 * a + j]);
                force[3 * a + i] += (double)block[3 * i + j] * d;
                force[3 * b + i] -= (double)block[3 * j + i] * d;
            }
        }
    }
}

// The tangent as blocks does what the tangent as a sweep does.
static void blocks_are_the_tangent_of_sweeps(void **state)
{
    (void)state;
    static Case c;
    // A patch with a row for each corner of each tet.
    static float rows[4 * 4 * LANES], x[12 * LANES + 4];
    static int row_vertex[4 * LANES], group_start[LANES + 1];
    static uint16_t corners[4 * LANES], sources[4 * LANES];
    static const int patch_block[2] = {0, BLOCKS}, patch_row[2] = {0, 4 * LANES};
    const SnKernels *kernels = sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS);
    SnRandom random = {3};
    fill(&random, x, 12 * LANES, -1.0, 1.0);
    for (int i = 0; i < 4 * LANES; ++i) {
        int block = i / 64, lane = i % 16, corner = i / 16 % 4;
        int row = 4 * (16 * block + lane) + corner;
        corners[i] = (uint16_t)(4 * row);
        row_vertex[row] = 3 * row;
        group_start[row / SN_TET_ROW_GROUP + 1] = SN_TET_ROW_GROUP * (row / SN_TET_ROW_GROUP + 1);
        sources[row] = (uint16_t)(4 * (64 * block + 16 * corner + 4 * (lane % 4) + lane / 4));
    }
    for (int law = 0; law < 3; ++law) {
        make_case(&c);
        SnTetSweep sweep = {.law = (SnTetLaw)law,
                            .patch_block = patch_block,
                            .patch_row = patch_row,
                            .row_vertex = row_vertex,
                            .corners = corners,
                            .group_start = group_start,
                            .sources = sources,
                            .rest = c.rest,
                            .x = x,
                            .q = c.q,
                            .tangent = c.tangent,
                            .rows = rows};
        kernels->tet->product(&sweep, 0, 1);
        run(kernels, (SnTetLaw)law, SN_TET_EXACT, &c);
        for (int lane = 0; lane < TETS; ++lane) {
            double force[12] = {0.0};
            add_forces(&c, lane, x + 12 * lane, force);
            for (int k = 0; k < 12; ++k) {
                double expected = (double)rows[4 * (4 * lane + k / 3) + k % 3];
                // Sums of some hundred products of size ten to a hundred, in float.
                assert_at_most(fabs(force[k] - expected), 2e-3);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_variant_agrees_with_the_reference),
    cmocka_unit_test(blocks_are_the_tangent_of_sweeps),
};
SN_TEST_GROUP(kernel_block_rows, tests);
