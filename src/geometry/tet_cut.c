#include "geometry/tet_cut.h"

#include "base/array.h"
#include "base/union_find.h"

#include <limits.h>
#include <string.h>

void sn_tet_cut_list_release(SnTetCutList *list, const SinewAllocator *allocator)
{
    sn_free(allocator, list->items);
    *list = (SnTetCutList){0};
}

void sn_tet_face(const int *tet, int f, int out_corners[3])
{
    static const int face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int c = 0; c < 3; ++c) {
        out_corners[c] = tet[face_corners[f][c]];
    }
}

// Neighbours -------------------------------------------------------------------------------------

// A face by its vertices in rising order.
typedef struct Face {
    int low;
    int middle, high;
    int id;
} Face;

static Face face_of(const int *tets, int id)
{
    int c[3];
    sn_tet_face(tets + 4 * (size_t)(id / 4), id % 4, c);
    int low = c[0] < c[1] ? c[0] : c[1], high = c[0] < c[1] ? c[1] : c[0];
    int middle = c[2];
    if (middle < low) {
        middle = low;
        low = c[2];
    } else if (middle > high) {
        middle = high;
        high = c[2];
    }
    return (Face){low, middle, high, id};
}

static bool is_near(const int *tet, const unsigned char *near)
{
    return near == NULL || (near[tet[0]] | near[tet[1]] | near[tet[2]] | near[tet[3]]) != 0;
}

// Faces of tets that are near, by their lowest vertex: `start` has a place more than there are
// vertices. `ids` are the faces in their order.
static void list_faces(const int *tets, const int *ids, int face_count, int vertex_count,
                       int *start, Face *faces)
{
    memset(start, 0, ((size_t)vertex_count + 1) * sizeof *start);
    for (int i = 0; i < face_count; ++i) {
        start[face_of(tets, ids[i]).low + 1] += 1;
    }
    for (int v = 0; v < vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    for (int i = 0; i < face_count; ++i) {
        Face face = face_of(tets, ids[i]);
        faces[start[face.low]++] = face;
    }
    // Filling moved each start to its end.
    memmove(start + 1, start, (size_t)vertex_count * sizeof *start);
    start[0] = 0;
}

static void pair_faces(const int *start, int vertex_count, const Face *faces, int *neighbours)
{
    for (int v = 0; v < vertex_count; ++v) {
        for (int i = start[v]; i < start[v + 1]; ++i) {
            const Face *one = &faces[i];
            for (int k = i + 1; k < start[v + 1] && neighbours[one->id] < 0; ++k) {
                if (one->middle == faces[k].middle && one->high == faces[k].high &&
                    neighbours[faces[k].id] < 0) {
                    neighbours[one->id] = faces[k].id;
                    neighbours[faces[k].id] = one->id;
                }
            }
        }
    }
}

SinewStatus sn_tet_neighbours_create(const int *tets, int tet_count, int vertex_count,
                                     const unsigned char *near, const SinewAllocator *allocator,
                                     int **out_neighbours, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *start = NULL, *neighbours = NULL, *ids = NULL;
    Face *faces = NULL;
    int count = 0;
    *out_neighbours = NULL;
    SN_ALLOC(start, allocator, (size_t)vertex_count + 1, error);
    SN_ALLOC_FILLED(neighbours, allocator, 4 * (size_t)tet_count, error);
    for (int t = 0; t < tet_count; ++t) {
        count += is_near(tets + 4 * (size_t)t, near) ? 4 : 0;
    }
    SN_ALLOC(ids, allocator, count, error);
    SN_ALLOC(faces, allocator, count, error);
    memset(neighbours, 0xff, 4 * (size_t)tet_count * sizeof *neighbours);
    for (int id = 0, filled = 0; filled < count; ++id) {
        if (is_near(tets + 4 * (size_t)(id / 4), near)) {
            ids[filled++] = id;
        }
    }
    list_faces(tets, ids, count, vertex_count, start, faces);
    pair_faces(start, vertex_count, faces, neighbours);
    *out_neighbours = neighbours;
    neighbours = NULL;
done:
    sn_free(allocator, start);
    sn_free(allocator, ids);
    sn_free(allocator, faces);
    sn_free(allocator, neighbours);
    return status;
}

// Room of a cut ----------------------------------------------------------------------------------

typedef struct Draft {
    const int *old;        // tets
    const int *neighbours; //
    bool *opened;          // a face
    bool *gone;            // an old tet
    int *start;            // an old vertex: its tets
    int *around;           //
    int *part;             // an old tet: the part of the vertex at hand that it is in, or -1
    int *queue;            // tets of one part
    int *corners;          // four an old tet: vertices as they will be, before any is dropped
    SnTetCut *cut;
} Draft;

static void release_draft(Draft *draft, const SinewAllocator *allocator)
{
    void *const arrays[] = {draft->opened, draft->gone,  draft->start,  draft->around,
                            draft->part,   draft->queue, draft->corners};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
}

static SinewStatus allocate(Draft *draft, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetCut *cut = draft->cut;
    size_t tets = (size_t)cut->old_tet_count, vertices = (size_t)cut->old_vertex_count;
    SN_ALLOC_ZERO(draft->opened, allocator, 4 * tets, error);
    SN_ALLOC_ZERO(draft->gone, allocator, tets, error);
    SN_ALLOC_ZERO(draft->start, allocator, vertices + 1, error);
    SN_ALLOC(draft->around, allocator, 4 * tets, error);
    SN_ALLOC_FILLED(draft->part, allocator, tets, error);
    SN_ALLOC(draft->queue, allocator, tets, error);
    SN_ALLOC_FILLED(draft->corners, allocator, 4 * tets, error);
    SN_ALLOC_FILLED(cut->tet_place, allocator, tets, error);
    SN_ALLOC(cut->vertex_place, allocator, vertices, error);
    SN_ALLOC_ZERO(cut->is_split, allocator, vertices, error);
    memcpy(draft->corners, draft->old, 4 * tets * sizeof *draft->corners);
    for (size_t t = 0; t < tets; ++t) {
        draft->part[t] = -1;
    }
done:
    return status;
}

static SinewStatus take_list(Draft *draft, const SnTetCutList *list, SinewError *error)
{
    int limit = list->removes ? draft->cut->old_tet_count : 4 * draft->cut->old_tet_count;
    for (int i = 0; i < list->count; ++i) {
        int item = list->items[i];
        if (item < 0 || item >= limit) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                              "a cut names the %s %d, expected 0 to %d",
                              list->removes ? "tet" : "face", item, limit - 1);
        }
        if (list->removes) {
            draft->gone[item] = true;
        } else if (draft->neighbours[item] >= 0) {
            draft->opened[item] = draft->opened[draft->neighbours[item]] = true;
        }
    }
    return SINEW_OK;
}

