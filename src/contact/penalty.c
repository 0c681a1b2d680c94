#include "contact/penalty.h"

#include "contact/touch_record.h"
#include "geometry/point.h"

#include <math.h>
#include <string.h>

struct SnPenalty {
    SinewAllocator allocator;
    int point_count;
    int collider_count;
    double *areas; // m^2

    SnTouchRecord record; // what the last step left behind

    // Of the step under way.
    SnTouchList held; // anchors carried to the end of the step, and N n as it is held
    double *origin;   // m, xyz a point: where it began
    SnCollider *const *colliders;
    double stiffness;   // Pa/m
    double tolerance;   // of friction, relative
    int *listed;        // points that may feel a force, ascending
    int listed_count;   // -1: all may
    double *clearances; // m, workspace: per point
    int passes;         // solves done
    double change;      // at the last renewal, relative
};

enum {
    PUSH_GRAIN = 64, // points whose forces are evaluated at once when a step ends
    LIST_GRAIN = 256 // points whose clearances are found at once then
};

// Creation ---------------------------------------------------------------------------------------

SinewStatus sn_penalty_create(const double *areas, int point_count, const SinewAllocator *allocator,
                              SnPenalty **out_penalty, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPenalty *penalty = NULL;
    *out_penalty = NULL;
    SN_ASSERT(point_count >= 0);
    SN_ALLOC_ZERO(penalty, allocator, 1, error);
    penalty->allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    penalty->point_count = point_count;
    SN_ALLOC(penalty->areas, allocator, point_count, error);
    SN_ALLOC(penalty->origin, allocator, 3 * (size_t)point_count, error);
    SN_ALLOC(penalty->listed, allocator, point_count, error);
    SN_ALLOC(penalty->clearances, allocator, point_count, error);
    penalty->listed_count = -1;
    penalty->tolerance = SN_PENALTY_TOLERANCE;
    if (point_count > 0) {
        memcpy(penalty->areas, areas, (size_t)point_count * sizeof *areas);
    }
    *out_penalty = penalty;
    penalty = NULL;
done:
    sn_penalty_destroy(penalty);
    return status;
}

void sn_penalty_destroy(SnPenalty *penalty)
{
    if (penalty == NULL) {
        return;
    }
    SinewAllocator allocator = penalty->allocator;
    sn_touch_list_release(&penalty->held, &allocator);
    sn_touch_record_release(&penalty->record, &allocator);
    sn_free(&allocator, penalty->origin);
    sn_free(&allocator, penalty->listed);
    sn_free(&allocator, penalty->clearances);
    sn_free(&allocator, penalty->areas);
    sn_free(&allocator, penalty);
}

// Room for so many colliders and touches. What is recorded is kept where the number of colliders
// does not change. When it fails, nothing has changed.
static SinewStatus make_room(SnPenalty *penalty, int collider_count, size_t room, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &penalty->allocator;
    SnTouchRecord record = {0};
    SnTouchList held = {0};
    size_t twice = collider_count == penalty->collider_count ? 2 * penalty->record.room : 0;
    SN_TRY(sn_touch_record_create(penalty->point_count, collider_count, room > twice ? room : twice,
                                  allocator, &record, error));
    SN_TRY(sn_touch_list_create(collider_count, record.room, allocator, &held, error));
    if (collider_count == penalty->collider_count) {
        sn_touch_record_copy(&penalty->record, &record);
    }
    sn_touch_record_release(&penalty->record, allocator);
    sn_touch_list_release(&penalty->held, allocator);
    penalty->record = record;
    penalty->held = held;
    penalty->collider_count = collider_count;
    record = (SnTouchRecord){0};
    held = (SnTouchList){0};
done:
    sn_touch_record_release(&record, allocator);
    sn_touch_list_release(&held, allocator);
    return status;
}

SinewStatus sn_penalty_reserve(SnPenalty *penalty, int collider_count, SinewError *error)
{
    SN_ASSERT(collider_count >= 0);
    return collider_count == penalty->collider_count ? SINEW_OK
                                                     : make_room(penalty, collider_count, 0, error);
}

SinewStatus sn_penalty_grow(SnPenalty *penalty, size_t count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t most = (size_t)penalty->point_count * (size_t)penalty->collider_count;
    size_t room = count > penalty->record.needed ? count : penalty->record.needed;
    room = room < most ? room : most;
    if (room > penalty->record.room) {
        SN_TRY(make_room(penalty, penalty->collider_count, room, error));
    }
    penalty->record.needed = 0;
done:
    return status;
}

