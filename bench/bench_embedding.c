// geometry.embed1m and geometry.evaluate1m: a million random points located in a box of 98,415 tets
// (and in the 32^3 cells of a cube), and moved with it. The time to embed includes the tree over
// the elements. Points are evaluated in the order of their elements, as a surface's vertices nearly
// are, and in random order.
#include "bench/bench.h"

#include "base/random.h"
#include "geometry/box_tets.h"
#include "geometry/embedding.h"

enum { POINTS = 1000000, POINTS_QUICK = 50000, TET_CELLS = 27, CELLS = 32 };

typedef enum Case { EMBED, EMBED_CELLS, EVALUATE, EVALUATE_UNSORTED, EVALUATE_CELLS } Case;

static const char *const names[] = {
    [EMBED] = "geometry.embed1m",
    [EMBED_CELLS] = "geometry.embed1m_cells",
    [EVALUATE] = "geometry.evaluate1m",
    [EVALUATE_UNSORTED] = "geometry.evaluate1m_unsorted",
    [EVALUATE_CELLS] = "geometry.evaluate1m_cells",
};

typedef struct State {
    int count;
    SnTetMesh *mesh;
    SnCellLattice *lattice;
    double *points;        // in random order
    double *sorted;        // by tet
    SnEmbedding *unsorted; // of points, in tets
    SnEmbedding *by_tet;   // of sorted, in tets
    SnEmbedding *in_cells; // of sorted, in cells
    float *tet_positions;
    float *cell_positions;
    float *xyz;
} State;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c <= EVALUATE_CELLS; ++c) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "%s%s", names[c], bench->quick ? ".50k" : "");
        SN_TRY(sn_bench_add(bench, &sn_bench_embedding, name, bench->kernels, SN_ALL_THREADS, c,
                            error));
    }
done:
    return status;
}

static void close_embedding(void *state)
{
    State *s = state;
    if (s == NULL) {
        return;
    }
    sn_embedding_destroy(s->unsorted, NULL);
    sn_embedding_destroy(s->by_tet, NULL);
    sn_embedding_destroy(s->in_cells, NULL);
    sn_free(NULL, s->tet_positions);
    sn_free(NULL, s->cell_positions);
    sn_free(NULL, s->xyz);
    sn_free(NULL, s->points);
    sn_free(NULL, s->sorted);
    sn_cell_lattice_destroy(s->lattice, NULL);
    sn_tet_mesh_destroy(s->mesh, NULL);
    sn_free(NULL, s);
}

static double unit_cube(void *context, const double p[3])
{
    (void)context;
    double most = -1.0;
    for (int c = 0; c < 3; ++c) {
        most = -p[c] > most ? -p[c] : most;
        most = p[c] - 1.0 > most ? p[c] - 1.0 : most;
    }
    return most;
}

static SinewStatus make_bodies(State *s, SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBoxTetsDef box = {.max = {1.0, 1.0, 1.0}, .cells = {TET_CELLS, TET_CELLS, TET_CELLS}};
    SN_TRY(sn_box_tets_create(&box, NULL, &s->mesh, error));
    SnCellBody body = {.fn = unit_cube, .max = {1.0, 1.0, 1.0}};
    SnCellLatticeDef def = sn_cell_lattice_def_default();
    def.longest_cells = CELLS;
    SN_TRY(sn_cell_lattice_create(&body, &def, workers, NULL, &s->lattice, error));
done:
    return status;
}

// Locates points as a user does: a tree over the elements, then the points.
static SinewStatus embed_in_tets(const State *s, const double *points, SnWorkers *workers,
                                 SnEmbedding **out_embedding, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetLocator *locator = NULL;
    SN_TRY(sn_tet_locator_create(s->mesh, workers, NULL, &locator, error));
    SN_TRY(sn_embedding_create_in_tets(locator, points, s->count, workers, NULL, out_embedding,
                                       error));
done:
    sn_tet_locator_destroy(locator, NULL);
    return status;
}

static SinewStatus embed_in_cells(const State *s, const double *points, SnWorkers *workers,
                                  SnEmbedding **out_embedding, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellLocator *locator = NULL;
    SN_TRY(sn_cell_locator_create(s->lattice, workers, NULL, &locator, error));
    SN_TRY(sn_embedding_create_in_cells(locator, points, s->count, workers, NULL, out_embedding,
                                        error));
done:
    sn_cell_locator_destroy(locator, NULL);
    return status;
}