// Vertices whose tets may have fallen apart.
static void mark_touched(Draft *draft, const SnTetCutList *list)
{
    for (int i = 0; i < list->count; ++i) {
        int item = list->items[i], corners[4];
        const int *tet = draft->old + 4 * (size_t)(list->removes ? item : item / 4);
        memcpy(corners, tet, sizeof corners);
        if (!list->removes) {
            sn_tet_face(tet, item % 4, corners);
        }
        for (int c = 0; c < (list->removes ? 4 : 3); ++c) {
            draft->cut->is_split[corners[c]] |= list->removes || draft->opened[item] ? 1 : 0;
        }
    }
}

// Tets around those vertices.
static void list_tets(Draft *draft)
{
    const unsigned char *split = draft->cut->is_split;
    int vertices = draft->cut->old_vertex_count, corners = 4 * draft->cut->old_tet_count;
    for (int i = 0; i < corners; ++i) {
        draft->start[draft->old[i] + 1] += split[draft->old[i]];
    }
    for (int v = 0; v < vertices; ++v) {
        draft->start[v + 1] += draft->start[v];
    }
    for (int i = 0; i < corners; ++i) {
        if (split[draft->old[i]] != 0) {
            draft->around[draft->start[draft->old[i]]++] = i / 4;
        }
    }
    memmove(draft->start + 1, draft->start, (size_t)vertices * sizeof *draft->start);
    draft->start[0] = 0;
}

// Vertices ---------------------------------------------------------------------------------------

