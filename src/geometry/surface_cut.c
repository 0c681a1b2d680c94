#include "geometry/surface_cut.h"

#include "base/array.h"
#include "geometry/point.h"

#include <math.h>
#include <string.h>

// A vertex with this much of its weight at a corner is that corner.
#define AT_CORNER (1.0 - 1e-9)

// One vertex of the surface to be.
typedef struct Vertex {
    int source; // -1: none
    int element;
    double weights[4];
    double rest[3]; // m
} Vertex;

typedef struct Draft {
    const SnSurfaceCutDef *def;
    int *start;          // an old vertex of the mesh: its tets
    int *around;         //
    int *corners;        // three a triangle: vertices as they will be
    bool *gone;          // a triangle
    SnArray vertices;    // Vertex
    int *corner_vertex;  // a vertex of the mesh: the surface's vertex there, or -1
    int *bare_triangles; // three a face laid bare
} Draft;

static void release_draft(Draft *draft, const SinewAllocator *allocator)
{
    void *const arrays[] = {draft->start, draft->around,        draft->corners,
                            draft->gone,  draft->corner_vertex, draft->bare_triangles};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
    sn_array_release(&draft->vertices);
}

// Tets around the vertices that were split.
static SinewStatus list_tets(Draft *draft, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetCut *cut = draft->def->cut;
    const int *tets = draft->def->tets;
    int vertices = cut->old_vertex_count, corners = 4 * cut->old_tet_count;
    SN_ALLOC_ZERO(draft->start, allocator, (size_t)vertices + 1, error);
    for (int i = 0; i < corners; ++i) {
        draft->start[tets[i] + 1] += cut->is_split[tets[i]];
    }
    for (int v = 0; v < vertices; ++v) {
        draft->start[v + 1] += draft->start[v];
    }
    SN_ALLOC(draft->around, allocator, draft->start[vertices], error);
    for (int i = 0; i < corners; ++i) {
        if (cut->is_split[tets[i]]) {
            draft->around[draft->start[tets[i]]++] = i; // the corner: 4 tet + which
        }
    }
    memmove(draft->start + 1, draft->start, (size_t)vertices * sizeof *draft->start);
    draft->start[0] = 0;
done:
    return status;
}

// Places -----------------------------------------------------------------------------------------

// Barycentric weights of a rest position in an old tet; returns the smallest.
static double weigh(const SnSurfaceCutDef *def, int tet, const double p[3], double weights[4])
{
    const int *corners = def->tets + 4 * (size_t)tet;
    const double *origin = def->rest + 3 * (size_t)corners[0];
    double edge[3][3], to[3], normal[3];
    sn_point_minus(p, origin, to);
    for (int i = 0; i < 3; ++i) {
        sn_point_minus(def->rest + 3 * (size_t)corners[i + 1], origin, edge[i]);
    }
    sn_point_cross(edge[1], edge[2], normal);
    double volume = sn_point_dot(edge[0], normal);
    weights[0] = 1.0;
    double least = 1.0;
    for (int i = 0; i < 3; ++i) {
        sn_point_cross(edge[(i + 1) % 3], edge[(i + 2) % 3], normal);
        weights[i + 1] = sn_point_dot(to, normal) / volume;
        weights[0] -= weights[i + 1];
        least = fmin(least, weights[i + 1]);
    }
    return fmin(least, weights[0]);
}

// The vertex that the corner `id` of an old tet is now; -1 where the tet went.
static int corner_now(const SnTetCut *cut, int id)
{
    int place = cut->tet_place[id / 4];
    return place >= 0 ? cut->tets[4 * (size_t)place + (size_t)(id % 4)] : -1;
}

// Of the tets around an old vertex, the corner there of the one that a rest position is deepest in.
// Only those of `side`. -1: there is none.
static int find_corner(const Draft *draft, int vertex, const double p[3], int side)
{
    int best = -1;
    double most = -INFINITY;
    for (int i = draft->start[vertex]; i < draft->start[vertex + 1]; ++i) {
        int id = draft->around[i];
        double weights[4];
        double least = weigh(draft->def, id / 4, p, weights);
        if (least > most && corner_now(draft->def->cut, id) == side) {
            most = least;
            best = id;
        }
    }
    return best;
}

