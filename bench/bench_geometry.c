// geometry.WHAT: figures of surfaces, distances and meshes.
//
// geometry.sdf128   signed distance of 70k triangles at 128 cells along the longest side, from the
//                   soup to the finished grid (s); limit: the grid is written and the soup read
//                   once
// geometry.closest  the closest point to random points around the same surface (ns a query)
// geometry.winding  their winding number (ns a query)
// geometry.stuffing
//                   100k tets of a sphere in closed form (s); limit: the mesh is written once
// geometry.stuffing_surface
//                   100k tets of the same surface by its exact distance (s)
// geometry.read_ply, geometry.read_msh
//                   large binary files, read from memory (MB/s), see read_files.h
//
// Queries have no such limit as streams have: they are held against reading what the tree's path
// from its root to one leaf holds.
//
// A new entry is a line in `cases` and a function that measures it.
#include "bench/bench.h"
#include "bench/read_files.h"

#include "base/random.h"
#include "geometry/distance_grid.h"
#include "geometry/shape.h"
#include "geometry/stuffing.h"

#include <math.h>
#include <string.h>

// The blob's resolution that gives 70k triangles, and random points a run.
enum { SURFACE_RESOLUTION = 53, QUERIES = 20000, GRID_CELLS = 128 };

// Cells along the longest side that give 100k tets.
enum { SPHERE_CELLS = 25, LUMPS_CELLS = 36 };

typedef struct State {
    SnSurface *surface; // of 70k triangles
    SnDistance *distance;
    double *points; // around the surface, xyz each
} State;

// One entry while it runs.
typedef struct Run {
    const State *state;
    double *answers; // one a query
    SnDistanceGrid *grid;
    SnStuffingDef stuffing;
    SnTetMesh *mesh;
    SinewStatus status; // of the last call
    SinewError error;
} Run;

typedef SinewStatus MeasureFn(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                              SnBenchResult *out_result, SinewError *error);

static MeasureFn measure_grid;
static MeasureFn measure_closest;
static MeasureFn measure_winding;
static MeasureFn measure_stuffing;
static MeasureFn measure_stuffing_surface;
static MeasureFn measure_read_ply;
static MeasureFn measure_read_msh;

typedef struct Case {
    const char *name;
    MeasureFn *measure;
    bool is_serial; // takes no workers
} Case;

static const Case cases[] = {
    {"geometry.sdf128", measure_grid, false},
    {"geometry.closest", measure_closest, false},
    {"geometry.winding", measure_winding, false},
    {"geometry.stuffing", measure_stuffing, false},
    {"geometry.stuffing_surface", measure_stuffing_surface, false},
    {"geometry.read_ply", measure_read_ply, true},
    {"geometry.read_msh", measure_read_msh, true},
};

enum { CASE_COUNT = sizeof cases / sizeof *cases };

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < CASE_COUNT; ++c) {
        char name[SN_BENCH_NAME];
        // Files are the serial ones; read_files.h has their sizes.
        snprintf(name, sizeof name, "%s%s", cases[c].name,
                 bench->quick && cases[c].is_serial ? ".64mb" : "");
        SN_TRY(
            sn_bench_add(bench, &sn_bench_geometry, name, bench->kernels, SN_ONE_THREAD, c, error));
        if (bench->threads > 1 && !cases[c].is_serial) {
            snprintf(name, sizeof name, "%s.parallel", cases[c].name);
            SN_TRY(sn_bench_add(bench, &sn_bench_geometry, name, bench->kernels, SN_ALL_THREADS, c,
                                error));
        }
    }
done:
    return status;
}

static void close_geometry(void *context)
{
    State *state = context;
    if (state != NULL) {
        sn_free(NULL, state->points);
        sn_distance_destroy(state->distance);
        sn_surface_destroy(state->surface, NULL);
        sn_free(NULL, state);
    }
}

