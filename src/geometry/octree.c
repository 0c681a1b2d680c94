#include "geometry/octree.h"

#include "base/array.h"
#include "geometry/facet.h"
#include "geometry/morton.h"
#include "geometry/triangle_box.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Facets a worker takes at a time, each chunk with a list of its own.
enum { GRAIN = 256 };

#define INFLATION 1.01

// Touching counts within this share of a leaf.
#define TOUCH 1e-9

typedef struct Touching {
    const SnSurface *surface;
    SnOctree *octree;
    SnArray *lists; // keys of leaves, a list a chunk of facets
    bool *failed;   // a chunk ran out of memory
} Touching;

static SinewStatus check(const SnSurface *surface, const SnOctreeDef *def, SinewError *error)
{
    if (def->depth < 0 || def->depth > SN_OCTREE_DEPTH_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "depth of the octree is %d, expected 0 to %d",
                       def->depth, SN_OCTREE_DEPTH_MAX);
    }
    if (surface->triangle_count == 0 && surface->line_count == 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the surface has no triangles and no lines, expected at least one");
    }
    return sn_facets_check(surface, INT_MAX, error);
}

// The surface's box, inflated.
static SinewStatus lay_out(const SnSurface *surface, const SnOctreeDef *def, SnOctree *octree,
                           SinewError *error)
{
    SnBox box = sn_facets_box(surface);
    double longest = sn_box_longest_side(&box);
    double most = sn_box_reach(&box);
    if (!(longest > 1e-9 * most)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the surface is %g m large at coordinates up to %g m, expected more than "
                       "1e-9 of those",
                       longest, most);
    }
    for (int c = 0; c < 3; ++c) {
        double size = box.max[c] - box.min[c];
        size = size > 0.01 * longest ? size : 0.01 * longest;
        octree->size[c] = INFLATION * (def->cubic ? longest : size);
        octree->min[c] = 0.5 * (box.min[c] + box.max[c]) - 0.5 * octree->size[c];
    }
    octree->depth = def->depth;
    return SINEW_OK;
}

static bool touches(const SnOctree *octree, const double corners[9], int level, const int ijk[3])
{
    double centre[3];
    double half[3];
    for (int c = 0; c < 3; ++c) {
        double size = octree->size[c] / (double)(1 << level);
        centre[c] = octree->min[c] + (ijk[c] + 0.5) * size;
        // A share of the leaf, the same on all levels, so that a leaf's ancestors are touched too.
        half[c] = 0.5 * size + TOUCH * octree->size[c] / (double)(1 << octree->depth) +
                  1e-15 * fabs(centre[c]);
    }
    return sn_triangle_box_touch(corners, centre, half);
}

// Puts the leaves that a facet touches on a list, from the root down; the stack holds the siblings
// still to do, at most seven a level and one more.
static bool touch_facet(const SnOctree *octree, const double corners[9], SnArray *list)
{
    struct {
        int level;
        uint64_t key;
    } stack[7 * SN_OCTREE_DEPTH_MAX + 8];
    int depth = 1;
    stack[0].level = 0;
    stack[0].key = 0;
    while (depth > 0) {
        int level = stack[--depth].level;
        uint64_t key = stack[depth].key;
        int ijk[3];
        sn_morton_decode(key, ijk);
        if (!touches(octree, corners, level, ijk)) {
            continue;
        }
        if (level == octree->depth) {
            uint64_t *place = sn_array_add(list, 1);
            if (place == NULL) {
                return false;
            }
            *place = key;
            continue;
        }
        for (unsigned child = 0; child < 8; ++child) {
            stack[depth].level = level + 1;
            stack[depth++].key = key << 3 | child;
        }
    }
    return true;
}

static void touch_chunk(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Touching *touching = context;
    int chunk = begin / GRAIN;
    for (int f = begin; f < end && !touching->failed[chunk]; ++f) {
        double corners[9];
        sn_facet_corners(touching->surface, f, corners);
        touching->failed[chunk] = !touch_facet(touching->octree, corners, touching->lists + chunk);
    }
}

// Stable, byte by byte of the `bits` lowest. Ends in `keys`.
static void sort_keys(uint64_t *keys, uint64_t *other, size_t count, int bits)
{
    for (int shift = 0; shift < bits; shift += 8) {
        size_t start[257] = {0};
        for (size_t i = 0; i < count; ++i) {
            start[(keys[i] >> shift & 255) + 1]++;
        }
        for (int d = 0; d < 255; ++d) {
            start[d + 1] += start[d];
        }
        for (size_t i = 0; i < count; ++i) {
            other[start[keys[i] >> shift & 255]++] = keys[i];
        }
        memcpy(keys, other, count * sizeof *keys);
    }
}

static size_t remove_doubles(uint64_t *keys, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (kept == 0 || keys[i] != keys[kept - 1]) {
            keys[kept++] = keys[i];
        }
    }
    return kept;
}