bool sn_penalty_is_short(const SnPenalty *penalty)
{
    return penalty->record.needed > penalty->record.room;
}

SinewStatus sn_penalty_carry(const SnPenalty *from, const int *source, SnPenalty *to,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_penalty_grow(to, sn_touch_record_carried(&from->record, source, &to->record), error));
    sn_touch_record_carry(&from->record, from->areas, source, to->areas, &to->record);
done:
    return status;
}

// A step -----------------------------------------------------------------------------------------

static bool is_pressing(const double press[3])
{
    return press[0] != 0.0 || press[1] != 0.0 || press[2] != 0.0;
}

void sn_penalty_begin(SnPenalty *penalty, SnCollider *const *colliders, int collider_count,
                      double stiffness, const double *x)
{
    SN_ASSERT(collider_count == penalty->collider_count);
    penalty->colliders = colliders;
    penalty->stiffness = stiffness;
    penalty->passes = 0;
    penalty->change = 0.0;
    penalty->record.needed = 0;
    penalty->listed_count = -1;
    if (penalty->point_count > 0) {
        memcpy(penalty->origin, x, 3 * (size_t)penalty->point_count * sizeof *x);
    }
    sn_touch_list_clear(&penalty->held);
    for (int c = 0; c < collider_count; ++c) {
        const SnTouch *end = sn_touch_list_end(&penalty->record.touches, c);
        const SnTouch *before = sn_touch_list_from(&penalty->record.touches, c, 0);
        for (; before < end; ++before) {
            SnTouch now = {.point = before->point};
            sn_collider_turn(colliders[c], before->press, now.press);
            sn_collider_carry(colliders[c], before->anchor, now.anchor);
            sn_touch_list_add(&penalty->held, &now);
        }
        sn_touch_list_close(&penalty->held, c);
    }
}

// A point that touched when the step began keeps its anchor; any other has it where it was then:
// what it slides within the step counts.
static void find_anchor(const SnPenalty *penalty, int c, int p, double out[3])
{
    const SnTouch *before = sn_touch_list_find(&penalty->record.touches, c, p);
    const double *anchor = before != NULL ? before->anchor : penalty->origin + 3 * (size_t)p;
    sn_collider_carry(penalty->colliders[c], anchor, out);
}

// N n of a point at x; zero where it is outside.
static void press_at(const SnPenalty *penalty, int c, int p, const double x[3], double out[3])
{
    double normal[3];
    double depth = sn_collider_depth(penalty->colliders[c], x, normal);
    double strength = penalty->stiffness * penalty->areas[p] * depth;
    for (int k = 0; k < 3; ++k) {
        out[k] = depth > 0.0 ? strength * normal[k] : 0.0;
    }
}

// Adds the normal force with its energy and stiffness.
static void add_normal(const SnCollider *collider, double k, const double x[3], SnPointForce *out)
{
    double n[3];
    double depth = sn_collider_depth(collider, x, n);
    if (!(depth > 0.0)) {
        return;
    }
    out->energy += 0.5 * k * depth * depth;
    for (int i = 0; i < 3; ++i) {
        out->force[i] += k * depth * n[i];
        for (int j = 0; j < 3; ++j) {
            out->stiffness[3 * i + j] += k * (n[i] * n[j]);
        }
    }
}

// The offset of x from the anchor across the normal n; returns its length.
static double slip_of(const double anchor[3], const double n[3], const double x[3], double out[3])
{
    double offset[3];
    sn_point_minus(x, anchor, offset);
    sn_point_along(offset, -sn_point_dot(offset, n), n, out);
    return sn_point_length(out);
}

// Adds friction: Huber's function of the offset, a spring up to the limit, then constant.
static void add_friction(const SnTouch *contact, double friction, double k, const double x[3],
                         SnPointForce *out)
{
    double normal_force = sn_point_length(contact->press);
    double limit = friction * normal_force;
    if (!(limit > 0.0)) {
        return;
    }
    double n[3], offset[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = contact->press[i] / normal_force;
    }
    double slip = slip_of(contact->anchor, n, x, offset);
    bool is_sliding = k * slip > limit;
    double secant = is_sliding ? limit / slip : k; // the force is that times the offset
    out->energy += is_sliding ? limit * (slip - 0.5 * limit / k) : 0.5 * k * slip * slip;
    for (int i = 0; i < 3; ++i) {
        out->force[i] -= secant * offset[i];
        for (int j = 0; j < 3; ++j) {
            double across = (i == j) - n[i] * n[j];
            // Once it slides, the force no longer grows along the offset.
            double along = is_sliding ? offset[i] / slip * (offset[j] / slip) : 0.0;
            out->stiffness[3 * i + j] += secant * (across - along);
        }
    }
}

