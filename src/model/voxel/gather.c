#include "model/voxel/gather.h"

#include <string.h>

// Parts of one cell that are told apart; those beyond join the last.
enum { PARTS_MAX = 200 };

void sn_voxel_blocks_release(SnVoxelBlocks *blocks, const SinewAllocator *allocator)
{
    sn_free(allocator, blocks->places);
    sn_free(allocator, blocks->block_at);
    sn_free(allocator, blocks->voxels);
    sn_free(allocator, blocks->labels);
    sn_free(allocator, blocks->parts);
    *blocks = (SnVoxelBlocks){0};
}

// How much of a voxel is there. [E]: 1 inside, 1/2 where the surface is, 0 outside.
static float find_share(const SnVoxelGridDef *def, const SnSolidVoxels *voxels, int v)
{
    float fill = voxels->fills[v];
    if (def->hollow) {
        return 0.5f;
    }
    if (def->halves) {
        return voxels->touched[v] || (fill > 0.0f && fill < 1.0f) ? 0.5f : fill;
    }
    return fill;
}

// What a voxel is; empty outside the body and where the image is 0 or less.
static SnVoxel find_voxel(const SnVoxelGridDef *def, const SnSolidVoxels *voxels, int v)
{
    const int *place = voxels->places + 3 * (size_t)v;
    float share = find_share(def, voxels, v), stiffness = 1.0f;
    double middle[3];
    for (int i = 0; i < 3; ++i) {
        middle[i] = voxels->origin[i];
        for (int k = 0; k < 3; ++k) {
            middle[i] += voxels->axes[3 * k + i] * (place[k] + 0.5) * voxels->edge;
        }
    }
    if (def->image != NULL) {
        stiffness = sn_volume_at(def->image, middle);
    }
    if (!(share > 0.0f) || !(stiffness > 0.0f)) {
        return (SnVoxel){-1, 0.0f, 0.0f};
    }
    return (SnVoxel){sn_materials_find(def->materials, middle), share * stiffness, share};
}

static size_t place_of(const SnVoxelBlocks *blocks, const int voxel[3])
{
    const int *size = blocks->size;
    int m = blocks->division;
    return ((size_t)(voxel[0] / m) * (size_t)size[1] + (size_t)(voxel[1] / m)) * (size_t)size[2] +
           (size_t)(voxel[2] / m);
}

// Either the image leaves nothing of the body, or there was nothing before.
static SinewStatus fail_empty(const SnVoxelGridDef *def, const SnSolidVoxels *voxels,
                              SinewError *error)
{
    int count = 0;
    for (int v = 0; v < voxels->count; ++v) {
        count += find_share(def, voxels, v) > 0.0f;
    }
    if (count > 0 && def->image != NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": the image \"%.120s\" is 0 or less in all %d voxels of the "
                       "body, expected a value above 0 in some",
                       def->name, def->image_name, count);
    }
    return sn_fail(
        error, SINEW_ERROR_ARGUMENT,
        "body \"%s\": no voxel of %g m has its inside in it; it is too thin or open; use "
        "more fine levels, or hollow for sheets and lines",
        def->name, voxels->edge);
}

// Blocks in the order of their places.
static SinewStatus number_blocks(const SnVoxelGridDef *def, const SnSolidVoxels *voxels,
                                 const SinewAllocator *allocator, SnVoxelBlocks *blocks,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t places = 1;
    for (int k = 0; k < 3; ++k) {
        blocks->size[k] = (voxels->size[k] + def->division - 1) / def->division;
        places *= (size_t)blocks->size[k];
    }
    SN_ALLOC(blocks->block_at, allocator, places, error);
    memset(blocks->block_at, -1, places * sizeof *blocks->block_at);
    for (int v = 0; v < voxels->count; ++v) {
        if (find_voxel(def, voxels, v).material >= 0) {
            blocks->block_at[place_of(blocks, voxels->places + 3 * (size_t)v)] = 0;
        }
    }
    for (size_t p = 0; p < places; ++p) {
        blocks->block_at[p] = blocks->block_at[p] < 0 ? -1 : blocks->count++;
    }
    if (blocks->count == 0) {
        SN_TRY(fail_empty(def, voxels, error));
    }
    SN_ALLOC(blocks->places, allocator, 3 * (size_t)blocks->count, error);
    for (size_t p = 0; p < places; ++p) {
        if (blocks->block_at[p] >= 0) {
            int *place = blocks->places + 3 * (size_t)blocks->block_at[p];
            place[0] = (int)(p / (size_t)blocks->size[2] / (size_t)blocks->size[1]);
            place[1] = (int)(p / (size_t)blocks->size[2] % (size_t)blocks->size[1]);
            place[2] = (int)(p % (size_t)blocks->size[2]);
        }
    }

done:
    return status;
}

