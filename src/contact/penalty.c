#include "contact/penalty.h"

#include "geometry/point.h"

#include <math.h>
#include <string.h>

// What a step leaves behind of one point and one collider. All zero: not in contact.
typedef struct Contact {
    double anchor[3]; // m, where the friction spring ends, at the end of the last step
    double press[3];  // N, normal force times normal; zero: not in contact
} Contact;

struct SnPenalty {
    SinewAllocator allocator;
    int point_count;
    int collider_count;
    double *areas;     // m^2
    double *forces;    // N, xyz a point, at the end of the last step
    Contact *contacts; // of collider c and point p at [c point_count + p]

    // Of the step under way.
    int *held;        // points of a collider with N n that is not zero
    Contact *working; // anchors carried to the end of the step, and N n as it is held
    SnCollider *const *colliders;
    double stiffness; // Pa/m
    int passes;       // solves done
    double change;    // at the last renewal, relative
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
    SN_ALLOC_ZERO(penalty->forces, allocator, 3 * (size_t)point_count, error);
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
    sn_free(&allocator, penalty->held);
    sn_free(&allocator, penalty->working);
    sn_free(&allocator, penalty->contacts);
    sn_free(&allocator, penalty->forces);
    sn_free(&allocator, penalty->areas);
    sn_free(&allocator, penalty);
}

SinewStatus sn_penalty_reserve(SnPenalty *penalty, int collider_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &penalty->allocator;
    Contact *contacts = NULL;
    Contact *working = NULL;
    int *held = NULL;
    SN_ASSERT(collider_count >= 0);
    if (collider_count == penalty->collider_count) {
        return SINEW_OK;
    }
    size_t count = (size_t)penalty->point_count * (size_t)collider_count;
    SN_ALLOC_ZERO(contacts, allocator, count, error);
    SN_ALLOC_ZERO(working, allocator, count, error);
    SN_ALLOC_ZERO(held, allocator, collider_count, error);
    sn_free(allocator, penalty->contacts);
    sn_free(allocator, penalty->working);
    sn_free(allocator, penalty->held);
    penalty->contacts = contacts;
    penalty->working = working;
    penalty->held = held;
    penalty->collider_count = collider_count;
    contacts = working = NULL;
    held = NULL;
done:
    sn_free(allocator, held);
    sn_free(allocator, working);
    sn_free(allocator, contacts);
    return status;
}

void sn_penalty_carry(const SnPenalty *from, const int *source, SnPenalty *to)
{
    SN_ASSERT(from->collider_count == to->collider_count);
    for (int p = 0; p < to->point_count; ++p) {
        int old = source[p];
        double area = old >= 0 ? from->areas[old] : 0.0;
        double share = area > 0.0 ? to->areas[p] / area : 0.0;
        for (size_t k = 0; k < 3 && old >= 0; ++k) {
            to->forces[3 * (size_t)p + k] = share * from->forces[3 * (size_t)old + k];
        }
        for (int c = 0; c < to->collider_count && old >= 0; ++c) {
            Contact *out = &to->contacts[(size_t)c * (size_t)to->point_count + (size_t)p];
            *out = from->contacts[(size_t)c * (size_t)from->point_count + (size_t)old];
            for (int k = 0; k < 3; ++k) {
                out->press[k] *= share;
            }
        }
    }
}

// A step -----------------------------------------------------------------------------------------

static bool is_touching(const Contact *contact)
{
    const double *f = contact->press;
    return f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0;
}