// A body with lumps, arms and a hollow, about as wide as it is high and deep.
static SinewStatus create_lumps(SnWorkers *workers, SnSurface **out_surface, SinewError *error)
{
    static const SnShape parts[] = {
        {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0.0, 0.0, 0.0}, {0.7, 0.8, 0.65}}},
        {.kind = SN_SHAPE_TORUS, .torus = {{0.0, -0.2, 0.0}, {0.2, 1.0, 0.1}, 0.85, 0.15}},
        {.kind = SN_SHAPE_SPHERE, .sphere = {{0.1, 0.8, 0.2}, 0.3}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.3, 0.4, 0.2}, {0.8, 0.8, 0.7}, 0.14}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.4, 0.3, 0.0}, {-0.8, 0.9, -0.5}, 0.14}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.2, -0.5, 0.2}, {0.3, -1.0, 0.4}, 0.16}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.2, -0.5, 0.0}, {-0.4, -1.0, -0.3}, 0.16}},
    };
    const SnShape lumps = {.kind = SN_SHAPE_BLOB,
                           .blob = {parts, sizeof parts / sizeof *parts, 0.15}};
    return sn_shape_surface(&lumps, SURFACE_RESOLUTION, workers, NULL, out_surface, error);
}

static SinewStatus open_geometry(SnBench *bench, void **out_state, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    State *state = NULL;
    SN_ALLOC_ZERO(state, NULL, 1, error);
    *out_state = state;
    SN_TRY(create_lumps(bench->workers, &state->surface, error));
    SnSoup soup = sn_soup_of(state->surface);
    SN_TRY(sn_distance_create(&soup, NULL, &state->distance, error));
    SN_ALLOC(state->points, NULL, 3 * QUERIES, error);
    SnBox box = sn_distance_bounds(state->distance);
    SnRandom random = {1};
    for (int i = 0; i < 3 * QUERIES; ++i) {
        double margin = 0.1 * (box.max[i % 3] - box.min[i % 3]);
        state->points[i] =
            sn_random_between(&random, box.min[i % 3] - margin, box.max[i % 3] + margin);
    }
done:
    return status;
}

// Signed distance on a grid
// ------------------------------------------------------------------------

static void run_grid(void *context, SnWorkers *workers)
{
    Run *run = context;
    SnDistance *distance = NULL;
    SnSoup soup = sn_soup_of(run->state->surface);
    SnDistanceGridDef def = sn_distance_grid_def_default();
    def.cells = GRID_CELLS;
    sn_distance_grid_destroy(run->grid, NULL);
    run->grid = NULL;
    run->status = sn_distance_create(&soup, NULL, &distance, &run->error);
    if (run->status >= 0) {
        run->status =
            sn_distance_grid_create(distance, &def, workers, NULL, &run->grid, &run->error);
    }
    sn_distance_destroy(distance);
}

static SinewStatus measure_grid(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                                SnBenchResult *out_result, SinewError *error)
{
    SnBenchTask task = {.run = run_grid, .context = run};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    if (run->status < 0) {
        return sn_fail(error, run->status, "%s", run->error.text);
    }
    const int *size = run->grid->size;
    double nodes = (double)size[0] * size[1] * size[2];
    double triangles = run->state->surface->triangle_count;
    SnBenchWork work = {.items = 1.0,
                        .bytes_read = 72.0 * triangles,
                        .bytes_written = 4.0 * nodes,
                        .working_set = 72.0 * triangles + 4.0 * nodes};
    sn_bench_fill(bench, entry, time, &work, "s", out_result);
    sn_bench_figure(out_result, "triangles", triangles);
    sn_bench_figure(out_result, "nodes", nodes);
    return SINEW_OK;
}

// Queries
// ------------------------------------------------------------------------------------------

static void ask_closest(void *context, int begin, int end, int worker)
{
    (void)worker;
    Run *run = context;
    for (int i = begin; i < end; ++i) {
        SnClosest closest;
        sn_distance_closest(run->state->distance, run->state->points + 3 * (size_t)i, &closest);
        run->answers[i] = closest.distance;
    }
}

static void ask_winding(void *context, int begin, int end, int worker)
{
    (void)worker;
    Run *run = context;
    for (int i = begin; i < end; ++i) {
        run->answers[i] =
            sn_distance_winding(run->state->distance, run->state->points + 3 * (size_t)i);
    }
}

static void run_closest(void *context, SnWorkers *workers)
{
    sn_parallel_for(workers, QUERIES, 100, ask_closest, context);
}

static void run_winding(void *context, SnWorkers *workers)
{
    sn_parallel_for(workers, QUERIES, 100, ask_winding, context);
}

