// Many points at once, in float: surfaces that are shown. Cells say where the nodes inside them
// are, nodes take the mean of their cells, and the points of a voxel follow from its eight nodes.
// Everything is measured from the body's middle, so that floats resolve it wherever the body is.
#include "model/voxel/potential.h"

#include <string.h>

enum { BLOCK_GRAIN = 32, NODE_GRAIN = 512, VOXEL_GRAIN = 64 };

// Turns that find rotations from those of the last step to a float's last bits.
enum { SKIN_TURNS = 4 };

// Points by voxel and nodes by cell. A spot is a place in the list of points by voxel, a lane one
// in the blocks of nodes by cell.
typedef struct SnVoxelSkin {
    int block_count;
    float *blocks;      // SN_VOXEL_BLOCK a block of sites
    int *block_cells;   // a block
    int *lanes;         // a site: its lane
    float *lane_places; // 4 a lane, m from the body's middle: room
    float *node_places; // 4 a node: room
    int voxel_count;
    int *voxel_nodes;   // 8 a voxel
    int *spot_start;    // a voxel's spots; and the end
    float *spots;       // 4 a spot: where it is in its voxel, and a zero
    int *order;         // a spot: three times its point
    int *outside_start; // a voxel's points that are outside of it; and the end
    int *outside;       // these points
} SnVoxelSkin;

void sn_voxel_skin_destroy(const SnVoxelBody *body, SnVoxelSkin *skin)
{
    if (skin == NULL) {
        return;
    }
    sn_free(&body->allocator, skin->blocks);
    sn_free(&body->allocator, skin->block_cells);
    sn_free(&body->allocator, skin->lanes);
    sn_free(&body->allocator, skin->lane_places);
    sn_free(&body->allocator, skin->node_places);
    sn_free(&body->allocator, skin->voxel_nodes);
    sn_free(&body->allocator, skin->spot_start);
    sn_free(&body->allocator, skin->spots);
    sn_free(&body->allocator, skin->order);
    sn_free(&body->allocator, skin->outside_start);
    sn_free(&body->allocator, skin->outside);
    sn_free(&body->allocator, skin);
}

// Nodes by cell ----------------------------------------------------------------------------------

// Columns of N in the kernels' order, axis by axis.
static void fill_lane(const SnVoxelBody *body, const SnVoxelSite *site, float share, float *lane)
{
    const float *shape = sn_voxel_grid_cell(&body->grid, site->cell)->shapes +
                         3 * SN_VOXEL_DOFS * (size_t)site->number;
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        for (int i = 0; i < 3; ++i) {
            int plane = 3 * (8 * (j % 3) + j / 3) + i;
            lane[plane * SN_VOXEL_SITES] = shape[i * SN_VOXEL_DOFS + j];
        }
    }
    for (int i = 0; i < 3; ++i) {
        lane[(3 * SN_VOXEL_DOFS + i) * SN_VOXEL_SITES] = (float)site->rest[i];
    }
    lane[(3 * SN_VOXEL_DOFS + 3) * SN_VOXEL_SITES] = share;
}

static void fill_blocks(const SnVoxelBody *body, const SnVoxelPoints *points, SnVoxelSkin *skin,
                        int *next)
{
    for (int n = 0; n < points->node_count; ++n) {
        int first = points->site_start[n], last = points->site_start[n + 1];
        for (int s = first; s < last; ++s) {
            const SnVoxelSite *site = &points->sites[s];
            int lane = next[site->cell]++;
            size_t block = (size_t)lane / SN_VOXEL_SITES;
            skin->lanes[s] = lane;
            skin->block_cells[block] = site->cell;
            fill_lane(body, site, 1.0f / (float)(last - first),
                      skin->blocks + SN_VOXEL_BLOCK * block + (size_t)(lane % SN_VOXEL_SITES));
        }
    }
}

