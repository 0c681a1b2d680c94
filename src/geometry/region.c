#include "geometry/region.h"

#include <math.h>
#include <string.h>

static bool is_finite_point(const double p[3])
{
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static SinewStatus check_box(const SinewRegion *region, const char *what, SinewError *error)
{
    if (!is_finite_point(region->min) || !is_finite_point(region->max)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its box goes from [%g, %g, %g] to [%g, %g, %g], expected finite "
                       "numbers",
                       what, region->min[0], region->min[1], region->min[2], region->max[0],
                       region->max[1], region->max[2]);
    }
    for (int k = 0; k < 3; ++k) {
        if (region->max[k] < region->min[k]) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "%s: its box goes from %g to %g m along %c, expected max not below min",
                           what, region->min[k], region->max[k], "xyz"[k]);
        }
    }
    return SINEW_OK;
}

static SinewStatus check_sphere(const SinewRegion *region, const char *what, SinewError *error)
{
    if (!is_finite_point(region->center)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: the center of its sphere is [%g, %g, %g], expected finite numbers",
                       what, region->center[0], region->center[1], region->center[2]);
    }
    if (!(region->radius > 0.0) || isinf(region->radius)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: the radius of its sphere is %g m, expected a positive number", what,
                       region->radius);
    }
    return SINEW_OK;
}

static SinewStatus check_vertices(const SinewRegion *region, int vertex_count, const char *what,
                                  SinewError *error)
{
    if (region->vertices == NULL || region->vertex_count < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: a list of %d vertices%s, expected at least one", what,
                       region->vertex_count, region->vertices == NULL ? " at NULL" : "");
    }
    for (int i = 0; i < region->vertex_count; ++i) {
        int vertex = region->vertices[i];
        if (vertex < 0 || vertex >= vertex_count) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                              "%s: vertex %d is in its list, expected 0 to %d", what, vertex,
                              vertex_count - 1);
        }
    }
    return SINEW_OK;
}

SinewStatus sn_region_check(const SinewRegion *region, int vertex_count, const char *what,
                            SinewError *error)
{
    switch (region->kind) {
    case SINEW_REGION_NONE:
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: where it acts is not said, expected a box, a sphere, vertices or all",
                       what);
    case SINEW_REGION_ALL:
        return SINEW_OK;
    case SINEW_REGION_BOX:
        return check_box(region, what, error);
    case SINEW_REGION_SPHERE:
        return check_sphere(region, what, error);
    case SINEW_REGION_VERTICES:
        return check_vertices(region, vertex_count, what, error);
    default:
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: a region of kind %d, expected %d to %d",
                       what, (int)region->kind, SINEW_REGION_ALL, SINEW_REGION_VERTICES);
    }
}

static bool box_holds(const SinewRegion *region, const double p[3])
{
    for (int k = 0; k < 3; ++k) {
        if (!(p[k] >= region->min[k]) || !(p[k] <= region->max[k])) {
            return false;
        }
    }
    return true;
}

static bool sphere_holds(const SinewRegion *region, const double p[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        // In radii, so that squares of large and small numbers neither overflow nor vanish.
        double d = (p[k] - region->center[k]) / region->radius;
        sum += d * d;
    }
    return sum <= 1.0;
}

static bool list_holds(const SinewRegion *region, int vertex)
{
    int begin = 0;
    int end = region->vertex_count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (region->vertices[middle] == vertex) {
            return true;
        }
        if (region->vertices[middle] < vertex) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return false;
}

bool sn_region_holds(const SinewRegion *region, int vertex, const double rest[3])
{
    switch (region->kind) {
    case SINEW_REGION_ALL:
        return true;
    case SINEW_REGION_BOX:
        return box_holds(region, rest);
    case SINEW_REGION_SPHERE:
        return sphere_holds(region, rest);
    case SINEW_REGION_VERTICES:
        return list_holds(region, vertex);
    default:
        return false;
    }
}

// Sifts items[root] down in a heap of `count` whose largest comes first.
static void sift_down(int *items, int root, int count)
{
    int item = items[root];
    int child = 2 * root + 1;
    while (child < count) {
        child += child + 1 < count && items[child + 1] > items[child];
        if (items[child] <= item) {
            break;
        }
        items[root] = items[child];
        root = child;
        child = 2 * root + 1;
    }
    items[root] = item;
}

// Heap sort: no list of vertices, however it is ordered, makes it slow, and it needs no memory,
// which qsort may take behind the allocator's back.
static void sort(int *items, int count)
{
    for (int i = count / 2 - 1; i >= 0; --i) {
        sift_down(items, i, count);
    }
    for (int last = count - 1; last > 0; --last) {
        int largest = items[0];
        items[0] = items[last];
        items[last] = largest;
        sift_down(items, 0, last);
    }
}

SinewStatus sn_region_copy(const SinewRegion *region, const SinewAllocator *allocator,
                           SinewRegion *out_region, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *vertices = NULL;
    bool has_list = region->kind == SINEW_REGION_VERTICES;
    *out_region = (SinewRegion){.kind = SINEW_REGION_NONE};
    if (has_list) {
        SN_ALLOC(vertices, allocator, region->vertex_count, error);
        memcpy(vertices, region->vertices, (size_t)region->vertex_count * sizeof *vertices);
        sort(vertices, region->vertex_count);
    }
    *out_region = *region;
    out_region->vertices = vertices;
    out_region->vertex_count = has_list ? region->vertex_count : 0;
done:
    return status;
}

void sn_region_release(SinewRegion *region, const SinewAllocator *allocator)
{
    sn_free(allocator, (void *)(uintptr_t)region->vertices);
    *region = (SinewRegion){.kind = SINEW_REGION_NONE};
}
