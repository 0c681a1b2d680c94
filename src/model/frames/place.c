#include "model/frames/place.h"

#include "geometry/point.h"
#include "model/frames/geodesic.h"
#include "model/frames/skeleton.h"

#include <math.h>
#include <string.h>

// Placed frames go to the middle of what is within this share of the way to the nearest other.
#define CENTER_SHARE 0.35

static double distance_between(const double *a, const double *b)
{
    return sqrt(sn_point_distance_squared(a, b));
}

double sn_frames_spacing(const SnFramesGrid *grid, const double *origins, int count, int frame)
{
    double least = grid->size;
    for (int i = 0; i < count; ++i) {
        if (i != frame) {
            least = fmin(least, distance_between(origins + 3 * i, origins + 3 * frame));
        }
    }
    return least;
}

// From a tip to the middle of what is around it.
static SinewStatus center_frame(const SnFramesGrid *grid, int vertex, double reach,
                                const SinewAllocator *allocator, double out[3], SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int vertices = grid->cubes.mesh->vertex_count;
    double *distances = NULL, mass = 0.0, sum[3] = {0.0, 0.0, 0.0};

    SN_ALLOC(distances, allocator, vertices, error);
    for (int v = 0; v < vertices; ++v) {
        distances[v] = v == vertex ? 0.0 : INFINITY;
    }
    SN_TRY(sn_geodesic_spread(grid, allocator, distances, error));
    for (int v = 0; v < vertices; ++v) {
        if (distances[v] <= reach) {
            mass += grid->masses[v];
            for (int k = 0; k < 3; ++k) {
                sum[k] += grid->masses[v] * grid->cubes.mesh->positions[3 * v + k];
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = sum[k] / mass;
    }

done:
    sn_free(allocator, distances);
    return status;
}

static SinewStatus place_far(const SnModelDef *def, const SnFramesGrid *grid, int count,
                             double *origins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *vertices = NULL;
    double *tips = NULL;

    SN_ALLOC(vertices, def->allocator, count, error);
    SN_ALLOC(tips, def->allocator, 3 * (size_t)count, error);
    SN_TRY(sn_geodesic_farthest(grid, count, def->allocator, vertices, error));
    for (int i = 0; i < count; ++i) {
        memcpy(tips + 3 * i, grid->cubes.mesh->positions + 3 * (size_t)vertices[i],
               3 * sizeof *tips);
    }
    for (int i = 0; i < count; ++i) {
        double reach =
            count > 1 ? CENTER_SHARE * sn_frames_spacing(grid, tips, count, i) : 2.0 * grid->size;
        SN_TRY(center_frame(grid, vertices[i], reach, def->allocator, origins + 3 * i, error));
    }

done:
    sn_free(def->allocator, vertices);
    sn_free(def->allocator, tips);
    return status;
}

static SinewStatus place_given(const SnModelDef *def, SnFramePlaces *places, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewFramesDef *options = &def->options->frames;
    bool bones = false;
    for (int i = 0; i < places->count; ++i) {
        memcpy(places->origins + 3 * i, options->frames[i].at, 3 * sizeof *places->origins);
        bones = bones || options->frames[i].parent1 > 0;
    }
    if (bones) {
        SN_ALLOC(places->parents, def->allocator, places->count, error);
        for (int i = 0; i < places->count; ++i) {
            places->parents[i] = options->frames[i].parent1 - 1;
        }
    }

done:
    return status;
}

SinewStatus sn_frames_place(const SnModelDef *def, const SnFramesGrid *grid, SnFramePlaces *places,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewFramesDef *options = &def->options->frames;
    int count = options->frame_count > 0 ? options->frame_count : options->count;
    int vertices = grid->cubes.mesh->vertex_count;

    *places = (SnFramePlaces){0};
    if (options->skeleton != NULL) {
        return sn_skeleton_place(def, grid, places, error);
    }
    if (options->frame_count > vertices) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": %d frames are given for the %d vertices of its cells, "
                       "expected fewer frames or more cells",
                       def->name, options->frame_count, vertices);
    }
    count = count < vertices ? count : vertices;
    places->count = count;
    SN_ALLOC(places->origins, def->allocator, 3 * (size_t)count, error);
    if (options->frame_count > 0) {
        SN_TRY(place_given(def, places, error));
    } else {
        SN_TRY(place_far(def, grid, count, places->origins, error));
    }

done:
    return status;
}

void sn_frame_places_release(SnFramePlaces *places, const SinewAllocator *allocator)
{
    sn_free(allocator, places->origins);
    sn_free(allocator, places->parents);
    *places = (SnFramePlaces){0};
}
