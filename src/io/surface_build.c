#include "io/surface_build.h"

#include "base/hash.h"
#include "geometry/polygon.h"

#include <string.h>

typedef struct GroupName {
    size_t at; // in the letters
    size_t length;
} GroupName;

SnSurfaceBuild sn_surface_build_of(const SinewAllocator *allocator)
{
    return (SnSurfaceBuild){
        .allocator = allocator,
        .positions = sn_array_of(allocator, sizeof(double)),
        .corners = sn_array_of(allocator, sizeof(int)),
        .face_sizes = sn_array_of(allocator, sizeof(int)),
        .face_groups = sn_array_of(allocator, sizeof(int)),
        .lines = sn_array_of(allocator, sizeof(int)),
        .names = sn_array_of(allocator, sizeof(GroupName)),
        .letters = sn_array_of(allocator, 1),
        .slots = sn_array_of(allocator, sizeof(int)),
        .group = -1,
    };
}

void sn_surface_build_release(SnSurfaceBuild *build)
{
    sn_array_release(&build->positions);
    sn_array_release(&build->corners);
    sn_array_release(&build->face_sizes);
    sn_array_release(&build->face_groups);
    sn_array_release(&build->lines);
    sn_array_release(&build->names);
    sn_array_release(&build->letters);
    sn_array_release(&build->slots);
}

// Copies `count` items to the end of an array that may hold `most` of them.
static SinewStatus append(SnArray *array, const void *items, size_t count, size_t most,
                          SinewError *error)
{
    if (array->count + count > most) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "the surface has more than %d vertices, triangles or lines",
                       SN_SURFACE_COUNT_MAX);
    }
    void *place = sn_array_add(array, count);
    if (place == NULL) {
        return sn_expect_memory(NULL, array->count + count, array->item_size, error);
    }
    memcpy(place, items, count * array->item_size);
    return SINEW_OK;
}

SinewStatus sn_surface_build_vertex(SnSurfaceBuild *build, const double position[3],
                                    SinewError *error)
{
    return append(&build->positions, position, 3, 3 * (size_t)SN_SURFACE_COUNT_MAX, error);
}

SinewStatus sn_surface_build_line(SnSurfaceBuild *build, int from, int to, SinewError *error)
{
    return append(&build->lines, (int[2]){from, to}, 2, 2 * (size_t)SN_SURFACE_COUNT_MAX, error);
}

SinewStatus sn_surface_build_face(SnSurfaceBuild *build, const int *corners, int count,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (count == 2) {
        return sn_surface_build_line(build, corners[0], corners[1], error);
    }
    if (count < 3) {
        return SINEW_OK;
    }
    if (build->group < 0) {
        SN_TRY(sn_surface_build_group(build, "", 0, false, error));
    }
    SN_TRY(
        append(&build->corners, corners, (size_t)count, 3 * (size_t)SN_SURFACE_COUNT_MAX, error));
    SN_TRY(append(&build->face_sizes, &count, 1, SN_SURFACE_COUNT_MAX, error));
    SN_TRY(append(&build->face_groups, &build->group, 1, SN_SURFACE_COUNT_MAX, error));
    build->largest_face = count > build->largest_face ? count : build->largest_face;
done:
    return status;
}

// The slot of a name: where it stands, or the empty one where it belongs. The table is never full.
static size_t find_slot(const SnSurfaceBuild *build, const char *name, size_t length)
{
    const int *slots = SN_ITEMS(build->slots, int);
    size_t mask = build->slots.count - 1;
    size_t slot = (size_t)sn_hash(SN_HASH_START, name, length) & mask;
    for (; slots[slot] >= 0; slot = (slot + 1) & mask) {
        const GroupName *group = SN_ITEMS(build->names, GroupName) + slots[slot];
        if (group->length == length &&
            (length == 0 ||
             memcmp(SN_ITEMS(build->letters, char) + group->at, name, length) == 0)) {
            break;
        }
    }
    return slot;
}

// Twice as many slots, at least 16, once half of them are taken.
static SinewStatus grow_slots(SnSurfaceBuild *build, SinewError *error)
{
    if (2 * build->names.count < build->slots.count) {
        return SINEW_OK;
    }
    SnArray slots = sn_array_of(build->allocator, sizeof(int));
    size_t count = build->slots.count < 8 ? 16 : 2 * build->slots.count;
    int *items = sn_array_add(&slots, count);
    if (items == NULL) {
        return sn_expect_memory(NULL, count, sizeof(int), error);
    }
    memset(items, 0xff, count * sizeof(int));
    sn_array_release(&build->slots);
    build->slots = slots;
    for (size_t group = 0; group < build->names.count; ++group) {
        const GroupName *name = SN_ITEMS(build->names, GroupName) + group;
        const char *letters = SN_ITEMS(build->letters, char);
        const char *text = letters != NULL ? letters + name->at : "";
        items[find_slot(build, text, name->length)] = (int)group;
    }
    return SINEW_OK;
}