static void fill_blocks(const SnVoxelGridDef *def, const SnSolidVoxels *voxels,
                        SnVoxelBlocks *blocks)
{
    int m = def->division;
    size_t cube = (size_t)(m * m * m);
    for (size_t i = 0; i < (size_t)blocks->count * cube; ++i) {
        blocks->voxels[i].material = -1;
    }
    for (int v = 0; v < voxels->count; ++v) {
        const int *place = voxels->places + 3 * (size_t)v;
        SnVoxel voxel = find_voxel(def, voxels, v);
        if (voxel.material >= 0) {
            int block = blocks->block_at[place_of(blocks, place)];
            int within = (place[0] % m * m + place[1] % m) * m + place[2] % m;
            blocks->voxels[(size_t)block * cube + (size_t)within] = voxel;
        }
    }
}

// Room for the labelling of one block.
typedef struct Flood {
    int *stack;          // voxels still to visit
    unsigned char *seen; // a voxel
} Flood;

// Labels the nodes of the voxels that are connected with one, voxels that share a node being so.
static void flood_from(const Flood *flood, const SnVoxel *voxels, int m, int from,
                       unsigned char label, unsigned char *labels)
{
    int depth = 0;
    flood->stack[depth++] = from;
    flood->seen[from] = 1;
    while (depth > 0) {
        int v = flood->stack[--depth], corners[8];
        int i = v / m / m, j = v / m % m, k = v % m;
        sn_voxel_corners(m, i, j, k, corners);
        for (int c = 0; c < 8; ++c) {
            labels[corners[c]] = label;
        }
        for (int n = 0; n < 27; ++n) {
            int a = i + n / 9 - 1, b = j + n / 3 % 3 - 1, c = k + n % 3 - 1;
            bool within = a >= 0 && b >= 0 && c >= 0 && a < m && b < m && c < m;
            int other = within ? (a * m + b) * m + c : v;
            if (voxels[other].material >= 0 && !flood->seen[other]) {
                flood->seen[other] = 1;
                flood->stack[depth++] = other;
            }
        }
    }
}

// Where parts are not kept apart, all nodes are of one.
static SinewStatus label_parts(SnVoxelBlocks *blocks, bool apart, const SinewAllocator *allocator,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int m = blocks->division, cube = m * m * m, nodes = (m + 1) * (m + 1) * (m + 1);
    Flood flood = {0};

    SN_ALLOC(flood.stack, allocator, cube, error);
    SN_ALLOC(flood.seen, allocator, cube, error);
    for (int b = 0; b < blocks->count; ++b) {
        const SnVoxel *voxels = blocks->voxels + (size_t)b * (size_t)cube;
        unsigned char *labels = blocks->labels + (size_t)b * (size_t)nodes, parts = 0;
        memset(flood.seen, 0, (size_t)cube);
        for (int v = 0; v < cube; ++v) {
            if (voxels[v].material >= 0 && !flood.seen[v]) {
                bool another = parts == 0 || (apart && parts < PARTS_MAX);
                parts = (unsigned char)(parts + another);
                flood_from(&flood, voxels, m, v, parts, labels);
            }
        }
        blocks->parts[b] = parts;
    }

done:
    sn_free(allocator, flood.stack);
    sn_free(allocator, flood.seen);
    return status;
}

SinewStatus sn_voxel_gather(const SnVoxelGridDef *def, const SnSolidVoxels *voxels,
                            const SinewAllocator *allocator, SnVoxelBlocks *out_blocks,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t m = (size_t)def->division;

    *out_blocks = (SnVoxelBlocks){.division = def->division};
    SN_TRY(number_blocks(def, voxels, allocator, out_blocks, error));
    size_t count = (size_t)out_blocks->count;
    SN_ALLOC_ZERO(out_blocks->voxels, allocator, count * m * m * m, error);
    SN_ALLOC_ZERO(out_blocks->labels, allocator, count * (m + 1) * (m + 1) * (m + 1), error);
    SN_ALLOC_ZERO(out_blocks->parts, allocator, count, error);
    fill_blocks(def, voxels, out_blocks);
    SN_TRY(label_parts(out_blocks, def->kind == SN_VOXEL_CONDENSED, allocator, error));

done:
    if (status < 0) {
        sn_voxel_blocks_release(out_blocks, allocator);
    }
    return status;
}