static void middle_of(const SnSurface *surface, int triangle, double out[3])
{
    const int *corners = surface->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) {
        out[k] = (surface->positions[3 * (size_t)corners[0] + (size_t)k] +
                  surface->positions[3 * (size_t)corners[1] + (size_t)k] +
                  surface->positions[3 * (size_t)corners[2] + (size_t)k]) /
                 3.0;
    }
}

// The corner of its tet that a surface vertex is nearest to, 4 tet + which.
static int nearest_corner(const SnSurfaceCutDef *def, int vertex)
{
    const double *w = def->weights + 4 * (size_t)vertex;
    int best = 0;
    for (int c = 1; c < 4; ++c) {
        best = w[c] > w[best] ? c : best;
    }
    return 4 * def->elements[vertex] + best;
}

// How many of a triangle's vertices are corners of an old tet.
static int shared_corners(const SnSurfaceCutDef *def, int triangle, int tet)
{
    const int *corners = def->tets + 4 * (size_t)tet;
    int count = 0;
    for (size_t c = 0; c < 3; ++c) {
        int vertex = def->surface->triangles[3 * (size_t)triangle + c];
        int id = nearest_corner(def, vertex), at = def->tets[id];
        bool is_corner = def->weights[4 * (size_t)vertex + (size_t)(id % 4)] >= AT_CORNER;
        count += is_corner && (corners[0] == at || corners[1] == at || corners[2] == at ||
                               corners[3] == at)
                     ? 1
                     : 0;
    }
    return count;
}

// The side of a triangle at a vertex of the mesh: that of the tet there which its middle is deepest
// in. Where an earlier cut ends, tets of both its sides are there and meet in the triangle; only one
// has all of its corners. -1 where that tet went.
static int side_of(const Draft *draft, int mesh_vertex, int triangle)
{
    const SnSurfaceCutDef *def = draft->def;
    int best = -1, most_shared = -1;
    double middle[3], most = -INFINITY;
    middle_of(def->surface, triangle, middle);
    for (int i = draft->start[mesh_vertex]; i < draft->start[mesh_vertex + 1]; ++i) {
        int id = draft->around[i];
        int shared = shared_corners(def, triangle, id / 4);
        double weights[4];
        double least = weigh(def, id / 4, middle, weights);
        shared = shared == 3 ? 1 : 0;
        if (shared > most_shared || (shared == most_shared && least > most)) {
            most_shared = shared;
            most = least;
            best = id;
        }
    }
    return corner_now(def->cut, best);
}

// Vertices ---------------------------------------------------------------------------------------

// Puts a vertex into the tet of a side that it is deepest in.
static void place_vertex(const Draft *draft, int mesh_vertex, int side, Vertex *vertex)
{
    int corner = find_corner(draft, mesh_vertex, vertex->rest, side);
    vertex->element = -1;
    if (corner >= 0) {
        weigh(draft->def, corner / 4, vertex->rest, vertex->weights);
        vertex->element = draft->def->cut->tet_place[corner / 4];
    }
}

// One triangle around a surface vertex: `id` is the vertex' copy on the triangle's side.
static void set_corner(Draft *draft, int triangle, int vertex, int id)
{
    for (size_t c = 3 * (size_t)triangle; c < 3 * (size_t)triangle + 3; ++c) {
        if (draft->def->surface->triangles[c] == vertex) {
            draft->corners[c] = id;
        }
    }
}

// Sides that a surface vertex has triangles on, and the copy of each.
typedef struct Sides {
    SnArray sides; // int: the vertex that the mesh's vertex is there
    SnArray ids;   // int
} Sides;

static int copy_on(const Sides *sides, int side)
{
    for (size_t i = 0; i < sides->sides.count; ++i) {
        if (SN_ITEMS(sides->sides, int)[i] == side) {
            return SN_ITEMS(sides->ids, int)[i];
        }
    }
    return -1;
}