static SinewStatus make_blocks(const SnVoxelBody *body, const SnVoxelPoints *points,
                               SnVoxelSkin *skin, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int sites = points->site_start[points->node_count], *next = NULL;
    SN_ALLOC_ZERO(next, &body->allocator, body->grid.cell_count, error);
    for (int s = 0; s < sites; ++s) {
        next[points->sites[s].cell] += 1;
    }
    for (int e = 0; e < body->grid.cell_count; ++e) {
        int count = (next[e] + SN_VOXEL_SITES - 1) / SN_VOXEL_SITES;
        next[e] = SN_VOXEL_SITES * skin->block_count;
        skin->block_count += count;
    }
    SN_ALLOC_ZERO(skin->blocks, &body->allocator, SN_VOXEL_BLOCK * (size_t)skin->block_count,
                  error);
    SN_ALLOC(skin->block_cells, &body->allocator, skin->block_count, error);
    SN_ALLOC(skin->lanes, &body->allocator, sites, error);
    SN_ALLOC_ZERO(skin->lane_places, &body->allocator,
                  4 * SN_VOXEL_SITES * (size_t)skin->block_count, error);
    SN_ALLOC_ZERO(skin->node_places, &body->allocator, 4 * (size_t)points->node_count, error);
    fill_blocks(body, points, skin, next);

done:
    sn_free(&body->allocator, next);
    return status;
}

// Points by voxel --------------------------------------------------------------------------------

// Voxels in the order of their first points; a voxel goes by its lowest node. Their points and
// those outside are counted, one place further on.
static void count_voxels(const SnVoxelPoints *points, SnVoxelSkin *skin, int *voxel_of)
{
    for (int n = 0; n < points->node_count; ++n) {
        voxel_of[n] = -1;
    }
    for (size_t p = 0; p < (size_t)points->count; ++p) {
        const int *nodes = points->nodes + 8 * p;
        if (voxel_of[nodes[0]] < 0) {
            voxel_of[nodes[0]] = skin->voxel_count;
            memcpy(skin->voxel_nodes + 8 * (size_t)skin->voxel_count, nodes, 8 * sizeof *nodes);
            skin->voxel_count += 1;
        }
        int voxel = voxel_of[nodes[0]];
        skin->spot_start[voxel + 1] += 1;
        skin->outside_start[voxel + 1] += points->distances[p] > 0.0;
    }
    for (int v = 0; v < skin->voxel_count; ++v) {
        int groups = (skin->spot_start[v + 1] + SN_VOXEL_QUADS - 1) / SN_VOXEL_QUADS;
        skin->spot_start[v + 1] = skin->spot_start[v] + SN_VOXEL_QUADS * groups;
        skin->outside_start[v + 1] += skin->outside_start[v];
    }
}

// A point's coordinates in its voxel: sums of the weights of the corners beyond.
static void fill_spot(const SnVoxelPoints *points, size_t point, SnVoxelSkin *skin, size_t spot)
{
    const double *weights = points->weights + 8 * point;
    for (size_t k = 0; k < 3; ++k) {
        double sum = 0.0;
        for (size_t c = 0; c < 8; ++c) {
            sum += c >> (2 - k) & 1 ? weights[c] : 0.0;
        }
        skin->spots[4 * spot + k] = (float)sum;
    }
    skin->spots[4 * spot + 3] = 0.0f;
    skin->order[spot] = (int)(3 * point);
}

// Points in their order; a voxel's spots behind its points repeat the last of them.
static void fill_spots(const SnVoxelPoints *points, SnVoxelSkin *skin, const int *voxel_of,
                       int *spots, int *outsides)
{
    for (int v = 0; v < skin->voxel_count; ++v) {
        spots[v] = skin->spot_start[v];
        outsides[v] = skin->outside_start[v];
    }
    for (size_t p = 0; p < (size_t)points->count; ++p) {
        int voxel = voxel_of[points->nodes[8 * p]];
        fill_spot(points, p, skin, (size_t)spots[voxel]++);
        if (points->distances[p] > 0.0) {
            skin->outside[outsides[voxel]++] = (int)p;
        }
    }
    for (int v = 0; v < skin->voxel_count; ++v) {
        for (size_t spot = (size_t)spots[v]; spot < (size_t)skin->spot_start[v + 1]; ++spot) {
            fill_spot(points, (size_t)skin->order[spot - 1] / 3, skin, spot);
        }
    }
}

static SinewStatus make_spots(const SnVoxelBody *body, const SnVoxelPoints *points,
                              SnVoxelSkin *skin, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t nodes = (size_t)points->node_count; // and no more voxels than that
    int *room = NULL;
    SN_ALLOC(room, &body->allocator, 3 * nodes, error);
    SN_ALLOC(skin->voxel_nodes, &body->allocator, 8 * nodes, error);
    SN_ALLOC_ZERO(skin->spot_start, &body->allocator, nodes + 1, error);
    SN_ALLOC_ZERO(skin->outside_start, &body->allocator, nodes + 1, error);
    count_voxels(points, skin, room);
    size_t spots = (size_t)skin->spot_start[skin->voxel_count];
    SN_ALLOC(skin->spots, &body->allocator, 4 * spots, error);
    SN_ALLOC(skin->order, &body->allocator, spots, error);
    SN_ALLOC(skin->outside, &body->allocator, skin->outside_start[skin->voxel_count], error);
    fill_spots(points, skin, room, room + nodes, room + 2 * nodes);

done:
    sn_free(&body->allocator, room);
    return status;
}

