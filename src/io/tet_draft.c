#include "io/tet_draft.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SnTetDraft sn_tet_draft_of(const char *path, const SinewAllocator *allocator)
{
    return (SnTetDraft){.allocator = allocator,
                        .path = path,
                        .positions = sn_array_of(allocator, sizeof(double)),
                        .tets = sn_array_of(allocator, sizeof(int)),
                        .tet_regions = sn_array_of(allocator, sizeof(int)),
                        .regions = sn_array_of(allocator, sizeof(SnTetDraftRegion)),
                        .region_map = sn_tag_map_of(allocator)};
}

// Whether an int can still number `more` items after `count`.
static SinewStatus check_count(const SnTetDraft *draft, size_t count, int64_t more,
                               const char *what, SinewError *error)
{
    if (more < 0 || more > INT_MAX / 4 - (int64_t)count) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.120s: has %" PRId64 " %s or more, expected at most %d", draft->path, more,
                       what, INT_MAX / 4);
    }
    return SINEW_OK;
}

SinewStatus sn_tet_draft_add_vertices(SnTetDraft *draft, int64_t count, double **out_positions,
                                      SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_count(draft, draft->positions.count / 3, count, "vertices", error));
    *out_positions = sn_array_add(&draft->positions, 3 * (size_t)count);
    SN_TRY(sn_expect_memory(*out_positions, 3 * (size_t)count, sizeof(double), error));
done:
    return status;
}

SinewStatus sn_tet_draft_add_tets(SnTetDraft *draft, int64_t count, int **out_tets,
                                  int **out_regions, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_count(draft, draft->tet_regions.count, count, "tets", error));
    *out_tets = sn_array_add(&draft->tets, 4 * (size_t)count);
    SN_TRY(sn_expect_memory(*out_tets, 4 * (size_t)count, sizeof(int), error));
    *out_regions = sn_array_add(&draft->tet_regions, (size_t)count);
    SN_TRY(sn_expect_memory(*out_regions, (size_t)count, sizeof(int), error));
done:
    return status;
}

SinewStatus sn_tet_draft_region(SnTetDraft *draft, int64_t tag, int64_t shown_tag, int *out_region,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int region = sn_tag_map_find(&draft->region_map, tag);
    if (region < 0) {
        region = draft->region_map.count;
        SnTetDraftRegion fresh = {.tag = tag, .shown_tag = shown_tag};
        SN_TRY(sn_array_push(&draft->regions, &fresh, error));
        SN_TRY(sn_tag_map_add(&draft->region_map, tag, error));
    }
    *out_region = region;
done:
    return status;
}

SinewStatus sn_tet_draft_name(SnTetDraft *draft, int64_t tag, const char *text, size_t length,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int region;
    char *name = NULL;
    SN_TRY(sn_tet_draft_region(draft, tag, tag, &region, error));
    SnTetDraftRegion *named = &SN_ITEMS(draft->regions, SnTetDraftRegion)[region];
    if (named->name == NULL) {
        SN_ALLOC(name, draft->allocator, length + 1, error);
        memcpy(name, text, length);
        name[length] = '\0';
        named->name = name;
    }
done:
    return status;
}

// --- Finishing

static void turn_tets(const SnTetMesh *mesh, SnTetReport *report)
{
    for (int t = 0; t < mesh->tet_count; ++t) {
        double volume = sn_tet_mesh_volume(mesh, t);
        if (volume < 0.0) {
            int *corner = mesh->tets + 4 * (size_t)t;
            int third = corner[2];
            corner[2] = corner[3];
            corner[3] = third;
            report->flipped_tets++;
        }
        report->flat_tets += volume == 0.0;
    }
}

// Drops the vertices that no tet uses; the others keep their order.
static SinewStatus drop_unused(SnTetMesh *mesh, const SinewAllocator *allocator,
                               SnTetReport *report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *place = NULL; // first whether a vertex is used, then where it goes
    SN_ALLOC_ZERO(place, allocator, mesh->vertex_count, error);
    size_t corner_count = 4 * (size_t)mesh->tet_count;
    for (size_t i = 0; i < corner_count; ++i) {
        place[mesh->tets[i]] = 1;
    }
    int kept = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (place[v] != 0) {
            memmove(mesh->positions + 3 * (size_t)kept, mesh->positions + 3 * (size_t)v,
                    3 * sizeof(double));
            place[v] = kept++;
        }
    }
    report->unused_vertices = mesh->vertex_count - kept;
    if (kept < mesh->vertex_count) {
        for (size_t i = 0; i < corner_count; ++i) {
            mesh->tets[i] = place[mesh->tets[i]];
        }
        mesh->vertex_count = kept;
    }
