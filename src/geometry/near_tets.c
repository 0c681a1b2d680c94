#include "geometry/near_tets.h"

#include "base/array.h"
#include "geometry/box.h"
#include "geometry/point.h"

#include <math.h>
#include <stdbool.h>

enum { TRIES = 1 << 18 }; // distances from points to corners that are looked at, about

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

static bool is_near(const SnTetMesh *mesh, int tet, const SnBox *box)
{
    bool near = true;
    for (int k = 0; k < 3; ++k) {
        double a = corner_of(mesh, tet, 0)[k], b = corner_of(mesh, tet, 1)[k];
        double c = corner_of(mesh, tet, 2)[k], d = corner_of(mesh, tet, 3)[k];
        near = near && fmin(fmin(a, b), fmin(c, d)) <= box->max[k] &&
               fmax(fmax(a, b), fmax(c, d)) >= box->min[k];
    }
    return near;
}

// Tets within reach of the box around the points, ascending.
static SinewStatus list_near(const SnTetMesh *mesh, const double *points, int count, SnArray *list,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBox box = sn_box_empty();
    double reach = find_reach(mesh, points, count);
    for (int p = 0; p < count; ++p) {
        sn_box_add_point(&box, points + 3 * (size_t)p);
    }
    for (int k = 0; k < 3; ++k) {
        // Tets that are as near but for rounding are there too, since the lowest of them counts.
        double slack = 1e-9 * (reach + fabs(box.min[k]) + fabs(box.max[k]));
        box.min[k] -= reach + slack;
        box.max[k] += reach + slack;
    }
    for (int t = 0; t < mesh->tet_count; ++t) {
        if (is_near(mesh, t, &box)) {
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
    int guess = -1;
    part.tets = NULL;
    if (count == 0) {
        goto done;
    }
    SN_TRY(list_near(mesh, points, count, &list, error));
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
    sn_array_release(&list);
    return status;
}
