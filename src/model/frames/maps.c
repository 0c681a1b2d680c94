#include "model/frames/maps.h"

#include "io/volume.h"

#include <math.h>
#include <string.h>

enum { POINTS_PER_EDGE = 4 }; // of a cube, at which the image is looked at

// A corner of a cube and its three edges.
static void span_of(const SnHexMesh *mesh, int cell, double corner[3], double edges[9])
{
    const int *corners = mesh->hexes + 8 * (size_t)cell;
    memcpy(corner, mesh->positions + 3 * (size_t)corners[0], 3 * sizeof *corner);
    for (int n = 0; n < 9; ++n) {
        edges[n] = mesh->positions[3 * corners[4 >> n / 3] + n % 3] - corner[n % 3];
    }
}

static double mean_over(const SnVolume *image, const SnHexMesh *mesh, int cell)
{
    double corner[3], edges[9], sum = 0.0;
    const int count = POINTS_PER_EDGE * POINTS_PER_EDGE * POINTS_PER_EDGE;
    span_of(mesh, cell, corner, edges);
    for (int n = 0; n < count; ++n) {
        const int at[3] = {n % POINTS_PER_EDGE, n / POINTS_PER_EDGE % POINTS_PER_EDGE,
                           n / POINTS_PER_EDGE / POINTS_PER_EDGE};
        double X[3];
        for (int k = 0; k < 3; ++k) {
            X[k] = corner[k];
            for (int a = 0; a < 3; ++a) {
                X[k] += edges[3 * a + k] * (at[a] + 0.5) / POINTS_PER_EDGE;
            }
        }
        sum += fmax(0.0, (double)sn_volume_at(image, X));
    }
    return sum / count;
}

// Multiplies the factors of all cubes by those of an image, where there is one.
static SinewStatus read_map(const SnModelDef *def, const SnFramesGrid *grid, const char *path,
                            double **factors, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = grid->cubes.mesh;
    SnVolume image = {0};
    bool is_first = *factors == NULL;

    if (path == NULL) {
        return SINEW_OK;
    }
    SN_TRY(sn_volume_read(path, def->allocator, &image, error));
    if (is_first) {
        SN_ALLOC(*factors, def->allocator, mesh->hex_count, error);
    }
    for (int e = 0; e < mesh->hex_count; ++e) {
        (*factors)[e] = mean_over(&image, mesh, e) * (is_first ? 1.0 : (*factors)[e]);
    }

done:
    sn_volume_release(&image, def->allocator);
    return status;
}

// Vertices that a cube still has keep their order.
static void drop_vertices(SnHexMesh *mesh, int *places)
{
    int kept = 0;
    memset(places, 0, (size_t)mesh->vertex_count * sizeof *places);
    for (int i = 0; i < 8 * mesh->hex_count; ++i) {
        places[mesh->hexes[i]] = 1;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (places[v] == 1) {
            memmove(mesh->positions + 3 * (size_t)kept, mesh->positions + 3 * (size_t)v,
                    3 * sizeof *mesh->positions);
            places[v] = kept++;
        }
    }
    for (int i = 0; i < 8 * mesh->hex_count; ++i) {
        mesh->hexes[i] = places[mesh->hexes[i]];
    }
    mesh->vertex_count = kept;
}

static SinewStatus drop_empty(const SnModelDef *def, SnFramesGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnHexMesh *mesh = grid->cubes.mesh;
    int *places = NULL, kept = 0, count = mesh->hex_count;

    SN_ALLOC(places, def->allocator, mesh->vertex_count, error);
    for (int e = 0; e < count; ++e) {
        if (grid->stiffness[e] > 0.0) {
            grid->stiffness[kept] = grid->stiffness[e];
            if (grid->density != NULL) {
                grid->density[kept] = grid->density[e];
            }
            memmove(mesh->hexes + 8 * (size_t)kept, mesh->hexes + 8 * (size_t)e,
                    8 * sizeof *mesh->hexes);
            memmove(grid->cubes.places + 3 * (size_t)kept, grid->cubes.places + 3 * (size_t)e,
                    3 * sizeof *grid->cubes.places);
            kept += 1;
        }
    }
    if (kept == 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": the image \"%.140s\" is 0 in all %d cells, expected some of "
                       "the body in it",
                       def->name, def->options->frames.image, count));
    }
    mesh->hex_count = kept;
    drop_vertices(mesh, places);

done:
    sn_free(def->allocator, places);
    return status;
}

static SinewStatus check_density(const SnModelDef *def, const SnFramesGrid *grid, SinewError *error)
{
    for (int e = 0; e < grid->cubes.mesh->hex_count; ++e) {
        if (!(grid->density[e] > 0.0)) {
            double X[3];
            sn_frames_grid_middle(grid, e, X);
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, e,
                              "body \"%s\": the density image \"%.140s\" is 0 around (%g, %g, %g), "
                              "expected more where the body is",
                              def->name, def->options->frames.density_image, X[0], X[1], X[2]);
        }
    }
    return SINEW_OK;
}

SinewStatus sn_frames_maps_take(const SnModelDef *def, SnFramesGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewFramesDef *options = &def->options->frames;

    SN_TRY(read_map(def, grid, options->image, &grid->stiffness, error));
    SN_TRY(read_map(def, grid, options->density_image, &grid->density, error));
    if (options->image != NULL) {
        SN_TRY(drop_empty(def, grid, error));
    }
    if (options->density_image != NULL) {
        SN_TRY(check_density(def, grid, error));
    }

done:
    return status;
}
