// Public shapes into those of the library, checked.
#include "world/body_plan.h"

#include "world/check.h"

#include <string.h>

static void copy3(double out[3], const double in[3])
{
    memcpy(out, in, 3 * sizeof(double));
}

// All but blobs.
static void convert_plain(const SinewShape *in, SnShape *out)
{
    switch (in->kind) {
    case SINEW_SHAPE_BOX:
        out->kind = SN_SHAPE_BOX;
        copy3(out->box.min, in->min);
        copy3(out->box.max, in->max);
        break;
    case SINEW_SHAPE_SPHERE:
        out->kind = SN_SHAPE_SPHERE;
        copy3(out->sphere.center, in->center);
        out->sphere.radius = in->radius;
        break;
    case SINEW_SHAPE_ELLIPSOID:
        out->kind = SN_SHAPE_ELLIPSOID;
        copy3(out->ellipsoid.center, in->center);
        copy3(out->ellipsoid.radii, in->radii);
        break;
    case SINEW_SHAPE_CAPSULE:
        out->kind = SN_SHAPE_CAPSULE;
        copy3(out->capsule.from, in->from);
        copy3(out->capsule.to, in->to);
        out->capsule.radius = in->radius;
        break;
    case SINEW_SHAPE_CYLINDER:
        out->kind = SN_SHAPE_CYLINDER;
        copy3(out->cylinder.from, in->from);
        copy3(out->cylinder.to, in->to);
        out->cylinder.radius = in->radius;
        break;
    case SINEW_SHAPE_CONE:
        out->kind = SN_SHAPE_CONE;
        copy3(out->cone.from, in->from);
        copy3(out->cone.to, in->to);
        out->cone.radius = in->radius;
        out->cone.top = in->top;
        break;
    default:
        out->kind = SN_SHAPE_TORUS;
        copy3(out->torus.center, in->center);
        copy3(out->torus.axis, in->axis);
        out->torus.radius = in->radius;
        out->torus.tube = in->tube;
        break;
    }
}

static bool is_plain(SinewShapeKind kind)
{
    return kind >= SINEW_SHAPE_BOX && kind <= SINEW_SHAPE_TORUS;
}

static SinewStatus convert_blob(const SinewShape *in, const char *what,
                                const SinewAllocator *allocator, SnShape *out, SnShape **out_parts,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_list(in->parts, in->part_count, what, "parts of the blob", error));
    for (int p = 0; p < in->part_count; ++p) {
        if (!is_plain(in->parts[p].kind)) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, p,
                              "%s: part %d of the blob has the kind %d%s, expected box to torus",
                              what, p, (int)in->parts[p].kind,
                              in->parts[p].kind == SINEW_SHAPE_BLOB ? ", a blob itself" : ""));
        }
    }
    SN_ALLOC(*out_parts, allocator, in->part_count, error);
    for (int p = 0; p < in->part_count; ++p) {
        convert_plain(&in->parts[p], &(*out_parts)[p]);
    }
    out->kind = SN_SHAPE_BLOB;
    out->blob.parts = *out_parts;
    out->blob.part_count = in->part_count;
    out->blob.smooth = in->smooth;
done:
    return status;
}

SinewStatus sn_shape_of_public(const SinewShape *shape, const char *what,
                               const SinewAllocator *allocator, SnShape *out_shape,
                               SnShape **out_parts, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_parts = NULL;
    if (is_plain(shape->kind)) {
        convert_plain(shape, out_shape);
    } else if (shape->kind == SINEW_SHAPE_BLOB) {
        SN_TRY(convert_blob(shape, what, allocator, out_shape, out_parts, error));
    } else {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its shape has the kind %d, expected box to blob", what,
                       (int)shape->kind));
    }
    SinewError inner;
    if (sn_shape_check(out_shape, &inner) < 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: %s", what, inner.text));
    }
done:
    return status;
}