done:
    sn_free(allocator, place);
    return status;
}

typedef struct Order {
    int64_t tag;
    int region;
} Order;

static int compare_tags(const void *a, const void *b)
{
    int64_t left = ((const Order *)a)->tag;
    int64_t right = ((const Order *)b)->tag;
    return (left > right) - (left < right);
}

// The name of a region as the file gave it, or its tag, where there is more than one to tell apart.
static SinewStatus set_name(const SnTetDraft *draft, const SnTetDraftRegion *region, int part,
                            SnTetMesh *mesh, SinewError *error)
{
    char text[32] = "";
    if (region->name == NULL && draft->regions.count > 1) {
        snprintf(text, sizeof text, "%" PRId64, region->shown_tag);
    }
    const char *name = region->name != NULL ? region->name : text;
    return sn_names_set(&mesh->names, part, name, strlen(name), draft->allocator, error);
}

// Regions by rising tag, so that a file read and written again keeps them.
static SinewStatus order_regions(const SnTetDraft *draft, SnTetMesh *mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Order *order = NULL;
    int *place = NULL;
    int count = (int)draft->regions.count;
    const SnTetDraftRegion *regions = SN_ITEMS(draft->regions, SnTetDraftRegion);
    SN_ALLOC(order, draft->allocator, count, error);
    SN_ALLOC(place, draft->allocator, count, error);
    bool is_ordered = true;
    for (int r = 0; r < count; ++r) {
        order[r] = (Order){regions[r].tag, r};
        is_ordered = is_ordered && (r == 0 || order[r - 1].tag < order[r].tag);
    }
    if (!is_ordered) {
        qsort(order, (size_t)count, sizeof *order, compare_tags);
    }
    SN_TRY(sn_names_reset(&mesh->names, count, draft->allocator, error));
    for (int part = 0; part < count; ++part) {
        place[order[part].region] = part;
        SN_TRY(set_name(draft, &regions[order[part].region], part, mesh, error));
    }
    for (int t = 0; t < mesh->tet_count && !is_ordered; ++t) {
        mesh->regions[t] = place[mesh->regions[t]];
    }
done:
    sn_free(draft->allocator, order);
    sn_free(draft->allocator, place);
    return status;
}

SinewStatus sn_tet_draft_finish(SnTetDraft *draft, SnTetMesh **out_mesh, SnTetReport *out_report,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    SnTetReport report = {.skipped_elements = draft->skipped};
    *out_mesh = NULL;

    if (draft->tet_regions.count == 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_FILE,
                       "%.120s: has no tetrahedra (%" PRId64
                       " other elements), expected at least one",
                       draft->path, draft->skipped));
    }
    SN_ALLOC_ZERO(mesh, draft->allocator, 1, error);
    mesh->vertex_count = sn_tet_draft_vertex_count(draft);
    mesh->tet_count = (int)draft->tet_regions.count;
    // There are tets, so there are corners, and none of the three is empty.
    mesh->positions = sn_array_take(&draft->positions);
    mesh->tets = sn_array_take(&draft->tets);
    mesh->regions = sn_array_take(&draft->tet_regions);
    turn_tets(mesh, &report);
    SN_TRY(drop_unused(mesh, draft->allocator, &report, error));
    SN_TRY(order_regions(draft, mesh, error));
    if (out_report != NULL) {
        *out_report = report;
    }
    *out_mesh = mesh;
    mesh = NULL;

done:
    sn_tet_mesh_destroy(mesh, draft->allocator);
    return status;
}

void sn_tet_draft_release(SnTetDraft *draft)
{
    for (size_t r = 0; r < draft->regions.count; ++r) {
        sn_free(draft->allocator, SN_ITEMS(draft->regions, SnTetDraftRegion)[r].name);
    }
    sn_array_release(&draft->positions);
    sn_array_release(&draft->tets);
    sn_array_release(&draft->tet_regions);
    sn_array_release(&draft->regions);
    sn_tag_map_release(&draft->region_map);
}
