#include "geometry/embedding.h"

#include "geometry/point_order.h"

#include <limits.h>
#include <math.h>

enum { LOCATE_GRAIN = 1024, EVALUATE_GRAIN = 16384 };

static SinewStatus check_points(const double *points, int count, SinewError *error)
{
    if (count < 0 || count > INT_MAX / 8) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%d points to embed, expected 0 to %d", count,
                       INT_MAX / 8);
    }
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        if (!(fabs(points[i]) <= SN_ELEMENT_REACH)) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, (int64_t)(i / 3),
                              "point %d is at %g along %c, expected -1e30 to 1e30", (int)(i / 3),
                              points[i], "xyz"[i % 3]);
        }
    }
    return SINEW_OK;
}

static SinewStatus make_room(const double *points, int count, int width,
                             const SinewAllocator *allocator, SnEmbedding **out_embedding,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnEmbedding *embedding = NULL;
    *out_embedding = NULL;
    SN_TRY(check_points(points, count, error));
    SN_ALLOC_ZERO(embedding, allocator, 1, error);
    embedding->count = count;
    embedding->width = width;
    SN_ALLOC(embedding->nodes, allocator, (size_t)width * (size_t)count, error);
    SN_ALLOC(embedding->weights, allocator, (size_t)width * (size_t)count, error);
    SN_ALLOC(embedding->elements, allocator, count, error);
    SN_ALLOC(embedding->distances, allocator, count, error);
    *out_embedding = embedding;
    embedding = NULL;
done:
    sn_embedding_destroy(embedding, allocator);
    return status;
}

void sn_embedding_destroy(SnEmbedding *embedding, const SinewAllocator *allocator)
{
    if (embedding == NULL) {
        return;
    }
    sn_free(allocator, embedding->distances);
    sn_free(allocator, embedding->elements);
    sn_free(allocator, embedding->weights);
    sn_free(allocator, embedding->nodes);
    sn_free(allocator, embedding);
}

// Points to locate: in tets or in cells.
typedef struct Search {
    const SnTetLocator *tets;
    const SnCellLocator *cells;
    const double *points;
    const int *order; // in which the points are looked for
    SnEmbedding *embedding;
} Search;

static void locate_in_tets(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Search *search = context;
    SnEmbedding *embedding = search->embedding;
    int guess = -1; // afresh in each range, so that nothing depends on who did the one before
    for (int n = begin; n < end; ++n) {
        size_t i = (size_t)search->order[n];
        SnTetLocation location = sn_tet_locate(search->tets, search->points + 3 * i, &guess);
        embedding->elements[i] = location.tet;
        embedding->distances[i] = (float)location.distance;
        for (size_t k = 0; k < 4; ++k) {
            embedding->nodes[4 * i + k] = search->tets->mesh->tets[4 * (size_t)location.tet + k];
            embedding->weights[4 * i + k] = (float)location.weights[k];
        }
    }
}

static void locate_in_cells(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Search *search = context;
    SnEmbedding *embedding = search->embedding;
    for (int n = begin; n < end; ++n) {
        size_t i = (size_t)search->order[n];
        SnCellLocation location = sn_cell_locate(search->cells, search->points + 3 * i);
        const int *nodes = search->cells->lattice->nodes + 8 * (size_t)location.cell;
        embedding->elements[i] = location.cell;
        embedding->distances[i] = (float)location.distance;
        for (size_t k = 0; k < 8; ++k) {
            embedding->nodes[8 * i + k] = nodes[k];
            embedding->weights[8 * i + k] = (float)location.weights[k];
        }
    }
}

static SinewStatus create(Search *search, int count, SnWorkers *workers,
                          const SinewAllocator *allocator, SnEmbedding **out_embedding,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const double *points = search->points;
    bool in_tets = search->tets != NULL;
    int *order = NULL;
    *out_embedding = NULL;
    SN_TRY(make_room(points, count, in_tets ? 4 : 8, allocator, &search->embedding, error));
    SN_TRY(sn_point_order_create(points, count, workers, allocator, &order, error));
    search->order = order;
    sn_parallel_for(workers, count, LOCATE_GRAIN, in_tets ? locate_in_tets : locate_in_cells,
                    search);
    *out_embedding = search->embedding;
    search->embedding = NULL;
done:
    sn_free(allocator, order);
    sn_embedding_destroy(search->embedding, allocator);
    return status;
}

SinewStatus sn_embedding_create_in_tets(const SnTetLocator *locator, const double *points,
                                        int count, SnWorkers *workers,
                                        const SinewAllocator *allocator,
                                        SnEmbedding **out_embedding, SinewError *error)
{
    Search search = {.tets = locator, .points = points};
    return create(&search, count, workers, allocator, out_embedding, error);
}

SinewStatus sn_embedding_create_in_cells(const SnCellLocator *locator, const double *points,
                                         int count, SnWorkers *workers,
                                         const SinewAllocator *allocator,
                                         SnEmbedding **out_embedding, SinewError *error)
{
    Search search = {.cells = locator, .points = points};
    return create(&search, count, workers, allocator, out_embedding, error);
}

typedef struct Evaluation {
    SnEmbedBatch batch;
    SnEmbedFn *fn;
} Evaluation;

static void evaluate_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Evaluation *evaluation = context;
    evaluation->fn(&evaluation->batch, begin, end);
}

void sn_embedding_evaluate(const SnEmbedding *embedding, const SnKernels *kernels,
                           SnWorkers *workers, const float *positions, float *out_xyz)
{
    Evaluation evaluation = {
        .batch = {embedding->nodes, embedding->weights, positions, out_xyz},
        .fn = embedding->width == 4 ? kernels->embed->four : kernels->embed->eight,
    };
    sn_parallel_for(workers, embedding->count, EVALUATE_GRAIN, evaluate_range, &evaluation);
}
