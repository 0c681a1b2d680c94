#include "geometry/bcc_link.h"

const int sn_bcc_edge[SN_BCC_EDGES][3] = {
    {2, 0, 0},    {-2, 0, 0}, {0, 2, 0},   {0, -2, 0}, {0, 0, 2},   {0, 0, -2},  {1, 1, 1},
    {-1, -1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, 1, 1}};

int sn_bcc_direction(const int from[3], const int to[3])
{
    int d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    for (int axis = 0; axis < 3; ++axis) {
        if (d[axis] == 2 || d[axis] == -2) {
            return 2 * axis + (d[axis] < 0);
        }
    }
    // Diagonals come in pairs by the signs of y and z relative to x.
    int pair = (d[1] != d[0] ? 2 : 0) + (d[2] != d[0] ? 1 : 0);
    return SN_BCC_LONG_EDGES + 2 * pair + (d[0] < 0);
}

// Each of the 24 triangles of the sphere holds one long direction and two short ones that agree
// with it on its axis and differ from each other on one further axis: around long direction L they
// are the ring short[0], short[1], short[2], short[3].
static const int ring_signs[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};

static void link_ring(int long_direction, int ring[4])
{
    int axis = long_direction / 2;
    int sign = long_direction % 2 ? -1 : 1;
    const int origin[3] = {0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        int to[3];
        to[axis] = sign;
        to[(axis + 1) % 3] = ring_signs[i][0];
        to[(axis + 2) % 3] = ring_signs[i][1];
        ring[i] = sn_bcc_direction(origin, to);
    }
}

static bool are_linked(int a, int b)
{
    const int *p = sn_bcc_edge[a];
    const int *q = sn_bcc_edge[b];
    int square = 0;
    for (int c = 0; c < 3; ++c) {
        square += (p[c] - q[c]) * (p[c] - q[c]);
    }
    return square == 3 || square == 4;
}

// The neighbours of the point that are linked to neighbour `a`, in order around it; returns how
// many: four around a long direction, six around a short one.
static int ring_around(int a, int ring[6])
{
    if (a < SN_BCC_LONG_EDGES) {
        link_ring(a, ring);
        return 4;
    }
    // A short direction (x, y, z) is ringed by its three axes, and between two of them by the short
    // direction that differs on the third.
    // cppcheck-suppress arrayIndexOutOfBoundsCond ; it takes callers' loops to run one too far
    const int *p = sn_bcc_edge[a];
    const int origin[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        int to[3] = {p[0], p[1], p[2]};
        int other = (axis + 2) % 3;
        to[other] = -to[other];
        ring[2 * axis] = 2 * axis + (p[axis] < 0);
        ring[2 * axis + 1] = sn_bcc_direction(origin, to);
    }
    return 6;
}

// True when the tets that contain the edge to neighbour `a`, itself on the surface, form more than
// one fan: the body would meet itself along that edge.
static bool is_pinched(const SnPointLabel *label, int a)
{
    int ring[6];
    int count = ring_around(a, ring);
    int ends = 0;
    for (int i = 0; i < count; ++i) {
        SnPointLabel before = label[ring[(i + count - 1) % count]];
        SnPointLabel here = label[ring[i]];
        SnPointLabel after = label[ring[(i + 1) % count]];
        // A fan ends where a tet of the body has none of the body behind its face: at a corner
        // outside, or at one on the surface with nothing inside behind it.
        ends += before == SN_POINT_INSIDE &&
                (here == SN_POINT_OUTSIDE || (here == SN_POINT_ON && after != SN_POINT_INSIDE));
    }
    return ends > 1;
}

// True when the neighbours that are inside hang together.
static bool inside_is_connected(const SnPointLabel *label)
{
    unsigned inside = 0;
    for (int a = 0; a < SN_BCC_EDGES; ++a) {
        inside |= (label[a] == SN_POINT_INSIDE ? 1u : 0u) << a;
    }
    unsigned reached = inside & (~inside + 1); // the lowest bit
    for (bool grew = true; grew;) {
        grew = false;
        for (int a = 0; a < SN_BCC_EDGES; ++a) {
            if ((inside & ~reached) >> a & 1) {
                for (int b = 0; b < SN_BCC_EDGES; ++b) {
                    if ((reached >> b & 1) && are_linked(a, b)) {
                        reached |= 1u << a;
                        grew = true;
                    }
                }
            }
        }
    }
    return reached == inside;
}

// True when the body covers the edge between two neighbours that are both on the surface.
static bool covers_edge(const SnPointLabel *label, int a, int b)
{
    for (int c = 0; c < SN_BCC_EDGES; ++c) {
        if (label[c] == SN_POINT_INSIDE && are_linked(a, c) && are_linked(b, c)) {
            return true;
        }
    }
    return false;
}

// Points minus edges of the body's part of the sphere. Where an edge of the sphere is cut, the cut
// point and the piece of edge before it cancel.
static int points_minus_edges(const SnPointLabel *label)
{
    int sum = 0;
    for (int a = 0; a < SN_BCC_EDGES; ++a) {
        bool touches = label[a] == SN_POINT_INSIDE;
        for (int b = 0; b < SN_BCC_EDGES; ++b) {
            if (!are_linked(a, b)) {
                continue;
            }
            bool inside = label[a] == SN_POINT_INSIDE || label[b] == SN_POINT_INSIDE;
            bool outside = label[a] == SN_POINT_OUTSIDE || label[b] == SN_POINT_OUTSIDE;
            touches = touches || (label[a] == SN_POINT_ON && inside);
            if (b < a && !outside) {
                sum -= inside || covers_edge(label, a, b);
            }
        }
        sum += touches;
    }
    return sum;
}

// Faces minus the edges that cut across them.
static int faces_minus_cuts(const SnPointLabel *label)
{
    int sum = 0;
    for (int a = 0; a < SN_BCC_LONG_EDGES; ++a) {
        int ring[4];
        link_ring(a, ring);
        for (int i = 0; i < 4; ++i) {
            const SnPointLabel corner[3] = {label[a], label[ring[i]], label[ring[(i + 1) % 4]]};
            bool inside = false;
            bool outside = false;
            for (int c = 0; c < 3; ++c) {
                inside = inside || corner[c] == SN_POINT_INSIDE;
                outside = outside || corner[c] == SN_POINT_OUTSIDE;
            }
            sum += inside && !outside;
        }
    }
    return sum;
}

bool sn_bcc_is_manifold(const SnPointLabel neighbours[SN_BCC_EDGES])
{
    bool inside = false;
    for (int a = 0; a < SN_BCC_EDGES; ++a) {
        inside = inside || neighbours[a] == SN_POINT_INSIDE;
        if (neighbours[a] == SN_POINT_ON && is_pinched(neighbours, a)) {
            return false;
        }
    }
    if (!inside) {
        return true;
    }
    // A connected part of a sphere is a disc when its Euler characteristic is 1; it is 2 when the
    // body is all around the point.
    int euler = points_minus_edges(neighbours) + faces_minus_cuts(neighbours);
    return euler >= 1 && inside_is_connected(neighbours);
}