SinewStatus sn_surface_build_group(SnSurfaceBuild *build, const char *name, size_t length,
                                   bool fresh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(grow_slots(build, error));
    size_t slot = find_slot(build, name, length);
    int *slots = SN_ITEMS(build->slots, int);
    if (slots[slot] >= 0 && !fresh) {
        build->group = slots[slot];
        return SINEW_OK;
    }
    GroupName group = {build->letters.count, length};
    SN_TRY(append(&build->letters, name, length, SIZE_MAX / 4, error));
    SN_TRY(append(&build->names, &group, 1, SN_SURFACE_COUNT_MAX, error));
    build->group = (int)build->names.count - 1;
    slots[slot] = build->group;
done:
    return status;
}

static SinewStatus copy_names(const SnSurfaceBuild *build, SnSurface *surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = build->names.count > 0 ? (int)build->names.count : 1;
    SN_TRY(sn_names_reset(&surface->names, count, build->allocator, error));
    for (size_t group = 0; group < build->names.count; ++group) {
        const GroupName *name = SN_ITEMS(build->names, GroupName) + group;
        if (name->length > 0) {
            SN_TRY(sn_names_set(&surface->names, (int)group,
                                SN_ITEMS(build->letters, char) + name->at, name->length,
                                build->allocator, error));
        }
    }
done:
    return status;
}

// Replaces the corners and groups of the faces by those of the triangles they are cut into.
static SinewStatus cut_faces(SnSurfaceBuild *build, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnArray triangles = sn_array_of(build->allocator, sizeof(int));
    SnArray groups = sn_array_of(build->allocator, sizeof(int));
    int *scratch = NULL;
    const int *sizes = SN_ITEMS(build->face_sizes, int);
    const int *corners = SN_ITEMS(build->corners, int);
    size_t count = build->corners.count - 2 * build->face_sizes.count;
    int *triangle = sn_array_add(&triangles, 3 * count);
    SN_TRY(sn_expect_memory(triangle, 3 * count, sizeof(int), error));
    int *group = sn_array_add(&groups, count);
    SN_TRY(sn_expect_memory(group, count, sizeof(int), error));
    SN_ALLOC(scratch, build->allocator, 2 * (size_t)build->largest_face, error);
    for (size_t face = 0; face < build->face_sizes.count; ++face) {
        sn_polygon_cut(SN_ITEMS(build->positions, double), corners, sizes[face], scratch, triangle);
        corners += sizes[face];
        triangle += 3 * ((size_t)sizes[face] - 2);
        for (int i = 2; i < sizes[face]; ++i) {
            *group++ = SN_ITEMS(build->face_groups, int)[face];
        }
    }
    sn_array_release(&build->corners);
    sn_array_release(&build->face_groups);
    build->corners = triangles;
    build->face_groups = groups;
    triangles = sn_array_of(build->allocator, sizeof(int));
    groups = sn_array_of(build->allocator, sizeof(int));
done:
    sn_array_release(&triangles);
    sn_array_release(&groups);
    sn_free(build->allocator, scratch);
    return status;
}

SinewStatus sn_surface_build_finish(SnSurfaceBuild *build, SnSurface **out_surface,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    const SinewAllocator *allocator = build->allocator;
    *out_surface = NULL;
    if (build->largest_face > 3) {
        SN_TRY(cut_faces(build, error));
    }
    SN_ALLOC_ZERO(surface, allocator, 1, error);
    SN_TRY(copy_names(build, surface, error));
    surface->vertex_count = sn_surface_build_vertex_count(build);
    surface->triangle_count = (int)(build->corners.count / 3);
    surface->line_count = (int)(build->lines.count / 2);
    surface->positions = sn_array_take(&build->positions);
    SN_TRY(sn_expect_memory(surface->positions, 0, sizeof(double), error));
    surface->triangles = sn_array_take(&build->corners);
    SN_TRY(sn_expect_memory(surface->triangles, 0, sizeof(int), error));
    surface->groups = sn_array_take(&build->face_groups);
    SN_TRY(sn_expect_memory(surface->groups, 0, sizeof(int), error));
    surface->lines = sn_array_take(&build->lines);
    SN_TRY(sn_expect_memory(surface->lines, 0, sizeof(int), error));
    *out_surface = surface;
    surface = NULL;
done:
    sn_surface_destroy(surface, allocator);
    sn_surface_build_release(build);
    return status;
}
