#include "scene/copies.h"

#include "world/motion.h"

#include <string.h>

// The line of a key of a body, or of the body where it does not have it.
static int line_of(const SinewScene *scene, const SnSceneBody *body, const char *key)
{
    int value = sn_yaml_find(&scene->yaml, body->item.node, key);
    return sn_yaml_node(&scene->yaml, value != SN_YAML_NONE ? value : body->item.node)->line;
}

static bool has_grid(const SnSceneBody *body)
{
    return body->grid.count[0] > 0;
}

// 1 for a body without copies.
static int64_t count_of(const SnSceneBody *body)
{
    if (has_grid(body)) {
        const int *n = body->grid.count;
        return (int64_t)n[0] * n[1] * n[2];
    }
    return body->copy_count > 0 ? body->copy_count : 1;
}

static SinewStatus count_all(const SinewScene *scene, int *out_count, SinewError *error)
{
    int64_t all = 0;
    for (int b = 0; b < scene->content.body_count; ++b) {
        const SnSceneBody *body = &scene->content.bodies[b];
        if (has_grid(body) && body->copy_count > 0) {
            return sn_yaml_fail(&scene->yaml, line_of(scene, body, "grid"), error,
                                "bodies.%d has both \"copies\" and \"grid\", expected one of them",
                                b);
        }
        all += count_of(body);
        if (all > SN_SCENE_BODIES_MAX) {
            return sn_yaml_fail(&scene->yaml,
                                line_of(scene, body, has_grid(body) ? "grid" : "copies"), error,
                                "bodies.%d makes it %lld bodies, expected at most %d", b,
                                (long long)all, SN_SCENE_BODIES_MAX);
        }
    }
    *out_count = (int)all;
    return SINEW_OK;
}

// How a copy stands to its body: turned where it stands, then moved.
static SinewPose pose_of(const SnSceneBody *body, int copy)
{
    if (!has_grid(body)) {
        return body->copies[copy];
    }
    const int *n = body->grid.count;
    const int place[3] = {copy % n[0], copy / n[0] % n[1], copy / n[0] / n[1]};
    SinewPose pose = body->grid.turn;
    pose.degrees *= copy;
    for (int k = 0; k < 3; ++k) {
        pose.translate[k] = place[k] * body->grid.spacing[k];
    }
    return pose;
}

static bool same_axis(const SinewPose *a, const SinewPose *b)
{
    return memcmp(a->axis, b->axis, sizeof a->axis) == 0;
}

// One turn after the other about one axis is one turn; about two axes it would need another.
static SinewStatus add_pose(const SinewScene *scene, const SnSceneBody *body, int index,
                            const SinewPose *copy, SinewPose *pose, SinewError *error)
{
    if (copy->degrees != 0.0 && pose->degrees != 0.0 && !same_axis(copy, pose)) {
        return sn_yaml_fail(&scene->yaml, line_of(scene, body, has_grid(body) ? "grid" : "copies"),
                            error,
                            "bodies.%d turns its copies about [%g, %g, %g] and its pose turns "
                            "about [%g, %g, %g], expected the same axis",
                            index, copy->axis[0], copy->axis[1], copy->axis[2], pose->axis[0],
                            pose->axis[1], pose->axis[2]);
    }
    if (copy->degrees != 0.0) {
        memcpy(pose->axis, copy->axis, sizeof pose->axis);
        pose->degrees += copy->degrees;
    }
    for (int k = 0; k < 3; ++k) {
        pose->translate[k] += copy->translate[k];
    }
    return SINEW_OK;
}

// What takes a copy's parts along.
typedef struct Way {
    SinewScene *scene;
    const SnSceneBody *body;
    int index;    // of the body in the text
    SnAffine map; // from the body's rest positions to the copy's
    bool is_turned;
} Way;

static SinewStatus move_region(const Way *way, SinewRegion *region, SinewError *error)
{
    if (region->kind == SINEW_REGION_BOX && way->is_turned) {
        return sn_yaml_fail(&way->scene->yaml,
                            line_of(way->scene, way->body, has_grid(way->body) ? "grid" : "copies"),
                            error,
                            "bodies.%d has a box in a \"within\" and copies that are turned, "
                            "expected a sphere, vertices or all, which turn with them",
                            way->index);
    }
    sn_affine_apply(&way->map, region->center, region->center);
    for (int k = 0; k < 3; ++k) {
        region->min[k] += way->map.m[4 * k + 3];
        region->max[k] += way->map.m[4 * k + 3];
    }
    return SINEW_OK;
}

// A list of its own for a copy.
static SinewStatus keep_list(const Way *way, void **list, int count, size_t size, SinewError *error)
{
    void *own = sn_keep_alloc(&way->scene->keep, (size_t)count, size, error);
    if (own == NULL) {
        return SINEW_ERROR_MEMORY;
    }
    if (count > 0) {
        memcpy(own, *list, (size_t)count * size);
    }
    *list = own;
    return SINEW_OK;
}

// Keys of a copy: what they turn about goes along, the axes are the world's.
static SinewStatus move_keys(const Way *way, SinewKey **keys, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(keep_list(way, (void **)keys, count, sizeof **keys, error));
    for (int k = 0; k < count; ++k) {
        sn_affine_apply(&way->map, (*keys)[k].about, (*keys)[k].about);
    }
done:
    return status;
}