static SinewStatus add_side(Draft *draft, Sides *sides, int vertex, int mesh_vertex, int side,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int id = vertex;
    if (sides->sides.count > 0) {
        Vertex copy = SN_ITEMS(draft->vertices, Vertex)[vertex];
        place_vertex(draft, mesh_vertex, side, &copy);
        id = (int)draft->vertices.count;
        SN_TRY(sn_array_push(&draft->vertices, &copy, error));
    } else if (side != corner_now(draft->def->cut, nearest_corner(draft->def, vertex))) {
        place_vertex(draft, mesh_vertex, side, &SN_ITEMS(draft->vertices, Vertex)[vertex]);
    }
    SN_TRY(sn_array_push(&sides->sides, &side, error));
    SN_TRY(sn_array_push(&sides->ids, &id, error));
done:
    return status;
}

// A surface vertex whose corner of the mesh was split. Its own side, if it has triangles there,
// keeps it, else the first that has some.
static SinewStatus split_vertex(Draft *draft, int vertex, Sides *sides, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurfaceCutDef *def = draft->def;
    int corner = nearest_corner(def, vertex);
    int mesh_vertex = def->tets[corner];
    int own = corner_now(def->cut, corner);
    sides->sides.count = sides->ids.count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = def->vertex_start[vertex]; i < def->vertex_start[vertex + 1]; ++i) {
            int triangle = def->vertex_triangles[i];
            int side = side_of(draft, mesh_vertex, triangle);
            draft->gone[triangle] = draft->gone[triangle] || side < 0;
            if (side < 0 || (pass == 0 && side != own)) {
                continue;
            }
            if (copy_on(sides, side) < 0) {
                SN_TRY(add_side(draft, sides, vertex, mesh_vertex, side, error));
            }
            set_corner(draft, triangle, vertex, copy_on(sides, side));
        }
    }
    if (sides->sides.count == 0 && own < 0) {
        // Nothing hangs on it any more; it goes with whatever is left there.
        int left = def->cut->vertex_place[mesh_vertex];
        Vertex *stray = &SN_ITEMS(draft->vertices, Vertex)[vertex];
        stray->element = -1;
        if (left >= 0) {
            place_vertex(draft, mesh_vertex, left, stray);
        }
    }
done:
    return status;
}

static SinewStatus take_vertices(Draft *draft, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurfaceCutDef *def = draft->def;
    Sides sides = {sn_array_of(allocator, sizeof(int)), sn_array_of(allocator, sizeof(int))};
    for (int v = 0; v < def->surface->vertex_count; ++v) {
        Vertex vertex = {.source = v, .element = def->cut->tet_place[def->elements[v]]};
        memcpy(vertex.weights, def->weights + 4 * (size_t)v, sizeof vertex.weights);
        memcpy(vertex.rest, def->surface->positions + 3 * (size_t)v, sizeof vertex.rest);
        SN_TRY(sn_array_push(&draft->vertices, &vertex, error));
    }
    for (int v = 0; v < def->surface->vertex_count; ++v) {
        if (def->cut->is_split[def->tets[nearest_corner(def, v)]]) {
            SN_TRY(split_vertex(draft, v, &sides, error));
        }
    }
done:
    sn_array_release(&sides.sides);
    sn_array_release(&sides.ids);
    return status;
}

// Faces laid bare --------------------------------------------------------------------------------

// Where a surface vertex is a vertex of the mesh, faces laid bare share it: the surface stays
// closed.
static void find_corner_vertices(Draft *draft)
{
    const SnTetCut *cut = draft->def->cut;
    for (int v = 0; v < cut->vertex_count; ++v) {
        draft->corner_vertex[v] = -1;
    }
    for (size_t s = 0; s < draft->vertices.count; ++s) {
        const Vertex *vertex = &SN_ITEMS(draft->vertices, Vertex)[s];
        for (int c = 0; c < 4 && vertex->element >= 0; ++c) {
            if (vertex->weights[c] >= AT_CORNER) {
                draft->corner_vertex[cut->tets[4 * (size_t)vertex->element + (size_t)c]] = (int)s;
            }
        }
    }
}

