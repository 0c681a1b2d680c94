#include "geometry/point_order.h"

#include "geometry/morton.h"

#include <math.h>

enum { GRAIN = 16384, BITS = 6, BUCKETS = 1 << (3 * BITS) };

typedef struct Ordering {
    const double *points;
    double min[3];
    double scale[3];
    int *codes;
} Ordering;

static void measure(Ordering *ordering, int count)
{
    double max[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int c = 0; c < 3; ++c) {
        ordering->min[c] = INFINITY;
    }
    for (size_t i = 0; i < (size_t)count; ++i) {
        for (int c = 0; c < 3; ++c) {
            double x = ordering->points[3 * i + (size_t)c];
            ordering->min[c] = x < ordering->min[c] ? x : ordering->min[c];
            max[c] = x > max[c] ? x : max[c];
        }
    }
    for (int c = 0; c < 3; ++c) {
        double scale = ((1 << BITS) - 0.001) / (max[c] - ordering->min[c]);
        ordering->scale[c] = scale > 0.0 && scale < 1e300 ? scale : 0.0;
    }
}

static void encode(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Ordering *ordering = context;
    for (int i = begin; i < end; ++i) {
        int ijk[3];
        for (int c = 0; c < 3; ++c) {
            double x = ordering->points[3 * (size_t)i + (size_t)c] - ordering->min[c];
            ijk[c] = (int)(x * ordering->scale[c]);
        }
        ordering->codes[i] = (int)sn_morton_encode(ijk[0], ijk[1], ijk[2]);
    }
}

SinewStatus sn_point_order_create(const double *points, int count, SnWorkers *workers,
                                  const SinewAllocator *allocator, int **out_order,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Ordering ordering = {.points = points};
    int *start = NULL;
    int *order = NULL;
    *out_order = NULL;
    SN_ALLOC(ordering.codes, allocator, count, error);
    SN_ALLOC_ZERO(start, allocator, BUCKETS + 1, error);
    SN_ALLOC(order, allocator, count, error);
    measure(&ordering, count);
    sn_parallel_for(workers, count, GRAIN, encode, &ordering);
    for (int i = 0; i < count; ++i) {
        start[ordering.codes[i] + 1]++;
    }
    for (int b = 0; b < BUCKETS; ++b) {
        start[b + 1] += start[b];
    }
    for (int i = 0; i < count; ++i) {
        order[start[ordering.codes[i]]++] = i;
    }
    *out_order = order;
done:
    sn_free(allocator, start);
    sn_free(allocator, ordering.codes);
    return status;
}