// A point in contact keeps its anchor; any other would have it where it is now, should it come into
// contact in this step: what it slides within the step counts.
void sn_penalty_begin(SnPenalty *penalty, SnCollider *const *colliders, int collider_count,
                      double stiffness, const double *x)
{
    SN_ASSERT(collider_count == penalty->collider_count);
    penalty->colliders = colliders;
    penalty->stiffness = stiffness;
    penalty->passes = 0;
    penalty->change = 0.0;
    for (int c = 0; c < collider_count; ++c) {
        size_t first = (size_t)c * (size_t)penalty->point_count;
        penalty->held[c] = 0;
        for (int p = 0; p < penalty->point_count; ++p) {
            const Contact *before = &penalty->contacts[first + (size_t)p];
            Contact *now = &penalty->working[first + (size_t)p];
            sn_collider_turn(colliders[c], before->press, now->press);
            penalty->held[c] += is_touching(now);
            const double *anchor = is_touching(before) ? before->anchor : x + 3 * (size_t)p;
            sn_collider_carry(colliders[c], anchor, now->anchor);
        }
    }
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
static void add_friction(const Contact *contact, double friction, double k, const double x[3],
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

// A ball around the points [begin, end). Plain comparisons: fmin and fmax are calls.
typedef struct Ball {
    double center[3]; // m
    double radius;    // m
} Ball;

static Ball ball_around(int begin, int end, const double *x)
{
    Ball ball = {.radius = 0.0};
    double low[3], high[3];
    if (begin >= end) {
        return ball;
    }
    memcpy(low, x + 3 * (size_t)begin, sizeof low);
    memcpy(high, low, sizeof high);
    for (size_t p = (size_t)begin + 1; p < (size_t)end; ++p) {
        for (size_t k = 0; k < 3; ++k) {
            double v = x[3 * p + k];
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

void sn_penalty_evaluate(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    const SnPenalty *penalty = context;
    Ball ball = ball_around(begin, end, x);
    memset(out, 0, (size_t)(end - begin) * sizeof *out);
    for (int c = 0; c < penalty->collider_count; ++c) {
        const SnCollider *collider = penalty->colliders[c];
        const Contact *working = penalty->working + (size_t)c * (size_t)penalty->point_count;
        double friction = sn_collider_friction(collider);
        bool clear = is_clear(penalty, c, &ball);
        for (int p = begin; p < end && (!clear || penalty->held[c] > 0); ++p) {
            double k = penalty->stiffness * penalty->areas[p];
            if (!clear) {
                add_normal(collider, k, x + 3 * (size_t)p, &out[p - begin]);
            }
            if (is_touching(&working[p])) {
                add_friction(&working[p], friction, k, x + 3 * (size_t)p, &out[p - begin]);
            }
        }
    }
}

// Sums of what N n is and by how much it differs from what was held, of colliders with friction.
static void compare(const SnPenalty *penalty, const double *x, double *out_sum, double *out_change)
{
    Ball ball = ball_around(0, penalty->point_count, x);
    *out_sum = 0.0;
    *out_change = 0.0;
    for (int c = 0; c < penalty->collider_count; ++c) {
        double friction = sn_collider_friction(penalty->colliders[c]);
        size_t first = (size_t)c * (size_t)penalty->point_count;
        bool clear = is_clear(penalty, c, &ball);
        bool none = friction <= 0.0 || (clear && penalty->held[c] == 0);
        for (int p = 0; !none && p < penalty->point_count; ++p) {
            double press[3] = {0.0, 0.0, 0.0};
            if (!clear) {
                press_at(penalty, c, p, x + 3 * (size_t)p, press);
            }
            double square =
                sn_point_distance_squared(press, penalty->working[first + (size_t)p].press);
            *out_sum += friction * sn_point_length(press);
            *out_change += friction * sqrt(square);
        }
    }
}

// Holds N n of the points at x.
static void hold(SnPenalty *penalty, const double *x)
{
    Ball ball = ball_around(0, penalty->point_count, x);
    for (int c = 0; c < penalty->collider_count; ++c) {
        size_t first = (size_t)c * (size_t)penalty->point_count;
        bool clear = is_clear(penalty, c, &ball);
        bool none = clear && penalty->held[c] == 0;
        penalty->held[c] = 0;
        for (int p = 0; !none && p < penalty->point_count; ++p) {
            Contact *now = &penalty->working[first + (size_t)p];
            memset(now->press, 0, sizeof now->press);
            if (!clear) {
                press_at(penalty, c, p, x + 3 * (size_t)p, now->press);
            }
            penalty->held[c] += is_touching(now);
        }
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
    if (penalty->change <= SN_PENALTY_TOLERANCE || penalty->passes >= SN_PENALTY_PASSES) {
        return false; // what was held stays, since it is what the solve was made with
    }
    hold(penalty, x);
    return true;
}

double sn_penalty_change(const SnPenalty *penalty)
{
    return penalty->change;
}

// The anchor of a point that is at x: as it was, or drawn after the point until the spring is no
// stronger than friction allows.
static void settle(const SnPenalty *penalty, int c, int p, const double x[3], Contact *contact)
{
    size_t index = (size_t)c * (size_t)penalty->point_count + (size_t)p;
    memset(contact, 0, sizeof *contact);
    press_at(penalty, c, p, x, contact->press);
    if (!is_touching(contact)) {
        return;
    }
    double k = penalty->stiffness * penalty->areas[p];
    double normal_force = sn_point_length(contact->press);
    double limit = sn_collider_friction(penalty->colliders[c]) * normal_force;
    double n[3], offset[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = contact->press[i] / normal_force;
        contact->anchor[i] = penalty->working[index].anchor[i];
    }
    double slip = slip_of(contact->anchor, n, x, offset);
    if (k * slip > limit) {
        sn_point_along(x, -limit / (k * slip), offset, contact->anchor);
    }
}

void sn_penalty_end(SnPenalty *penalty, const double *x, double out_force[3], int *out_contacts)
{
    int contacts = 0;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int p = 0; p < penalty->point_count; ++p) {
        SnPointForce force;
        bool is_in_contact = false;
        sn_penalty_evaluate(penalty, p, p + 1, x, &force);
        for (int k = 0; k < 3; ++k) {
            penalty->forces[3 * (size_t)p + (size_t)k] = force.force[k];
            sum[k] += force.force[k];
        }
        for (int c = 0; c < penalty->collider_count; ++c) {
            Contact *contact =
                &penalty->contacts[(size_t)c * (size_t)penalty->point_count + (size_t)p];
            settle(penalty, c, p, x + 3 * (size_t)p, contact);
            is_in_contact = is_in_contact || is_touching(contact);
        }
        contacts += is_in_contact;
    }
    memcpy(out_force, sum, sizeof sum);
    *out_contacts = contacts;
}

void sn_penalty_force(const SnPenalty *penalty, int point, double out_force[3])
{
    memcpy(out_force, penalty->forces + 3 * (size_t)point, 3 * sizeof *out_force);
}

// State ------------------------------------------------------------------------------------------

static size_t forces_size(const SnPenalty *penalty)
{
    return 3 * (size_t)penalty->point_count * sizeof *penalty->forces;
}

static size_t contacts_size(const SnPenalty *penalty)
{
    return (size_t)penalty->point_count * (size_t)penalty->collider_count *
           sizeof *penalty->contacts;
}

size_t sn_penalty_state_size(const SnPenalty *penalty)
{
    return forces_size(penalty) + contacts_size(penalty);
}

void sn_penalty_save(const SnPenalty *penalty, void *bytes)
{
    memcpy(bytes, penalty->forces, forces_size(penalty));
    if (contacts_size(penalty) > 0) {
        memcpy((char *)bytes + forces_size(penalty), penalty->contacts, contacts_size(penalty));
    }
}

void sn_penalty_restore(SnPenalty *penalty, const void *bytes)
{
    memcpy(penalty->forces, bytes, forces_size(penalty));
    if (contacts_size(penalty) > 0) {
        memcpy(penalty->contacts, (const char *)bytes + forces_size(penalty),
               contacts_size(penalty));
    }
}