// Some points: `count` of a list, or, without one, from `begin` on.
typedef struct Points {
    const int *list; // ascending; NULL: none
    int begin;
    int count;
} Points;

static size_t point_of(const Points *points, int i)
{
    return (size_t)(points->list != NULL ? points->list[i] : points->begin + i);
}

// All that may feel a force.
static Points points_of(const SnPenalty *penalty)
{
    bool is_listed = penalty->listed_count >= 0;
    return (Points){is_listed ? penalty->listed : NULL, 0,
                    is_listed ? penalty->listed_count : penalty->point_count};
}

// A ball around points. Plain comparisons: fmin and fmax are calls.
typedef struct Ball {
    double center[3]; // m
    double radius;    // m
} Ball;

static Ball ball_around(const Points *points, const double *x)
{
    Ball ball = {.radius = 0.0};
    double low[3], high[3];
    if (points->count <= 0) {
        return ball;
    }
    memcpy(low, x + 3 * point_of(points, 0), sizeof low);
    memcpy(high, low, sizeof high);
    for (int i = 1; i < points->count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            double v = x[3 * point_of(points, i) + k];
            low[k] = v < low[k] ? v : low[k];
            high[k] = v > high[k] ? v : high[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        ball.center[k] = 0.5 * (low[k] + high[k]);
        ball.radius += (high[k] - ball.center[k]) * (high[k] - ball.center[k]);
    }
    ball.radius = sqrt(ball.radius);
    return ball;
}

// True: no point of the ball is in the collider. Bodies are near few of the colliders of a world.
static bool is_clear(const SnPenalty *penalty, int c, const Ball *ball)
{
    return sn_collider_clears(penalty->colliders[c], ball->center, ball->radius);
}

// Adds forces at the points `points` - first to out, which is indexed as they are, or, where it is
// packed, by their order. Touches that are held are among the points.
static void add_forces(const SnPenalty *penalty, const Points *points, int first, const double *x,
                       bool is_packed, SnPointForce *out)
{
    if (points->count <= 0) {
        return;
    }
    Ball ball = ball_around(points, x);
    int low = (int)point_of(points, 0) - first;
    int high = (int)point_of(points, points->count - 1) - first;
    for (int c = 0; c < penalty->collider_count; ++c) {
        const SnCollider *collider = penalty->colliders[c];
        double friction = sn_collider_friction(collider);
        bool clear = is_clear(penalty, c, &ball);
        for (int i = 0; i < points->count && !clear; ++i) {
            size_t p = point_of(points, i);
            double k = penalty->stiffness * penalty->areas[p - (size_t)first];
            add_normal(collider, k, x + 3 * p, &out[is_packed ? (size_t)i : p]);
        }
        const SnTouch *last = sn_touch_list_end(&penalty->held, c);
        const SnTouch *held = sn_touch_list_from(&penalty->held, c, low);
        for (int i = 0; held < last && held->point <= high; ++held) {
            size_t p = (size_t)(held->point + first);
            double k = penalty->stiffness * penalty->areas[held->point];
            while (point_of(points, i) < p) {
                ++i;
            }
            add_friction(held, friction, k, x + 3 * p, &out[is_packed ? (size_t)i : p]);
        }
    }
}

void sn_penalty_evaluate(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    Points points = {NULL, begin, end - begin};
    memset(out, 0, (size_t)(end - begin) * sizeof *out);
    add_forces(context, &points, 0, x, true, out);
}

void sn_penalty_evaluate_listed(const SnPenalty *penalty, const int *points, int count, int first,
                                const double *x, SnPointForce *out)
{
    Points listed = {points, 0, count};
    for (int i = 0; i < count; ++i) {
        out[points[i]] = (SnPointForce){0};
    }
    add_forces(penalty, &listed, first, x, false, out);
}

// Points that may touch --------------------------------------------------------------------------

// Lower bounds of the distances of points from all colliders, zero where friction holds a point.
// Of a collider that is farther than the points are from each other, one bound does for all.
static void find_clearances(const SnPenalty *penalty, const Points *points, int first,
                            const double *x, double *out)
{
    Ball ball = ball_around(points, x);
    double least = INFINITY;
    for (int i = 0; i < points->count; ++i) {
        out[point_of(points, i)] = INFINITY;
    }
    for (int c = 0; c < penalty->collider_count; ++c) {
        const SnCollider *collider = penalty->colliders[c];
        double bound = sn_collider_clearance(collider, ball.center) - 1.000001 * ball.radius;
        bool is_far = bound > ball.radius;
        least = is_far && bound < least ? bound : least;
        for (int i = 0; i < points->count && !is_far; ++i) {
            size_t p = point_of(points, i);
            double clearance = sn_collider_clearance(collider, x + 3 * p);
            out[p] = clearance < out[p] ? clearance : out[p];
        }
        const SnTouch *last = sn_touch_list_end(&penalty->held, c);
        const SnTouch *held =
            sn_touch_list_from(&penalty->held, c, (int)point_of(points, 0) - first);
        int high = (int)point_of(points, points->count - 1) - first;
        for (; held < last && held->point <= high; ++held) {
            out[held->point + first] = -INFINITY;
        }
    }
    for (int i = 0; i < points->count; ++i) {
        size_t p = point_of(points, i);
        out[p] = out[p] < least ? out[p] : least;
    }
}

void sn_penalty_clearances(const SnPenalty *penalty, const int *points, int count, int first,
                           const double *x, double *out)
{
    Points listed = {points, 0, count};
    if (count > 0) {
        find_clearances(penalty, &listed, first, x, out);
    }
}

void sn_penalty_select(SnPenalty *penalty, const int *points, int count, int first)
{
    for (int i = 0; i < count; ++i) {
        penalty->listed[i] = points[i] - first;
    }
    penalty->listed_count = count;
}

// Those that touch at x or did, of all points: for the end of a step.
static void select_touching(SnPenalty *penalty, const double *x)
{
    int count = 0;
    for (int begin = 0; begin < penalty->point_count; begin += LIST_GRAIN) {
        int left = penalty->point_count - begin;
        Points points = {NULL, begin, left < LIST_GRAIN ? left : LIST_GRAIN};
        find_clearances(penalty, &points, 0, x, penalty->clearances);
        for (int p = begin; p < begin + points.count; ++p) {
            if (!(penalty->clearances[p] > 0.0)) {
                penalty->listed[count++] = p;
            }
        }
    }
    penalty->listed_count = count;
}

// Friction ---------------------------------------------------------------------------------------

// Sums of what N n is and by how much it differs from what was held, of colliders with friction.
static void compare(const SnPenalty *penalty, const double *x, double *out_sum, double *out_change)
{
    Points points = points_of(penalty);
    Ball ball = ball_around(&points, x);
    *out_sum = 0.0;
    *out_change = 0.0;
    for (int c = 0; c < penalty->collider_count; ++c) {
        double friction = sn_collider_friction(penalty->colliders[c]);
        const SnTouch *last = sn_touch_list_end(&penalty->held, c);
        const SnTouch *held = sn_touch_list_from(&penalty->held, c, 0);
        bool clear = is_clear(penalty, c, &ball);
        bool none = friction <= 0.0 || (clear && held == last);
        for (int i = 0; !none && i < points.count; ++i) {
            int p = (int)point_of(&points, i);
            double press[3] = {0.0, 0.0, 0.0};
            double before[3] = {0.0, 0.0, 0.0};
            if (!clear) {
                press_at(penalty, c, p, x + 3 * (size_t)p, press);
            }
            if (held < last && held->point == p) {
                memcpy(before, held->press, sizeof before);
                ++held;
            }
            *out_sum += friction * sn_point_length(press);
            *out_change += friction * sqrt(sn_point_distance_squared(press, before));
        }
    }
}

// Holds N n of the points at x.
static void hold(SnPenalty *penalty, const double *x)
{
    Points points = points_of(penalty);
    Ball ball = ball_around(&points, x);
    sn_touch_list_clear(&penalty->held);
    for (int c = 0; c < penalty->collider_count; ++c) {
        bool clear = is_clear(penalty, c, &ball);
        for (int i = 0; !clear && i < points.count; ++i) {
            int p = (int)point_of(&points, i);
            SnTouch now = {.point = p};
            press_at(penalty, c, p, x + 3 * (size_t)p, now.press);
            if (is_pressing(now.press)) {
                find_anchor(penalty, c, p, now.anchor);
                sn_touch_list_add(&penalty->held, &now);
            }
        }
        sn_touch_list_close(&penalty->held, c);
    }
    if (penalty->held.count > penalty->record.needed) {
        penalty->record.needed = penalty->held.count;
    }
}

bool sn_penalty_renew(void *context, const double *x)
{
    SnPenalty *penalty = context;
    double sum = 0.0;
    double change = 0.0;
    compare(penalty, x, &sum, &change);
    // Where nothing presses any more, friction that was held is all wrong.
    penalty->change = change > 0.0 ? change / fmax(sum, 0.5 * change) : 0.0;
    penalty->passes++;
    if (penalty->change <= penalty->tolerance || penalty->passes >= SN_PENALTY_PASSES) {
        return false; // what was held stays, since it is what the solve was made with
    }
    hold(penalty, x);
    return true;
}

void sn_penalty_set_tolerance(SnPenalty *penalty, double tolerance)
{
    penalty->tolerance = tolerance;
}

double sn_penalty_change(const SnPenalty *penalty)
{
    return penalty->change;
}

// What is left of a point that is at x, in contact: its anchor as it was, or drawn after the point
// until the spring is no stronger than friction allows.
static void settle(const SnPenalty *penalty, int c, const double x[3], SnTouch *touch)
{
    int p = (int)touch->point;
    double k = penalty->stiffness * penalty->areas[p];
    double normal_force = sn_point_length(touch->press);
    double limit = sn_collider_friction(penalty->colliders[c]) * normal_force;
    double n[3], offset[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = touch->press[i] / normal_force;
    }
    find_anchor(penalty, c, p, touch->anchor);
    double slip = slip_of(touch->anchor, n, x, offset);
    if (k * slip > limit) {
        sn_point_along(x, -limit / (k * slip), offset, touch->anchor);
    }
}

// Records the forces on the points and adds them up.
static void push_points(SnPenalty *penalty, const double *x, double out_force[3])
{
    SnPointForce forces[PUSH_GRAIN];
    Points all = points_of(penalty);
    memset(out_force, 0, 3 * sizeof *out_force);
    penalty->record.push_count = 0;
    for (int begin = 0; begin < all.count; begin += PUSH_GRAIN) {
        int left = all.count - begin;
        Points some = {all.list + begin, 0, left < PUSH_GRAIN ? left : PUSH_GRAIN};
        memset(forces, 0, sizeof forces);
        add_forces(penalty, &some, 0, x, true, forces);
        for (int i = 0; i < some.count; ++i) {
            if (is_pressing(forces[i].force)) {
                sn_touch_record_push(&penalty->record, some.list[i], forces[i].force);
                sn_point_along(out_force, 1.0, forces[i].force, out_force);
            }
        }
    }
}

// The touches of points at x, made where what was held is no longer wanted, take the place of those
// that the step began with.
static void renew_touches(SnPenalty *penalty, const double *x)
{
    hold(penalty, x);
    for (int c = 0; c < penalty->collider_count; ++c) {
        const SnTouch *end = sn_touch_list_end(&penalty->held, c);
        size_t first = c > 0 ? (size_t)penalty->held.end[c - 1] : 0;
        for (SnTouch *touch = penalty->held.touches + first; touch < end; ++touch) {
            settle(penalty, c, x + 3 * touch->point, touch);
        }
    }
    SnTouchList before = penalty->record.touches;
    penalty->record.touches = penalty->held;
    penalty->held = before;
}

void sn_penalty_end(SnPenalty *penalty, const double *x, double out_force[3], int *out_contacts)
{
    select_touching(penalty, x);
    push_points(penalty, x, out_force);
    renew_touches(penalty, x);
    *out_contacts = sn_touch_list_count_points(&penalty->record.touches);
}

void sn_penalty_force(const SnPenalty *penalty, int point, double out_force[3])
{
    const SnPush *push = sn_touch_record_find(&penalty->record, point);
    for (int k = 0; k < 3; ++k) {
        out_force[k] = push != NULL ? push->force[k] : 0.0;
    }
}

// State ------------------------------------------------------------------------------------------

size_t sn_penalty_state_size(const SnPenalty *penalty)
{
    return sn_touch_record_size(&penalty->record);
}

size_t sn_penalty_state_size_max(const SnPenalty *penalty)
{
    return sn_touch_record_size_max(&penalty->record);
}

void sn_penalty_save(const SnPenalty *penalty, void *bytes)
{
    sn_touch_record_save(&penalty->record, bytes);
}

bool sn_penalty_fits(const SnPenalty *penalty, const void *bytes, size_t size, size_t *out_size,
                     size_t *out_room)
{
    return sn_touch_record_fits(&penalty->record, bytes, size, out_size, out_room);
}

void sn_penalty_restore(SnPenalty *penalty, const void *bytes)
{
    sn_touch_record_restore(&penalty->record, bytes);
}
