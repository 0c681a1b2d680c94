#include "geometry/near_tets.h"

#include "base/array.h"
#include "geometry/box.h"
#include "geometry/point.h"

#include <math.h>
#include <stdbool.h>

enum {
    TRIES = 1 << 16, // distances from points to corners that are looked at, about
    FEW = 100        // points that each tet is held against
};

static const double *corner_of(const SnTetMesh *mesh, int tet, int corner)
{
    return mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)tet + (size_t)corner];
}

// No point is further than this from its nearest tet, m. Any corners say so; those of some tets,
// evenly out of all, where there are many points.
static double find_reach(const SnTetMesh *mesh, const double *points, int count)
{
    int tries = TRIES / count, stride = mesh->tet_count / (tries > 0 ? tries : 1) + 1;
    double reach2 = 0.0;
    for (int p = 0; p < count; ++p) {
        double least = INFINITY;
        for (int t = 0; t < mesh->tet_count; t += stride) {
            double d2 = sn_point_distance_squared(points + 3 * (size_t)p, corner_of(mesh, t, 0));
            least = fmin(least, d2);
        }
        reach2 = fmax(reach2, least);
    }
    return sqrt(reach2);
}

static SnBox box_of(const SnTetMesh *mesh, int tet)
{
    SnBox box = sn_box_empty();
    for (int c = 0; c < 4; ++c) {
        sn_box_add_point(&box, corner_of(mesh, tet, c));
    }
    return box;
}

static bool overlaps(const SnBox *a, const SnBox *b)
{
    bool apart = false;
    for (int k = 0; k < 3; ++k) {
        apart = apart || a->min[k] > b->max[k] || b->min[k] > a->max[k];
    }
    return !apart;
}

// A cube around each point with all that is as near as its nearest tet, and some more: tets that
// are as near but for rounding are there too, since the lowest of them counts.
static void make_cubes(const double *points, int count, double reach, SnBox *cubes)
{
    for (int p = 0; p < count; ++p) {
        for (int k = 0; k < 3; ++k) {
            double x = points[3 * p + k], far = reach + 1e-9 * (reach + fabs(x));
            cubes[p].min[k] = x - far;
            cubes[p].max[k] = x + far;
        }
    }
}

static bool reaches_any(const SnBox *box, const SnBox *cubes, int count)
{
    bool any = false;
    for (int p = 0; p < count && !any; ++p) {
        any = overlaps(box, &cubes[p]);
    }
    return any;
}

// Tets that reach into a cube, ascending.
static SinewStatus list_near(const SnTetMesh *mesh, const SnBox *cubes, int count, SnArray *list,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBox all = sn_box_empty();
    for (int p = 0; p < count; ++p) {
        sn_box_add(&all, &cubes[p]);
    }
    for (int t = 0; t < mesh->tet_count; ++t) {
        SnBox box = box_of(mesh, t);
        // Of many points the box around all says enough.
        if (overlaps(&box, &all) && (count > FEW || reaches_any(&box, cubes, count))) {
            SN_TRY(sn_array_push(list, &t, error));
        }
    }
done:
    return status;
}

SinewStatus sn_near_tets_locate(const SnTetMesh *mesh, const double *points, int count,
                                const SinewAllocator *allocator, SnTetLocation *out,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnArray list = sn_array_of(allocator, sizeof(int));
    SnTetMesh part = *mesh; // the tets of the list
    SnTetLocator *locator = NULL;
    SnBox *cubes = NULL; // a point
    int guess = -1;
    part.tets = NULL;
    if (count == 0) {
        goto done;
    }
    SN_ALLOC(cubes, allocator, count, error);
    make_cubes(points, count, find_reach(mesh, points, count), cubes);
    SN_TRY(list_near(mesh, cubes, count, &list, error));
    part.tet_count = (int)list.count;
    SN_ALLOC(part.tets, allocator, 4 * list.count, error);
    for (size_t i = 0; i < 4 * list.count; ++i) {
        part.tets[i] = mesh->tets[4 * (size_t)SN_ITEMS(list, int)[i / 4] + i % 4];
    }
    SN_TRY(sn_tet_locator_create(&part, NULL, allocator, &locator, error));
    for (int p = 0; p < count; ++p) {
        out[p] = sn_tet_locate(locator, points + 3 * (size_t)p, &guess);
        out[p].tet = SN_ITEMS(list, int)[out[p].tet];
    }
done:
    sn_tet_locator_destroy(locator, allocator);
    sn_free(allocator, part.tets);
    sn_free(allocator, cubes);
    sn_array_release(&list);
    return status;
}