// Joins the lists of all chunks: keys of touched leaves, sorted, each once.
static SinewStatus join_lists(const Touching *touching, int chunks, const SinewAllocator *allocator,
                              uint64_t **out_keys, size_t *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    uint64_t *keys = NULL;
    uint64_t *other = NULL;
    size_t count = 0;
    for (int c = 0; c < chunks; ++c) {
        if (touching->failed[c]) {
            SN_TRY(sn_expect_memory(NULL, touching->lists[c].count, sizeof *keys, error));
        }
        count += touching->lists[c].count;
    }
    SN_ALLOC(keys, allocator, count, error);
    SN_ALLOC(other, allocator, count, error);
    size_t filled = 0;
    for (int c = 0; c < chunks; ++c) {
        if (touching->lists[c].count > 0) {
            memcpy(keys + filled, touching->lists[c].items,
                   touching->lists[c].count * sizeof *keys);
        }
        filled += touching->lists[c].count;
    }
    sort_keys(keys, other, count, 3 * touching->octree->depth);
    *out_count = remove_doubles(keys, count);
    *out_keys = keys;
    keys = NULL;
done:
    sn_free(allocator, other);
    sn_free(allocator, keys);
    return status;
}

static SinewStatus find_touched(const SnSurface *surface, SnOctree *octree, SnWorkers *workers,
                                const SinewAllocator *allocator, uint64_t **out_keys,
                                size_t *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Touching touching = {.surface = surface, .octree = octree};
    int chunks = (sn_facet_count(surface) + GRAIN - 1) / GRAIN;
    SN_ALLOC(touching.lists, allocator, chunks, error);
    for (int c = 0; c < chunks; ++c) {
        touching.lists[c] = sn_array_of(allocator, sizeof(uint64_t));
    }
    SN_ALLOC_ZERO(touching.failed, allocator, chunks, error);
    sn_parallel_for(workers, sn_facet_count(surface), GRAIN, touch_chunk, &touching);
    SN_TRY(join_lists(&touching, chunks, allocator, out_keys, out_count, error));
done:
    for (int c = 0; touching.lists != NULL && c < chunks; ++c) {
        sn_array_release(&touching.lists[c]);
    }
    sn_free(allocator, touching.failed);
    sn_free(allocator, touching.lists);
    return status;
}

// Nodes of a level are the eight children of each touched node of the level above. Counts the
// touched ones of each level, and with them the nodes.
static SinewStatus count_nodes(SnOctree *octree, const uint64_t *leaves, size_t leaf_count,
                               SinewError *error)
{
    size_t total = 1;
    octree->level_start[0] = 0;
    for (int level = 0; level < octree->depth; ++level) {
        octree->level_start[level + 1] = (int)total;
        int shift = 3 * (octree->depth - level);
        size_t touched = 0;
        for (size_t i = 0; i < leaf_count; ++i) {
            touched += i == 0 || leaves[i] >> shift != leaves[i - 1] >> shift;
        }
        total += 8 * touched;
        if (total > INT_MAX / 8) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "the octree has more than %d nodes at depth %d, expected fewer",
                           INT_MAX / 8, level + 1);
        }
    }
    octree->level_start[octree->depth + 1] = (int)total;
    octree->node_count = (int)total;
    return SINEW_OK;
}

// Fills keys, children, parents, and marks touched nodes; all others are inside for now.
static void fill_nodes(SnOctree *octree, const uint64_t *leaves, size_t leaf_count)
{
    memset(octree->labels, SN_OCTREE_INSIDE, (size_t)octree->node_count);
    octree->keys[0] = 0;
    octree->parents[0] = -1;
    for (int level = 0; level <= octree->depth; ++level) {
        int shift = 3 * (octree->depth - level);
        int next_child = octree->level_start[level + 1];
        size_t leaf = 0;
        for (int n = octree->level_start[level]; n < octree->level_start[level + 1]; ++n) {
            octree->children[n] = -1;
            while (leaf < leaf_count && leaves[leaf] >> shift < octree->keys[n]) {
                leaf++;
            }
            if (leaf == leaf_count || leaves[leaf] >> shift != octree->keys[n]) {
                continue;
            }
            octree->labels[n] = SN_OCTREE_BOUNDARY;
            for (int k = 0; k < 8 && level < octree->depth; ++k) {
                octree->keys[next_child + k] = octree->keys[n] << 3 | (unsigned)k;
                octree->parents[next_child + k] = n;
            }
            if (level < octree->depth) {
                octree->children[n] = next_child;
                next_child += 8;
            }
        }
    }
}