// Points by the tet they are in.
static SinewStatus sort_points(State *s, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *start = NULL;
    SN_ALLOC(s->sorted, NULL, 3 * (size_t)s->count, error);
    SN_ALLOC_ZERO(start, NULL, (size_t)s->mesh->tet_count + 1, error);
    for (int i = 0; i < s->count; ++i) {
        start[s->unsorted->elements[i] + 1]++;
    }
    for (int t = 0; t < s->mesh->tet_count; ++t) {
        start[t + 1] += start[t];
    }
    for (int i = 0; i < s->count; ++i) {
        size_t to = (size_t)start[s->unsorted->elements[i]]++;
        for (size_t c = 0; c < 3; ++c) {
            s->sorted[3 * to + c] = s->points[3 * (size_t)i + c];
        }
    }
done:
    sn_free(NULL, start);
    return status;
}

static SinewStatus round_positions(const double *positions, int count, float **out,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(*out, NULL, 3 * (size_t)count, error);
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        (*out)[i] = (float)positions[i];
    }
done:
    return status;
}

static SinewStatus open_embedding(SnBench *bench, void **out_state, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    State *s = NULL;
    SN_ALLOC_ZERO(s, NULL, 1, error);
    *out_state = s;
    s->count = bench->quick ? POINTS_QUICK : POINTS;
    SN_TRY(make_bodies(s, bench->workers, error));
    SN_ALLOC(s->points, NULL, 3 * (size_t)s->count, error);
    SnRandom random = {29};
    for (size_t i = 0; i < 3 * (size_t)s->count; ++i) {
        s->points[i] = sn_random_unit(&random);
    }
    SN_TRY(embed_in_tets(s, s->points, bench->workers, &s->unsorted, error));
    SN_TRY(sort_points(s, error));
    SN_TRY(embed_in_tets(s, s->sorted, bench->workers, &s->by_tet, error));
    SN_TRY(embed_in_cells(s, s->sorted, bench->workers, &s->in_cells, error));
    SN_TRY(round_positions(s->mesh->positions, s->mesh->vertex_count, &s->tet_positions, error));
    SN_TRY(
        round_positions(s->lattice->positions, s->lattice->node_count, &s->cell_positions, error));
    SN_ALLOC(s->xyz, NULL, 3 * (size_t)s->count, error);
done:
    return status;
}

// One timed run.
typedef struct Run {
    State *state;
    Case what;
    const SnKernels *kernels;
    SinewStatus status;
    SinewError *error;
} Run;

static void run_once(void *context, SnWorkers *workers)
{
    Run *run = context;
    State *s = run->state;
    SnEmbedding *embedding = NULL;
    switch (run->what) {
    case EMBED:
        run->status |= embed_in_tets(s, s->points, workers, &embedding, run->error);
        break;
    case EMBED_CELLS:
        run->status |= embed_in_cells(s, s->points, workers, &embedding, run->error);
        break;
    case EVALUATE:
        sn_embedding_evaluate(s->by_tet, run->kernels, workers, s->tet_positions, s->xyz);
        break;
    case EVALUATE_UNSORTED:
        sn_embedding_evaluate(s->unsorted, run->kernels, workers, s->tet_positions, s->xyz);
        break;
    case EVALUATE_CELLS:
        sn_embedding_evaluate(s->in_cells, run->kernels, workers, s->cell_positions, s->xyz);
        break;
    }
    sn_embedding_destroy(embedding, NULL);
}

static SinewStatus run_entry(SnBench *bench, void *state, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    State *s = state;
    Run run = {.state = s, .what = (Case)entry->index, .kernels = entry->kernels, .error = error};
    SnBenchTask task = {.run = run_once, .context = &run};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    bool is_search = run.what == EMBED || run.what == EMBED_CELLS;
    bool in_cells = run.what == EMBED_CELLS || run.what == EVALUATE_CELLS;
    double nodes = in_cells ? 8.0 : 4.0;
    double count = s->count;
    // A node and a weight are four bytes each, a point is three floats, or three doubles where it
    // is looked for; the node positions and the tree stay in the caches.
    SnBenchWork work = {.items = 1.0,
                        .bytes_read = count * (is_search ? 24.0 : 8.0 * nodes),
                        .bytes_written = count * (is_search ? 8.0 * nodes + 8.0 : 12.0),
                        .flops = is_search ? 0.0 : count * 6.0 * nodes,
                        .working_set = count * (8.0 * nodes + (is_search ? 32.0 : 12.0))};
    sn_bench_fill(bench, entry, time, &work, is_search ? "s" : "ms", out_result);
    sn_bench_figure(out_result, "points", count);
    sn_bench_figure(out_result, "elements", in_cells ? s->lattice->cell_count : s->mesh->tet_count);
    return run.status;
}

// Shares its first word with the other benches of geometry, so that `sinew bench geometry` runs
// all.
const SnBenchGroup sn_bench_embedding = {.name = "geometry",
                                         .list = list,
                                         .open = open_embedding,
                                         .close = close_embedding,
                                         .run = run_entry};
