#include "support/closed.h"

#include "geometry/point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Edges from a to b and from b to a stand beside each other in the sorted list.
static int count_edges(const SnSurface *s, int *out_bad)
{
    size_t count = 3 * (size_t)s->triangle_count;
    int64_t *keys = malloc((count + 1) * sizeof *keys);
    for (size_t i = 0; i < count; ++i) {
        int64_t a = s->triangles[i];
        int64_t b = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
        keys[i] = a < b ? (a << 32 | b) << 1 : (b << 32 | a) << 1 | 1;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    int edges = 0;
    *out_bad = 0;
    for (size_t i = 0; i < count; ++edges) {
        size_t end = i;
        int64_t turns[2] = {0, 0};
        for (; end < count && keys[end] >> 1 == keys[i] >> 1; ++end) {
            turns[keys[end] & 1]++;
        }
        *out_bad += turns[0] != 1 || turns[1] != 1;
        i = end;
    }
    free(keys);
    return edges;
}

static int count_vertices(const SnSurface *s)
{
    unsigned char *used = calloc((size_t)s->vertex_count + 1, 1);
    int count = 0;
    for (int i = 0; i < 3 * s->triangle_count; ++i) {
        count += !used[s->triangles[i]];
        used[s->triangles[i]] = 1;
    }
    free(used);
    return count;
}

static double triangle_least_angle(const double *const x[3], double *edges)
{
    double least = 180.0;
    for (int c = 0; c < 3; ++c) {
        double a[3], b[3];
        sn_point_minus(x[(c + 1) % 3], x[c], a);
        sn_point_minus(x[(c + 2) % 3], x[c], b);
        double cosine = sn_point_dot(a, b) / (sn_point_length(a) * sn_point_length(b));
        least = fmin(least, acos(fmin(fmax(cosine, -1.0), 1.0)) * 57.29577951308232);
        *edges += sn_point_length(a);
    }
    return least;
}

SnTestClosed sn_test_closed(const SnSurface *s)
{
    SnTestClosed result = {.least_angle = 180.0};
    int edges = count_edges(s, &result.bad_edges);
    result.euler = count_vertices(s) - edges + s->triangle_count;
    double sum = 0.0;
    int below = 0;
    for (int t = 0; t < s->triangle_count; ++t) {
        const double *x[3];
        double ab[3], ac[3], normal[3];
        for (int c = 0; c < 3; ++c) {
            x[c] = s->positions + 3 * s->triangles[3 * t + c];
        }
        sn_point_minus(x[1], x[0], ab);
        sn_point_minus(x[2], x[0], ac);
        sn_point_cross(ab, ac, normal);
        result.area += 0.5 * sn_point_length(normal);
        result.volume += sn_point_dot(x[0], normal) / 6.0;
        double angle = triangle_least_angle(x, &sum);
        result.least_angle = fmin(result.least_angle, angle);
        below += angle < 25.0;
    }
    result.mean_edge = sum / (3.0 * s->triangle_count);
    result.share_below_25 = (double)below / s->triangle_count;
    return result;
}
