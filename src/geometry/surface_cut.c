#include "geometry/surface_cut.h"

#include "geometry/cut_cells.h"

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
    int *corners;        // three a triangle: vertices as they will be
    bool *gone;          // a triangle
    SnArray vertices;    // Vertex
    SnCutCells cells;    // around the surface vertex at hand
    SnArray sides;       // Side, that it has triangles on
    SnArray parts;       // int, a triangle around it: its part
    int *corner_vertex;  // a vertex of the mesh: the surface's vertex there, or -1
    int *bare_triangles; // three a face laid bare
} Draft;

// A part that a surface vertex has triangles in, and its copy there.
typedef struct Side {
    int part;
    int vertex;
} Side;

static void release_draft(Draft *draft, const SinewAllocator *allocator)
{
    void *const arrays[] = {draft->corners, draft->gone, draft->corner_vertex,
                            draft->bare_triangles};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
    sn_cut_cells_release(&draft->cells, allocator);
    sn_array_release(&draft->vertices);
    sn_array_release(&draft->sides);
    sn_array_release(&draft->parts);
}

// Cells and their parts --------------------------------------------------------------------------

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

// Whether a surface vertex is a vertex of the mesh.
static bool is_corner(const SnSurfaceCutDef *def, int vertex)
{
    int id = nearest_corner(def, vertex);
    return def->weights[4 * (size_t)vertex + (size_t)(id % 4)] >= AT_CORNER;
}

// The tets near a surface vertex. Of a vertex of the mesh those that have it; else those that share
// a corner with the tet it is in.
static SinewStatus find_cells(Draft *draft, int vertex, SinewError *error)
{
    int corner = nearest_corner(draft->def, vertex);
    return is_corner(draft->def, vertex)
               ? sn_cut_cells_at(&draft->cells, draft->def->tets[corner], error)
               : sn_cut_cells_near(&draft->cells, corner / 4, error);
}

// Places -----------------------------------------------------------------------------------------

// Puts a vertex into the tet of a part that it is deepest in; none: -1.
static void place_vertex(const Draft *draft, int part, Vertex *vertex)
{
    double most = -INFINITY, weights[4];
    vertex->element = -1;
    for (size_t i = 0; i < draft->cells.list.count; ++i) {
        const SnCutCell *cell = &SN_ITEMS(draft->cells.list, SnCutCell)[i];
        double least = sn_cut_cell_weigh(cell, vertex->rest, weights);
        if (cell->part == part && least > most) {
            most = least;
            vertex->element = draft->def->cut->tet_place[cell->tet];
            memcpy(vertex->weights, weights, sizeof weights);
        }
    }
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

// The vertices of the mesh that a triangle's corners are; false: one is none.
static bool find_mesh_corners(const SnSurfaceCutDef *def, int triangle, int out[3])
{
    bool all = true;
    for (size_t c = 0; c < 3 && all; ++c) {
        int vertex = def->surface->triangles[3 * (size_t)triangle + c];
        out[c] = def->tets[nearest_corner(def, vertex)];
        all = is_corner(def, vertex);
    }
    return all;
}

static bool has_corners(const int *tet, const int corners[3])
{
    bool all = true;
    for (int c = 0; c < 3 && all; ++c) {
        all = tet[0] == corners[c] || tet[1] == corners[c] || tet[2] == corners[c] ||
              tet[3] == corners[c];
    }
    return all;
}

// The part of a triangle: that of the cell which its middle is deepest in. Where an earlier cut
// ends, tets of both its sides are there and meet in the triangle; only one has it as a face. -1
// where that tet went.
static int part_of_triangle(const Draft *draft, int triangle)
{
    const SnSurfaceCutDef *def = draft->def;
    int part = -1, corners[3] = {0, 0, 0};
    bool may_be_face = find_mesh_corners(def, triangle, corners), has_face = false;
    double middle[3], weights[4], most = -INFINITY;
    middle_of(def->surface, triangle, middle);
    for (size_t i = 0; i < draft->cells.list.count; ++i) {
        const SnCutCell *cell = &SN_ITEMS(draft->cells.list, SnCutCell)[i];
        bool is_face = may_be_face && has_corners(def->tets + 4 * (size_t)cell->tet, corners);
        double least = sn_cut_cell_weigh(cell, middle, weights);
        if ((is_face && !has_face) || (is_face == has_face && least > most)) {
            has_face = is_face;
            most = least;
            part = cell->part;
        }
    }
    return part;
}

// Vertices ---------------------------------------------------------------------------------------

// One triangle around a surface vertex: `id` is the vertex' copy on the triangle's side.
static void set_corner(Draft *draft, int triangle, int vertex, int id)
{
    for (size_t c = 3 * (size_t)triangle; c < 3 * (size_t)triangle + 3; ++c) {
        if (draft->def->surface->triangles[c] == vertex) {
            draft->corners[c] = id;
        }
    }
}

static int copy_in(const Draft *draft, int part)
{
    for (size_t i = 0; i < draft->sides.count; ++i) {
        if (SN_ITEMS(draft->sides, Side)[i].part == part) {
            return SN_ITEMS(draft->sides, Side)[i].vertex;
        }
    }
    return -1;
}

// The first part keeps the vertex, put there where it is not; the others get copies.
static SinewStatus add_side(Draft *draft, int vertex, int part, int own, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Side side = {part, vertex};
    if (draft->sides.count > 0) {
        Vertex copy = SN_ITEMS(draft->vertices, Vertex)[vertex];
        place_vertex(draft, part, &copy);
        side.vertex = (int)draft->vertices.count;
        SN_TRY(sn_array_push(&draft->vertices, &copy, error));
    } else if (part != own) {
        place_vertex(draft, part, &SN_ITEMS(draft->vertices, Vertex)[vertex]);
    }
    SN_TRY(sn_array_push(&draft->sides, &side, error));
done:
    return status;
}

// A surface vertex near the cut. Its own part, if it has triangles there, keeps it, else the first
// that has some.
static SinewStatus split_vertex(Draft *draft, int vertex, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurfaceCutDef *def = draft->def;
    SN_TRY(find_cells(draft, vertex, error));
    if (sn_cut_cells_are_whole(&draft->cells)) {
        goto done;
    }
    sn_cut_cells_frame(&draft->cells);
    int own = sn_cut_cells_part_of(&draft->cells, def->elements[vertex]);
    draft->sides.count = draft->parts.count = 0;
    for (int i = def->vertex_start[vertex]; i < def->vertex_start[vertex + 1]; ++i) {
        int part = part_of_triangle(draft, def->vertex_triangles[i]);
        SN_TRY(sn_array_push(&draft->parts, &part, error));
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = def->vertex_start[vertex]; i < def->vertex_start[vertex + 1]; ++i) {
            int triangle = def->vertex_triangles[i];
            int part = SN_ITEMS(draft->parts, int)[i - def->vertex_start[vertex]];
            draft->gone[triangle] = draft->gone[triangle] || part < 0;
            if (part < 0 || (pass == 0 && part != own)) {
                continue;
            }
            if (copy_in(draft, part) < 0) {
                SN_TRY(add_side(draft, vertex, part, own, error));
            }
            set_corner(draft, triangle, vertex, copy_in(draft, part));
        }
    }
    if (draft->sides.count == 0 && own < 0) {
        // Nothing hangs on it any more; it goes with whatever is left there.
        Vertex *stray = &SN_ITEMS(draft->vertices, Vertex)[vertex];
        stray->element = -1;
        for (size_t i = 0; i < draft->cells.list.count && stray->element < 0; ++i) {
            int part = SN_ITEMS(draft->cells.list, SnCutCell)[i].part;
            if (part >= 0) {
                place_vertex(draft, part, stray);
            }
        }
    }
done:
    return status;
}