static SinewStatus add_corner(Draft *draft, int tet, int mesh_vertex, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetCut *cut = draft->def->cut;
    Vertex vertex = {.source = -1, .element = tet};
    for (int c = 0; c < 4; ++c) {
        vertex.weights[c] = cut->tets[4 * (size_t)tet + (size_t)c] == mesh_vertex ? 1.0 : 0.0;
    }
    memcpy(vertex.rest, draft->def->rest + 3 * (size_t)cut->vertex_source[mesh_vertex],
           sizeof vertex.rest);
    draft->corner_vertex[mesh_vertex] = (int)draft->vertices.count;
    SN_TRY(sn_array_push(&draft->vertices, &vertex, error));
done:
    return status;
}

static SinewStatus add_faces(Draft *draft, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetCut *cut = draft->def->cut;
    SN_ALLOC(draft->corner_vertex, allocator, cut->vertex_count, error);
    SN_ALLOC(draft->bare_triangles, allocator, 3 * (size_t)cut->face_count, error);
    find_corner_vertices(draft);
    for (int i = 0; i < cut->face_count; ++i) {
        int corners[3];
        int tet = cut->faces[i] / 4;
        sn_tet_face(cut->tets + 4 * (size_t)tet, cut->faces[i] % 4, corners);
        for (int c = 0; c < 3; ++c) {
            if (draft->corner_vertex[corners[c]] < 0) {
                SN_TRY(add_corner(draft, tet, corners[c], error));
            }
            draft->bare_triangles[3 * (size_t)i + (size_t)c] = draft->corner_vertex[corners[c]];
        }
    }
done:
    return status;
}

// The surface ------------------------------------------------------------------------------------

static SinewStatus write_surface(const Draft *draft, const SinewAllocator *allocator,
                                 SnSurfaceCut *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurface *old = draft->def->surface;
    size_t count = draft->vertices.count;
    int faces = draft->def->cut->face_count, triangles = faces;
    for (int t = 0; t < old->triangle_count; ++t) {
        triangles += draft->gone[t] ? 0 : 1;
    }
    SN_TRY(sn_surface_create((int)count, triangles, 0, 1, allocator, &out->surface, error));
    SN_ALLOC(out->elements, allocator, count, error);
    SN_ALLOC(out->weights, allocator, 4 * count, error);
    SN_ALLOC(out->source, allocator, count, error);
    for (size_t v = 0; v < count; ++v) {
        const Vertex *vertex = &SN_ITEMS(draft->vertices, Vertex)[v];
        out->source[v] = vertex->source;
        out->elements[v] = vertex->element;
        memcpy(out->weights + 4 * v, vertex->weights, sizeof vertex->weights);
        memcpy(out->surface->positions + 3 * v, vertex->rest, sizeof vertex->rest);
    }
    int *to = out->surface->triangles;
    for (int t = 0; t < old->triangle_count; ++t) {
        if (!draft->gone[t]) {
            memcpy(to, draft->corners + 3 * (size_t)t, 3 * sizeof *to);
            to += 3;
        }
    }
    memcpy(to, draft->bare_triangles, 3 * (size_t)faces * sizeof *to);
done:
    return status;
}

SinewStatus sn_surface_cut_create(const SnSurfaceCutDef *def, const SinewAllocator *allocator,
                                  SnSurfaceCut *out_cut, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Draft draft = {.def = def, .vertices = sn_array_of(allocator, sizeof(Vertex))};
    size_t triangles = (size_t)def->surface->triangle_count;
    *out_cut = (SnSurfaceCut){0};
    SN_TRY(list_tets(&draft, allocator, error));
    SN_ALLOC(draft.corners, allocator, 3 * triangles, error);
    SN_ALLOC_ZERO(draft.gone, allocator, triangles, error);
    if (triangles > 0) {
        memcpy(draft.corners, def->surface->triangles, 3 * triangles * sizeof *draft.corners);
    }
    SN_TRY(take_vertices(&draft, allocator, error));
    SN_TRY(add_faces(&draft, allocator, error));
    SN_TRY(write_surface(&draft, allocator, out_cut, error));
done:
    release_draft(&draft, allocator);
    return status;
}

void sn_surface_cut_release(SnSurfaceCut *cut, const SinewAllocator *allocator)
{
    sn_surface_destroy(cut->surface, allocator);
    sn_free(allocator, cut->elements);
    sn_free(allocator, cut->weights);
    sn_free(allocator, cut->source);
    *cut = (SnSurfaceCut){0};
}