static int find_root(int *parent, int x)
{
    while (parent[x] != x) {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    return x;
}

// Unites an untouched leaf with the untouched leaves beside it that are as large or larger, and
// with `outer` where it lies on the root's border. Smaller ones see it from their side.
static void join_neighbours(const SnOctree *octree, int node, int level, int *region, int outer)
{
    int ijk[3];
    sn_morton_decode(octree->keys[node], ijk);
    for (int face = 0; face < 6; ++face) {
        int other[3] = {ijk[0], ijk[1], ijk[2]};
        other[face / 2] += face % 2 == 0 ? -1 : 1;
        int found = sn_octree_find(octree, level, other[0], other[1], other[2]);
        if (found < 0 || octree->labels[found] != SN_OCTREE_BOUNDARY) {
            int a = find_root(region, node);
            int b = find_root(region, found < 0 ? outer : found);
            region[a < b ? b : a] = a < b ? a : b;
        }
    }
}

// Everything connected with the root's border is outside.
static void label_outside(SnOctree *octree, int *region)
{
    int outer = octree->node_count;
    for (int n = 0; n <= outer; ++n) {
        region[n] = n;
    }
    for (int level = 0; level <= octree->depth; ++level) {
        for (int n = octree->level_start[level]; n < octree->level_start[level + 1]; ++n) {
            if (octree->labels[n] != SN_OCTREE_BOUNDARY) {
                join_neighbours(octree, n, level, region, outer);
            }
        }
    }
    int outside = find_root(region, outer);
    for (int n = 0; n < outer; ++n) {
        if (octree->labels[n] != SN_OCTREE_BOUNDARY && find_root(region, n) == outside) {
            octree->labels[n] = SN_OCTREE_OUTSIDE;
        }
    }
}

// [E] sec 5.1: ratios of the leaves, and means of eight up the tree.
static void fill_ratios(SnOctree *octree)
{
    for (int n = octree->node_count - 1; n >= 0; --n) {
        static const float leaf_fills[] = {
            [SN_OCTREE_OUTSIDE] = 0.0f, [SN_OCTREE_BOUNDARY] = 0.5f, [SN_OCTREE_INSIDE] = 1.0f};
        octree->fills[n] = leaf_fills[octree->labels[n]];
        if (octree->children[n] >= 0) {
            float sum = 0.0f;
            for (int k = 0; k < 8; ++k) {
                sum += octree->fills[octree->children[n] + k];
            }
            octree->fills[n] = sum / 8.0f;
        }
    }
}

static SinewStatus make_nodes(SnOctree *octree, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(octree->keys, allocator, octree->node_count, error);
    SN_ALLOC(octree->labels, allocator, octree->node_count, error);
    SN_ALLOC(octree->fills, allocator, octree->node_count, error);
    SN_ALLOC(octree->children, allocator, octree->node_count, error);
    SN_ALLOC(octree->parents, allocator, octree->node_count, error);
done:
    return status;
}

SinewStatus sn_octree_create(const SnSurface *surface, const SnOctreeDef *def, SnWorkers *workers,
                             const SinewAllocator *allocator, SnOctree **out_octree,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnOctree *octree = NULL;
    uint64_t *leaves = NULL;
    size_t leaf_count = 0;
    int *region = NULL;
    *out_octree = NULL;
    SN_TRY(check(surface, def, error));
    SN_ALLOC_ZERO(octree, allocator, 1, error);
    SN_TRY(lay_out(surface, def, octree, error));
    SN_TRY(find_touched(surface, octree, workers, allocator, &leaves, &leaf_count, error));
    SN_TRY(count_nodes(octree, leaves, leaf_count, error));
    SN_TRY(make_nodes(octree, allocator, error));
    fill_nodes(octree, leaves, leaf_count);
    SN_ALLOC(region, allocator, (size_t)octree->node_count + 1, error);
    label_outside(octree, region);
    fill_ratios(octree);
    *out_octree = octree;
    octree = NULL;
done:
    sn_free(allocator, region);
    sn_free(allocator, leaves);
    sn_octree_destroy(octree, allocator);
    return status;
}

void sn_octree_destroy(SnOctree *octree, const SinewAllocator *allocator)
{
    if (octree == NULL) {
        return;
    }
    sn_free(allocator, octree->parents);
    sn_free(allocator, octree->children);
    sn_free(allocator, octree->fills);
    sn_free(allocator, octree->labels);
    sn_free(allocator, octree->keys);
    sn_free(allocator, octree);
}

int sn_octree_find(const SnOctree *octree, int level, int i, int j, int k)
{
    int end = 1 << level;
    if (i < 0 || j < 0 || k < 0 || i >= end || j >= end || k >= end) {
        return -1;
    }
    uint64_t key = sn_morton_encode(i, j, k);
    int node = 0;
    for (int l = 1; l <= level && octree->children[node] >= 0; ++l) {
        node = octree->children[node] + (int)(key >> 3 * (level - l) & 7);
    }
    return node;
}

int sn_octree_level(const SnOctree *octree, int node)
{
    int level = 0;
    while (node >= octree->level_start[level + 1]) {
        level++;
    }
    return level;
}
