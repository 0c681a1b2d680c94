#include "geometry/polygon.h"

#include <math.h>
#include <stdbool.h>

// How many points may be tested for lying inside an ear, for each corner of the polygon. Common
// polygons need some tens; the bound keeps a file of hostile spirals from taking forever.
enum { TESTS_PER_CORNER = 2000 };

// The polygon seen along its mean normal: two of the three axes, and the sign of its turn.
typedef struct View {
    const double *positions;
    const int *corners;
    int u, v;    // axes
    double turn; // +1 where the polygon turns counter-clockwise in (u, v), else -1
} View;

// The mean normal by Newell's sum over the edges. The axis where it is largest is dropped.
static View view_polygon(const double *positions, const int *corners, int count)
{
    double normal[3] = {0.0, 0.0, 0.0};
    const double *origin = positions + 3 * (long)corners[0];
    for (int i = 0; i < count; ++i) {
        const double *a = positions + 3 * (long)corners[i];
        const double *b = positions + 3 * (long)corners[i + 1 < count ? i + 1 : 0];
        for (int k = 0; k < 3; ++k) {
            int u = (k + 1) % 3;
            int v = (k + 2) % 3;
            normal[k] +=
                (a[u] - origin[u]) * (b[v] - origin[v]) - (a[v] - origin[v]) * (b[u] - origin[u]);
        }
    }
    int k = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
    k = fabs(normal[2]) >= fabs(normal[k]) ? 2 : k;
    return (View){.positions = positions,
                  .corners = corners,
                  .u = (k + 1) % 3,
                  .v = (k + 2) % 3,
                  .turn = normal[k] < 0.0 ? -1.0 : 1.0};
}

// Twice the area of the triangle of three corners, positive where it turns as the polygon does.
static double turn_of(const View *view, int i, int j, int k)
{
    const double *a = view->positions + 3 * (long)view->corners[i];
    const double *b = view->positions + 3 * (long)view->corners[j];
    const double *c = view->positions + 3 * (long)view->corners[k];
    int u = view->u;
    int v = view->v;
    return view->turn * ((b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]));
}

static double distance_squared(const View *view, int i, int j)
{
    const double *a = view->positions + 3 * (long)view->corners[i];
    const double *b = view->positions + 3 * (long)view->corners[j];
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return sum;
}

static void put(const View *view, int i, int j, int k, int *out)
{
    out[0] = view->corners[i];
    out[1] = view->corners[j];
    out[2] = view->corners[k];
}

// A quad has two diagonals. One of them crosses a dent; otherwise the shorter gives better angles.
static void cut_quad(const View *view, int *out)
{
    bool first_good = turn_of(view, 0, 1, 2) >= 0.0 && turn_of(view, 0, 2, 3) >= 0.0;
    bool other_good = turn_of(view, 1, 2, 3) >= 0.0 && turn_of(view, 1, 3, 0) >= 0.0;
    bool shorter = distance_squared(view, 0, 2) <= distance_squared(view, 1, 3);
    if (first_good == other_good ? shorter : first_good) {
        put(view, 0, 1, 2, out);
        put(view, 0, 2, 3, out + 3);
    } else {
        put(view, 1, 2, 3, out);
        put(view, 1, 3, 0, out + 3);
    }
}

static bool is_convex(const View *view, int count)
{
    for (int i = 0; i < count; ++i) {
        if (turn_of(view, i, (i + 1) % count, (i + 2) % count) < 0.0) {
            return false;
        }
    }
    return true;
}

// What is left of a polygon while ears are cut: a ring of corners.
typedef struct Ring {
    View view;
    int *next;
    int *previous;
    long tests; // points that may still be tested
} Ring;

// The tip of an ear turns as the polygon does and has no other corner inside. A corner at the same
// place as one of the ear's own does not count, since holes are often tied in by double corners.
static bool is_ear(Ring *ring, int tip)
{
    const View *view = &ring->view;
    int before = ring->previous[tip];
    int after = ring->next[tip];
    if (!(turn_of(view, before, tip, after) > 0.0)) {
        return false;
    }
    for (int i = ring->next[after]; i != before; i = ring->next[i]) {
        ring->tests -= 1;
        bool inside = turn_of(view, before, tip, i) >= 0.0 && turn_of(view, tip, after, i) >= 0.0 &&
                      turn_of(view, after, before, i) >= 0.0;
        if (inside && distance_squared(view, i, before) > 0.0 &&
            distance_squared(view, i, tip) > 0.0 && distance_squared(view, i, after) > 0.0) {
            return false;
        }
    }
    return true;
}

static void cut_ears(Ring *ring, int count, int *out)
{
    for (int i = 0; i < count; ++i) {
        ring->next[i] = i + 1 < count ? i + 1 : 0;
        ring->previous[i] = i > 0 ? i - 1 : count - 1;
    }
    int tip = 0;
    int refused = 0; // corners in a row that were no ears; a whole round of them: there are none
    for (int left = count; left > 3 && refused < left && ring->tests > 0;) {
        if (!is_ear(ring, tip)) {
            ++refused;
            tip = ring->next[tip];
            continue;
        }
        int before = ring->previous[tip];
        int after = ring->next[tip];
        put(&ring->view, before, tip, after, out);
        out += 3;
        ring->next[before] = after;
        ring->previous[after] = before;
        --left;
        refused = 0;
        tip = after;
    }
    for (int i = ring->next[tip]; ring->next[i] != tip; i = ring->next[i]) {
        put(&ring->view, tip, i, ring->next[i], out);
        out += 3;
    }
}

void sn_polygon_cut(const double *positions, const int *corners, int count, int *scratch,
                    int *out_triangles)
{
    View view = view_polygon(positions, corners, count);
    if (count == 4) {
        cut_quad(&view, out_triangles);
        return;
    }
    if (count == 3 || is_convex(&view, count)) {
        for (int i = 1; i + 1 < count; ++i) {
            put(&view, 0, i, i + 1, out_triangles + 3 * (long)(i - 1));
        }
        return;
    }
    Ring ring = {.view = view,
                 .next = scratch,
                 .previous = scratch + count,
                 .tests = (long)TESTS_PER_CORNER * count};
    cut_ears(&ring, count, out_triangles);
}