static SinewStatus move_pins(const Way *way, SnSceneBody *copy, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(keep_list(way, (void **)&copy->pins, copy->pin_count, sizeof *copy->pins, error));
    for (int p = 0; p < copy->pin_count; ++p) {
        SnScenePin *pin = &copy->pins[p];
        SN_TRY(move_region(way, &pin->within, error));
        SN_TRY(move_keys(way, &pin->keys, pin->key_count, error));
    }
done:
    return status;
}

static SinewStatus move_attachments(const Way *way, SnSceneBody *copy, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(keep_list(way, (void **)&copy->attachments, copy->attachment_count,
                     sizeof *copy->attachments, error));
    for (int a = 0; a < copy->attachment_count; ++a) {
        SnSceneAttachment *attachment = &copy->attachments[a];
        double n[3];
        SN_TRY(move_region(way, &attachment->within, error));
        SN_TRY(move_keys(way, &attachment->keys, attachment->key_count, error));
        SN_TRY(keep_list(way, (void **)&attachment->points, attachment->point_count,
                         sizeof *attachment->points, error));
        for (int p = 0; p < attachment->point_count; ++p) {
            sn_affine_apply(&way->map, attachment->points[p].at, attachment->points[p].at);
        }
        for (int k = 0; k < 3; ++k) { // a direction: turned, not moved
            const double *row = way->map.m + 4 * k;
            const double *from = attachment->normal;
            n[k] = row[0] * from[0] + row[1] * from[1] + row[2] * from[2];
        }
        memcpy(attachment->normal, n, sizeof n);
    }
done:
    return status;
}

// Frames of the model `frames` stand at rest positions.
static SinewStatus move_frames(const Way *way, SnSceneBody *copy, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewFramesDef *frames = &copy->model.frames;
    SinewFrame *own = NULL;
    if (frames->frame_count == 0) {
        return SINEW_OK;
    }
    own = sn_keep_alloc(&way->scene->keep, (size_t)frames->frame_count, sizeof *own, error);
    SN_TRY(own != NULL ? SINEW_OK : SINEW_ERROR_MEMORY);
    memcpy(own, frames->frames, (size_t)frames->frame_count * sizeof *own);
    for (int f = 0; f < frames->frame_count; ++f) {
        sn_affine_apply(&way->map, own[f].at, own[f].at);
        SN_TRY(move_region(way, &own[f].rigid, error));
    }
    frames->frames = own;
done:
    return status;
}

static SinewStatus move_parts(const Way *way, SnSceneBody *copy, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(move_pins(way, copy, error));
    SN_TRY(move_attachments(way, copy, error));
    SN_TRY(move_frames(way, copy, error));
    SN_TRY(keep_list(way, (void **)&copy->loads, copy->load_count, sizeof *copy->loads, error));
    SN_TRY(
        keep_list(way, (void **)&copy->regions, copy->region_count, sizeof *copy->regions, error));
    for (int l = 0; l < copy->load_count; ++l) {
        SN_TRY(move_region(way, &copy->loads[l].within, error));
    }
    for (int r = 0; r < copy->region_count; ++r) {
        SN_TRY(move_region(way, &copy->regions[r].within, error));
    }
done:
    return status;
}

static SinewStatus make_copy(SinewScene *scene, const SnSceneBody *body, int index, int number,
                             SnSceneBody *copy, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewPose pose = pose_of(body, number);
    SnAffine from = sn_pose_map(&body->pose), back;
    char name[160];
    *copy = *body;
    snprintf(name, sizeof name, "%.120s.%d", body->name, number);
    copy->name = sn_keep_text(&scene->keep, NULL, name, error);
    SN_TRY(copy->name != NULL ? SINEW_OK : SINEW_ERROR_MEMORY);
    SN_TRY(add_pose(scene, body, index, &pose, &copy->pose, error));
    SnAffine to = sn_pose_map(&copy->pose);
    Way way = {.scene = scene, .body = body, .index = index, .is_turned = pose.degrees != 0.0};
    if (way.is_turned && sn_affine_invert(&from, &back)) {
        way.map = sn_affine_multiply(&to, &back);
    } else { // exactly, so that a copy that is not moved is the body
        way.map = sn_affine_identity();
        for (int k = 0; k < 3; ++k) {
            way.map.m[4 * k + 3] = pose.translate[k];
        }
    }
    SN_TRY(move_parts(&way, copy, error));
done:
    return status;
}

SinewStatus sn_copies_expand(SinewScene *scene, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSceneContent *content = &scene->content;
    int count = 0, made = 0;
    SN_TRY(count_all(scene, &count, error));
    SnSceneBody *bodies = sn_keep_alloc(&scene->keep, (size_t)count, sizeof *bodies, error);
    SN_TRY(bodies != NULL ? SINEW_OK : SINEW_ERROR_MEMORY);
    for (int b = 0; b < content->body_count; ++b) {
        const SnSceneBody *body = &content->bodies[b];
        bool is_copied = has_grid(body) || body->copy_count > 0;
        for (int c = 0; c < (int)count_of(body); ++c) {
            if (is_copied) {
                SN_TRY(make_copy(scene, body, b, c, &bodies[made], error));
            } else {
                bodies[made] = *body;
            }
            made += 1;
        }
    }
    content->bodies = bodies;
    content->body_count = count;
done:
    return status;
}
