#include "geometry/shape_def.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void copy_point(const double from[3], double to[3])
{
    memcpy(to, from, 3 * sizeof *to);
}

// Members of all shapes but blobs. False where the kind is none of them.
static bool fill_simple(const SinewShape *def, SnShape *out)
{
    switch (def->kind) {
    case SINEW_SHAPE_BOX:
        out->kind = SN_SHAPE_BOX;
        copy_point(def->min, out->box.min);
        copy_point(def->max, out->box.max);
        return true;
    case SINEW_SHAPE_SPHERE:
        out->kind = SN_SHAPE_SPHERE;
        copy_point(def->center, out->sphere.center);
        out->sphere.radius = def->radius;
        return true;
    case SINEW_SHAPE_ELLIPSOID:
        out->kind = SN_SHAPE_ELLIPSOID;
        copy_point(def->center, out->ellipsoid.center);
        copy_point(def->radii, out->ellipsoid.radii);
        return true;
    case SINEW_SHAPE_CAPSULE:
        out->kind = SN_SHAPE_CAPSULE;
        copy_point(def->from, out->capsule.from);
        copy_point(def->to, out->capsule.to);
        out->capsule.radius = def->radius;
        return true;
    case SINEW_SHAPE_CYLINDER:
        out->kind = SN_SHAPE_CYLINDER;
        copy_point(def->from, out->cylinder.from);
        copy_point(def->to, out->cylinder.to);
        out->cylinder.radius = def->radius;
        return true;
    case SINEW_SHAPE_CONE:
        out->kind = SN_SHAPE_CONE;
        copy_point(def->from, out->cone.from);
        copy_point(def->to, out->cone.to);
        out->cone.radius = def->radius;
        out->cone.top = def->top;
        return true;
    case SINEW_SHAPE_TORUS:
        out->kind = SN_SHAPE_TORUS;
        copy_point(def->center, out->torus.center);
        copy_point(def->axis, out->torus.axis);
        out->torus.radius = def->radius;
        out->torus.tube = def->tube;
        return true;
    default:
        return false;
    }
}

static SinewStatus refuse_kind(const SinewShape *def, const char *what, SinewError *error)
{
    switch (def->kind) {
    case SINEW_SHAPE_NONE:
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its shape is not said, expected one of box to blob", what);
    case SINEW_SHAPE_PLANE:
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its shape is a plane, which has no end, expected one of box to blob; "
                       "planes are for colliders",
                       what);
    case SINEW_SHAPE_MESH:
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its shape is a mesh, which is for colliders, expected one of box to "
                       "blob, or the surface given as such",
                       what);
    default:
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its shape is of kind %d, expected %d (box) to %d (blob)", what,
                       (int)def->kind, SINEW_SHAPE_BOX, SINEW_SHAPE_BLOB);
    }
}

// sn_shape_check with `what` before its sentence.
static SinewStatus check_named(const SnShape *shape, const char *what, SinewError *error)
{
    SinewError inner;
    if (sn_shape_check(shape, &inner) == SINEW_OK) {
        return SINEW_OK;
    }
    return sn_fail(error, inner.status, "%s: %s", what, inner.text);
}

// Parts one by one; each is named by its index.
static SinewStatus fill_parts(const SinewShape *def, const char *what, SnShape *parts,
                              SinewError *error)
{
    for (int i = 0; i < def->part_count; ++i) {
        char name[120];
        snprintf(name, sizeof name, "%.90s: part %d", what, i);
        memset(&parts[i], 0, sizeof parts[i]);
        SinewStatus status = SINEW_OK;
        if (def->parts[i].kind == SINEW_SHAPE_BLOB) {
            status = sn_fail(error, SINEW_ERROR_ARGUMENT,
                             "%s is a blob, expected one of box to torus", name);
        } else if (!fill_simple(&def->parts[i], &parts[i])) {
            status = refuse_kind(&def->parts[i], name, error);
        } else {
            status = check_named(&parts[i], name, error);
        }
        if (status < 0) {
            return status;
        }
    }
    return SINEW_OK;
}

static SinewStatus fill_blob(const SinewShape *def, const char *what,
                             const SinewAllocator *allocator, SnShape *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnShape *parts = NULL;
    if (def->part_count < 1 || def->parts == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: a blob of %d parts%s, expected at least one", what, def->part_count,
                       def->parts == NULL ? " at NULL" : "");
    }
    SN_ALLOC(parts, allocator, def->part_count, error);
    SN_TRY(fill_parts(def, what, parts, error));
    SnShape blob = {.kind = SN_SHAPE_BLOB, .blob = {parts, def->part_count, def->smooth}};
    SN_TRY(check_named(&blob, what, error));
    *out = blob;
    parts = NULL;
done:
    sn_free(allocator, parts);
    return status;
}

SinewStatus sn_shape_from_def(const SinewShape *def, const char *what,
                              const SinewAllocator *allocator, SnShape *out_shape,
                              SinewError *error)
{
    memset(out_shape, 0, sizeof *out_shape);
    if (def->kind == SINEW_SHAPE_BLOB) {
        return fill_blob(def, what, allocator, out_shape, error);
    }
    SnShape shape;
    memset(&shape, 0, sizeof shape);
    if (!fill_simple(def, &shape)) {
        return refuse_kind(def, what, error);
    }
    SinewStatus status = check_named(&shape, what, error);
    if (status == SINEW_OK) {
        *out_shape = shape;
    }
    return status;
}

void sn_shape_release(SnShape *shape, const SinewAllocator *allocator)
{
    if (shape->kind == SN_SHAPE_BLOB) {
        sn_free(allocator, (void *)(uintptr_t)shape->blob.parts);
    }
    memset(shape, 0, sizeof *shape);
}