static bool is_near(const SnSurfaceCutDef *def, int vertex)
{
    const int *tet = def->tets + 4 * (size_t)def->elements[vertex];
    const unsigned char *split = def->cut->is_split;
    return is_corner(def, vertex)
               ? split[def->tets[nearest_corner(def, vertex)]] != 0
               : (split[tet[0]] | split[tet[1]] | split[tet[2]] | split[tet[3]]) != 0;
}

// Vertices near the cut, those in the same tet one after the other.
static SinewStatus split_vertices(Draft *draft, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurfaceCutDef *def = draft->def;
    int *first = NULL; // an old tet: the first of its vertices
    int *next = NULL;  // a vertex
    SN_ALLOC(first, allocator, def->cut->old_tet_count, error);
    SN_ALLOC(next, allocator, def->surface->vertex_count, error);
    memset(first, 0xff, (size_t)def->cut->old_tet_count * sizeof *first);
    for (int v = def->surface->vertex_count; v-- > 0;) {
        if (is_near(def, v)) {
            next[v] = first[def->elements[v]];
            first[def->elements[v]] = v;
        }
    }
    for (int t = 0; t < def->cut->old_tet_count; ++t) {
        for (int v = first[t]; v >= 0; v = next[v]) {
            SN_TRY(split_vertex(draft, v, error));
        }
    }
done:
    sn_free(allocator, first);
    sn_free(allocator, next);
    return status;
}

static SinewStatus take_vertices(Draft *draft, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurfaceCutDef *def = draft->def;
    size_t count = (size_t)def->surface->vertex_count;
    Vertex *vertices = sn_array_add(&draft->vertices, count);
    SN_TRY(sn_expect_memory(vertices, count, sizeof *vertices, error));
    for (size_t v = 0; v < count; ++v) {
        vertices[v] = (Vertex){.source = (int)v, .element = def->cut->tet_place[def->elements[v]]};
        memcpy(vertices[v].weights, def->weights + 4 * v, sizeof vertices[v].weights);
        memcpy(vertices[v].rest, def->surface->positions + 3 * v, sizeof vertices[v].rest);
    }
    SN_TRY(split_vertices(draft, allocator, error));
done:
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
    SN_ALLOC_FILLED(out->elements, allocator, count, error);
    SN_ALLOC_FILLED(out->weights, allocator, 4 * count, error);
    SN_ALLOC_FILLED(out->source, allocator, count, error);
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
    Draft draft = {.def = def,
                   .vertices = sn_array_of(allocator, sizeof(Vertex)),
                   .sides = sn_array_of(allocator, sizeof(Side)),
                   .parts = sn_array_of(allocator, sizeof(int))};
    size_t triangles = (size_t)def->surface->triangle_count;
    *out_cut = (SnSurfaceCut){0};
    SN_TRY(sn_cut_cells_create(def->tets, def->rest, def->cut, allocator, &draft.cells, error));
    SN_ALLOC_FILLED(draft.corners, allocator, 3 * triangles, error);
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