static SinewStatus measure_queries(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                                   void (*fn)(void *, SnWorkers *), SnBenchResult *out_result,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(run->answers, NULL, QUERIES, error);
    SnBenchTask task = {.run = fn, .context = run};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    double triangles = run->state->surface->triangle_count;
    // A node of 64 bytes a level, and a leaf's triangle.
    SnBenchWork work = {.items = QUERIES,
                        .bytes_read = 64.0 * log2(triangles) + 72.0,
                        .working_set = (64.0 + 72.0) * triangles};
    sn_bench_fill(bench, entry, time, &work, "ns", out_result);
    sn_bench_figure(out_result, "triangles", triangles);
done:
    return status;
}

static SinewStatus measure_closest(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                                   SnBenchResult *out_result, SinewError *error)
{
    return measure_queries(bench, entry, run, run_closest, out_result, error);
}

static SinewStatus measure_winding(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                                   SnBenchResult *out_result, SinewError *error)
{
    return measure_queries(bench, entry, run, run_winding, out_result, error);
}

// Tets
// ---------------------------------------------------------------------------------------------

static double sphere(void *context, const double p[3])
{
    (void)context;
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 1.0;
}

static void run_stuffing(void *context, SnWorkers *workers)
{
    Run *run = context;
    sn_tet_mesh_destroy(run->mesh, NULL);
    run->status = sn_stuffing_create(&run->stuffing, workers, NULL, &run->mesh, &run->error);
}

static SinewStatus measure_tets(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                                SnBenchResult *out_result, SinewError *error)
{
    SnBenchTask task = {.run = run_stuffing, .context = run};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    if (run->status < 0) {
        return sn_fail(error, run->status, "%s", run->error.text);
    }
    double bytes = 20.0 * run->mesh->tet_count + 24.0 * run->mesh->vertex_count;
    SnBenchWork work = {.items = 1.0, .bytes_written = bytes, .working_set = bytes};
    sn_bench_fill(bench, entry, time, &work, "s", out_result);
    sn_bench_figure(out_result, "tets", run->mesh->tet_count);
    return SINEW_OK;
}

static SinewStatus measure_stuffing(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                                    SnBenchResult *out_result, SinewError *error)
{
    run->stuffing = sn_stuffing_def_default();
    run->stuffing.function = sphere;
    run->stuffing.cells = SPHERE_CELLS;
    for (int c = 0; c < 3; ++c) {
        run->stuffing.min[c] = -1.0;
        run->stuffing.max[c] = 1.0;
    }
    return measure_tets(bench, entry, run, out_result, error);
}

static SinewStatus measure_stuffing_surface(const SnBench *bench, const SnBenchEntry *entry,
                                            Run *run, SnBenchResult *out_result, SinewError *error)
{
    SnBox box = sn_distance_bounds(run->state->distance);
    run->stuffing = sn_stuffing_def_default();
    run->stuffing.function = sn_distance_fn;
    run->stuffing.context = run->state->distance;
    run->stuffing.cells = LUMPS_CELLS;
    memcpy(run->stuffing.min, box.min, sizeof box.min);
    memcpy(run->stuffing.max, box.max, sizeof box.max);
    return measure_tets(bench, entry, run, out_result, error);
}

// Files
// --------------------------------------------------------------------------------------------

static SinewStatus measure_read_ply(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                                    SnBenchResult *out_result, SinewError *error)
{
    (void)run;
    return sn_bench_read_file(bench, entry, SN_READ_PLY, out_result, error);
}

static SinewStatus measure_read_msh(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                                    SnBenchResult *out_result, SinewError *error)
{
    (void)run;
    return sn_bench_read_file(bench, entry, SN_READ_MSH, out_result, error);
}

static SinewStatus run_entry(SnBench *bench, void *state, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    Run run = {.state = state};
    SinewStatus status = cases[entry->index].measure(bench, entry, &run, out_result, error);
    sn_distance_grid_destroy(run.grid, NULL);
    sn_tet_mesh_destroy(run.mesh, NULL);
    sn_free(NULL, run.answers);
    return status;
}

const SnBenchGroup sn_bench_geometry = {.name = "geometry",
                                        .list = list,
                                        .open = open_geometry,
                                        .close = close_geometry,
                                        .run = run_entry};