SinewStatus sn_voxel_skin_create(const SnVoxelBody *body, SnVoxelPoints *points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC_ZERO(points->skin, &body->allocator, 1, error);
    SN_TRY(make_blocks(body, points, points->skin, error));
    SN_TRY(make_spots(body, points, points->skin, error));

done:
    return status;
}

// Places -----------------------------------------------------------------------------------------

typedef struct Showing {
    const SnVoxelBody *body;
    const SnVoxelPoints *points;
    double middle[3]; // m
    double *out;
} Showing;

static void block_range(void *context, int begin, int end, int worker)
{
    const Showing *job = context;
    const SnVoxelBody *body = job->body;
    const SnVoxelSkin *skin = job->points->skin;
    SnVoxelSites sites = {skin->blocks,           skin->block_cells,    body->lanes.planes,
                          body->system.rotations, body->system.centers, skin->lane_places};
    (void)worker;
    body->kernels->voxel->place(&sites, begin, end);
}

// Lanes have their shares already: the mean is a sum.
static void node_range(void *context, int begin, int end, int worker)
{
    const Showing *job = context;
    const SnVoxelSkin *skin = job->points->skin;
    SnVoxelVectors sums = {.start = job->points->site_start,
                           .corners = skin->lanes,
                           .out = skin->lane_places,
                           .q = skin->node_places};
    (void)worker;
    job->body->kernels->voxel->gather(&sums, begin, end);
}

static void voxel_range(void *context, int begin, int end, int worker)
{
    const Showing *job = context;
    const SnVoxelPoints *points = job->points;
    const SnVoxelSkin *skin = points->skin;
    SnVoxelShown shown = {skin->voxel_nodes, skin->spot_start, skin->spots, skin->order,
                          skin->node_places, job->middle,      job->out};
    (void)worker;
    job->body->kernels->voxel->show(&shown, begin, end);
    for (int o = skin->outside_start[begin]; o < skin->outside_start[end]; ++o) {
        size_t p = (size_t)skin->outside[o];
        const float *R = job->body->system.rotations + 9 * (size_t)points->cells[p];
        const double *d = points->offsets + 3 * p;
        for (size_t i = 0; i < 3; ++i) {
            job->out[3 * p + i] +=
                (double)R[3 * i] * d[0] + (double)R[3 * i + 1] * d[1] + (double)R[3 * i + 2] * d[2];
        }
    }
}

// The middle of the body, and centres of cells from it.
static void find_centers(Showing *job)
{
    const SnVoxelBody *body = job->body;
    const double *x = body->state.positions;
    double share = 1.0 / body->grid.vertex_count;
    for (size_t v = 0; v < (size_t)body->grid.vertex_count; ++v) {
        for (size_t i = 0; i < 3; ++i) {
            job->middle[i] += share * x[3 * v + i];
        }
    }
    for (size_t e = 0; e < (size_t)body->grid.cell_count; ++e) {
        const double *first = x + 3 * (size_t)body->grid.corners[8 * e];
        const float *mean = sn_voxel_planes(body, e) + SN_VOXEL_GROUP * SN_VOXEL_PLANE_MEAN;
        for (size_t i = 0; i < 3; ++i) {
            body->system.centers[3 * e + i] =
                (float)(first[i] - job->middle[i] + (double)mean[SN_VOXEL_GROUP * i]);
        }
    }
}

void sn_voxel_skin_place(const SnVoxelBody *body, const SnVoxelPoints *points, double *out_x)
{
    const SnVoxelSkin *skin = points->skin;
    Showing job = {.body = body, .points = points, .out = out_x};
    sn_voxel_lanes_pose(body, body->workers, body->state.positions, body->state.rotations,
                        SKIN_TURNS);
    find_centers(&job);
    sn_parallel_for(body->workers, skin->block_count, BLOCK_GRAIN, block_range, &job);
    sn_parallel_for(body->workers, points->node_count, NODE_GRAIN, node_range, &job);
    sn_parallel_for(body->workers, skin->voxel_count, VOXEL_GRAIN, voxel_range, &job);
}