// All tets around the vertex that hang together with `first` by faces that hold it become `part`.
static void flood(Draft *draft, int vertex, int first, int part)
{
    int count = 1;
    draft->queue[0] = first;
    draft->part[first] = part;
    for (int i = 0; i < count; ++i) {
        int t = draft->queue[i];
        for (int f = 0; f < 4; ++f) {
            int id = 4 * t + f, other = draft->neighbours[id] / 4;
            if (draft->old[id] != vertex && draft->neighbours[id] >= 0 && !draft->opened[id] &&
                !draft->gone[other] && draft->part[other] < 0) {
                draft->part[other] = part;
                draft->queue[count++] = other;
            }
        }
    }
}

// A copy of the vertex for every part of its tets but the first, which keeps it; returns how many
// parts there are.
static int split_vertex(Draft *draft, int vertex, int next)
{
    int parts = 0;
    for (int i = draft->start[vertex]; i < draft->start[vertex + 1]; ++i) {
        int t = draft->around[i];
        if (!draft->gone[t] && draft->part[t] < 0) {
            flood(draft, vertex, t, parts++);
        }
    }
    for (int i = draft->start[vertex]; i < draft->start[vertex + 1]; ++i) {
        int t = draft->around[i];
        for (int c = 4 * t; c < 4 * t + 4; ++c) {
            if (draft->old[c] == vertex && draft->part[t] > 0) {
                draft->corners[c] = next + draft->part[t] - 1;
            }
        }
        draft->part[t] = -1;
    }
    return parts;
}

// Splits all touched vertices; `sources` gets the old vertex of each copy. Returns how many copies
// there are. Vertices without tets get the place -1, all others 0.
static SinewStatus split_vertices(Draft *draft, const SinewAllocator *allocator, int **out_sources,
                                  int *out_copies, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetCut *cut = draft->cut;
    int copies = 0;
    // No vertex has more parts than tets.
    int most = 0;
    for (int v = 0; v < cut->old_vertex_count; ++v) {
        most += cut->is_split[v] ? draft->start[v + 1] - draft->start[v] : 0;
    }
    SN_ALLOC(*out_sources, allocator, most, error);
    for (int v = 0; v < cut->old_vertex_count; ++v) {
        cut->vertex_place[v] = 0;
        if (cut->is_split[v]) {
            int parts = split_vertex(draft, v, cut->old_vertex_count + copies);
            for (int p = 1; p < parts; ++p) {
                (*out_sources)[copies++] = v;
            }
            cut->vertex_place[v] = parts > 0 ? 0 : -1;
        }
    }
    *out_copies = copies;
done:
    return status;
}

// The mesh ---------------------------------------------------------------------------------------

// Numbers what is left.
static SinewStatus number(Draft *draft, const int *sources, int copies,
                          const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetCut *cut = draft->cut;
    int dropped = 0;
    for (int t = 0; t < cut->old_tet_count; ++t) {
        cut->tet_place[t] = draft->gone[t] ? -1 : cut->tet_count++;
    }
    for (int v = 0; v < cut->old_vertex_count; ++v) {
        bool stays = cut->vertex_place[v] == 0;
        cut->vertex_place[v] = stays ? v - dropped : -1;
        dropped += stays ? 0 : 1;
    }
    cut->copy_start = cut->old_vertex_count - dropped;
    cut->vertex_count = cut->copy_start + copies;
    SN_ALLOC_FILLED(cut->tets, allocator, 4 * (size_t)cut->tet_count, error);
    SN_ALLOC_FILLED(cut->tet_source, allocator, cut->tet_count, error);
    SN_ALLOC(cut->vertex_source, allocator, cut->vertex_count, error);
    for (int v = 0; v < cut->old_vertex_count; ++v) {
        if (cut->vertex_place[v] >= 0) {
            cut->vertex_source[cut->vertex_place[v]] = v;
        }
    }
    for (int c = 0; c < copies; ++c) {
        cut->vertex_source[cut->copy_start + c] = sources[c];
    }
    for (int id = 0; id < 4 * cut->old_tet_count; ++id) {
        int place = cut->tet_place[id / 4], corner = draft->corners[id];
        if (place >= 0) {
            cut->tet_source[place] = id / 4;
            cut->tets[4 * (size_t)place + (size_t)(id % 4)] =
                corner < cut->old_vertex_count ? cut->vertex_place[corner] : corner - dropped;
        }
    }
done:
    return status;
}

