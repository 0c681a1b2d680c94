#include "model/frames/place.h"

#include "geometry/point.h"
#include "model/frames/arrange.h"
#include "model/frames/skeleton.h"

#include <math.h>
#include <string.h>

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

SinewStatus sn_frames_place(const SnModelDef *def, const SnFramesGrid *grid, int count,
                            SnFramePlaces *places, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewFramesDef *options = &def->options->frames;
    int vertices = grid->cubes.mesh->vertex_count;

    *places = (SnFramePlaces){0};
    if (options->skeleton != NULL) {
        return sn_skeleton_place(def, grid, places, error);
    }
    if (options->frame_count == 0) {
        return sn_frames_arrange(def, grid, count, places, error);
    }
    if (options->frame_count > vertices) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": %d frames are given for the %d vertices of its cells, "
                       "expected fewer frames or more cells",
                       def->name, options->frame_count, vertices);
    }
    places->count = options->frame_count;
    SN_ALLOC(places->origins, def->allocator, 3 * (size_t)places->count, error);
    SN_TRY(place_given(def, places, error));

done:
    return status;
}

void sn_frame_places_release(SnFramePlaces *places, const SinewAllocator *allocator)
{
    sn_free(allocator, places->origins);
    sn_free(allocator, places->parents);
    *places = (SnFramePlaces){0};
}