// Whether a face that was inside is outside now: its tets no longer have its vertices in common.
static bool is_bare(const Draft *draft, int id)
{
    const SnTetCut *cut = draft->cut;
    int other = draft->neighbours[id] / 4;
    if (draft->neighbours[id] < 0 || cut->tet_place[id / 4] < 0) {
        return false;
    }
    if (cut->tet_place[other] < 0) {
        return true;
    }
    for (int c = 4 * (id / 4); c < 4 * (id / 4) + 4; ++c) {
        for (int k = 4 * other; k < 4 * other + 4 && c != id; ++k) {
            if (draft->old[k] == draft->old[c] && draft->corners[k] != draft->corners[c]) {
                return true;
            }
        }
    }
    return false;
}

static SinewStatus list_bare(Draft *draft, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetCut *cut = draft->cut;
    SnArray faces = sn_array_of(allocator, sizeof(int));
    for (int id = 0; id < 4 * cut->old_tet_count; ++id) {
        if (is_near(draft->old + 4 * (size_t)(id / 4), cut->is_split) && is_bare(draft, id)) {
            int face = 4 * cut->tet_place[id / 4] + id % 4;
            SN_TRY(sn_array_push(&faces, &face, error));
        }
    }
    cut->face_count = (int)faces.count;
    cut->faces = sn_array_take(&faces);
    SN_TRY(sn_expect_memory(cut->faces, (size_t)cut->face_count, sizeof(int), error));
done:
    sn_array_release(&faces);
    return status;
}

static SinewStatus count_pieces(SnTetCut *cut, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *parent = NULL;
    SN_ALLOC(parent, allocator, cut->vertex_count, error);
    sn_union_find_reset(parent, cut->vertex_count);
    cut->pieces = cut->vertex_count;
    for (int t = 0; t < cut->tet_count; ++t) {
        const int *tet = cut->tets + 4 * (size_t)t;
        for (int c = 1; c < 4; ++c) {
            cut->pieces -= sn_union_find_join(parent, tet[0], tet[c]);
        }
    }
done:
    sn_free(allocator, parent);
    return status;
}

SinewStatus sn_tet_cut_create(const int *tets, int tet_count, int vertex_count,
                              const int *neighbours, const SnTetCutList *list,
                              const SinewAllocator *allocator, SnTetCut **out_cut,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetCut *cut = NULL;
    Draft draft = {.old = tets, .neighbours = neighbours};
    int *sources = NULL;
    int copies = 0;
    *out_cut = NULL;
    SN_ALLOC_ZERO(cut, allocator, 1, error);
    cut->old_vertex_count = vertex_count;
    cut->old_tet_count = tet_count;
    draft.cut = cut;
    SN_TRY(allocate(&draft, allocator, error));
    SN_TRY(take_list(&draft, list, error));
    mark_touched(&draft, list);
    list_tets(&draft);
    SN_TRY(split_vertices(&draft, allocator, &sources, &copies, error));
    if (copies > INT_MAX / 12 - vertex_count) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "a cut makes %d vertices more, too many for %d",
                       copies, vertex_count));
    }
    SN_TRY(number(&draft, sources, copies, allocator, error));
    if (cut->tet_count == 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the cut would take all of the %d tets, expected some that stay",
                       tet_count));
    }
    SN_TRY(list_bare(&draft, allocator, error));
    SN_TRY(count_pieces(cut, allocator, error));
    *out_cut = cut;
    cut = NULL;
done:
    release_draft(&draft, allocator);
    sn_free(allocator, sources);
    sn_tet_cut_destroy(cut, allocator);
    return status;
}

void sn_tet_cut_destroy(SnTetCut *cut, const SinewAllocator *allocator)
{
    if (cut != NULL) {
        void *const arrays[] = {cut->tets,  cut->tet_source, cut->vertex_source, cut->tet_place,
                                cut->faces, cut->is_split,   cut->vertex_place,  cut};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
            sn_free(allocator, arrays[i]);
        }
    }
}
