#include "world/held.h"

#include "base/union_find.h"
#include "geometry/region.h"
#include "world/attachment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Resultants below this share of the forces they are sums of are rounding: loads that balance.
#define BALANCED 1e-6

// Of a direction, less than this is rounding.
#define PARALLEL 1e-6

// Pieces ------------------------------------------------------------------------------------------

// Each piece by its lowest vertex.
static void find_pieces(const SinewBodyMesh *mesh, int *parent)
{
    sn_union_find_reset(parent, mesh->vertex_count);
    for (int i = 0; i < mesh->corners * mesh->element_count; ++i) {
        sn_union_find_join(parent, mesh->elements[i - i % mesh->corners], mesh->elements[i]);
    }
}

// Bit k: a pin holds the component k of the vertex.
static int pinned_axes(const SnBody *body, const SinewBodyMesh *mesh, int vertex)
{
    int axes = 0;
    for (size_t p = 0; p < body->pins.count && axes != 7; ++p) {
        const SnWorldPin *pin = SN_ITEMS(body->pins, SnWorldPin *)[p];
        int held = pin->axes[0] * 1 | pin->axes[1] * 2 | pin->axes[2] * 4;
        if (pin->points == NULL && (axes | held) != axes &&
            sn_region_holds(&pin->region, vertex, mesh->rest + 3 * (size_t)vertex)) {
            axes |= held;
        }
    }
    return axes;
}

int sn_body_find_loose(const SinewWorld *world, const SnBody *body)
{
    SinewBodyMesh mesh = body->model->mesh(body->state);
    size_t count = (size_t)mesh.vertex_count;
    int *parent = body->sum.count > 0 ? sn_alloc(&world->allocator, 2 * count, sizeof(int)) : NULL;
    int loose = -1;
    if (parent != NULL) {
        int *held = parent + count; // per piece, at its lowest vertex
        memset(held, 0, count * sizeof *held);
        find_pieces(&mesh, parent);
        for (int v = 0; v < mesh.vertex_count; ++v) {
            held[sn_union_find_root(parent, v)] |= pinned_axes(body, &mesh, v);
        }
        for (int v = 0; v < mesh.vertex_count && loose < 0; ++v) {
            loose = sn_union_find_root(parent, v) == v && held[v] == 0 ? v : -1;
        }
    }
    sn_free(&world->allocator, parent);
    return loose;
}

// Directions that are held ------------------------------------------------------------------------

// An orthonormal basis of rows, in 3 dimensions for translations or in 6 for rigid motions.
typedef struct Span {
    int dimension;
    int rank;
    double rows[6][6];
} Span;

// Takes away from `row` what the span holds of it; returns the length of what remains.
static double project_out(const Span *span, double *row)
{
    double square = 0.0;
    for (int pass = 0; pass < 2; ++pass) { // twice is enough against rounding
        for (int r = 0; r < span->rank; ++r) {
            double dot = 0.0;
            for (int k = 0; k < span->dimension; ++k) {
                dot += row[k] * span->rows[r][k];
            }
            for (int k = 0; k < span->dimension; ++k) {
                row[k] -= dot * span->rows[r][k];
            }
        }
    }
    for (int k = 0; k < span->dimension; ++k) {
        square += row[k] * row[k];
    }
    return sqrt(square);
}

// Adds a row to the span, unless it is a combination of those there.
static void span_add(Span *span, const double *row)
{
    double rest[6] = {0.0}, square = 0.0;
    for (int k = 0; k < span->dimension; ++k) {
        rest[k] = row[k];
        square += row[k] * row[k];
    }
    double length = project_out(span, rest);
    if (length > PARALLEL * sqrt(square)) {
        for (int k = 0; k < span->dimension; ++k) {
            span->rows[span->rank][k] = rest[k] / length;
        }
        span->rank += 1;
    }
}

// Where a body's rigid motions are measured: u(x) = v + w x r with r = (x - middle) / size.
typedef struct Frame {
    double middle[3];
    double size;
} Frame;

static Frame frame_of(const SinewBodyMesh *mesh)
{
    Frame frame = {.size = 0.0};
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < mesh->vertex_count; ++v) {
            low = fmin(low, mesh->rest[3 * (size_t)v + (size_t)k]);
            high = fmax(high, mesh->rest[3 * (size_t)v + (size_t)k]);
        }
        frame.middle[k] = 0.5 * (low + high);
        frame.size = fmax(frame.size, 0.5 * (high - low));
    }
    return frame;
}

// Holds the direction n at the rest position x: n . u(x) = n . v + w . (r x n).
static void hold(Span *span, const Frame *frame, const double *x, const double n[3])
{
    double r[3];
    for (int k = 0; k < 3; ++k) {
        r[k] = (x[k] - frame->middle[k]) / frame->size;
    }
    const double row[6] = {n[0],
                           n[1],
                           n[2],
                           r[1] * n[2] - r[2] * n[1],
                           r[2] * n[0] - r[0] * n[2],
                           r[0] * n[1] - r[1] * n[0]};
    span_add(span, row);
}

static const double AXES[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void hold_axes(Span *span, const Frame *frame, const double *x, const bool axes[3])
{
    for (int k = 0; k < 3; ++k) {
        if (axes[k]) {
            hold(span, frame, x, AXES[k]);
        }
    }
}

static void hold_pin(Span *span, const Frame *frame, const SinewBodyMesh *mesh,
                     const SnWorldPin *pin)
{
    for (int p = 0; p < pin->point_count && span->rank < span->dimension; ++p) {
        hold_axes(span, frame, pin->points + 3 * (size_t)p, pin->axes);
    }
    for (int v = 0; v < mesh->vertex_count && pin->points == NULL && span->rank < span->dimension;
         ++v) {
        const double *x = mesh->rest + 3 * (size_t)v;
        if (sn_region_holds(&pin->region, v, x)) {
            hold_axes(span, frame, x, pin->axes);
        }
    }
}

// What an attachment holds: its normal, or everything where it has none or pulls across it too.
static void hold_attachment(Span *span, const Frame *frame, const SnWorldAttachment *attachment)
{
    const double *n = attachment->normal;
    bool along = (n[0] != 0.0 || n[1] != 0.0 || n[2] != 0.0) && attachment->across == 0.0;
    const bool all[3] = {true, true, true};
    for (int p = 0; p < attachment->count && span->rank < span->dimension; ++p) {
        const double *x = attachment->rest + 3 * (size_t)p;
        if (along) {
            hold(span, frame, x, n);
        } else {
            hold_axes(span, frame, x, all);
        }
    }
}

// What pins and attachments of the whole body hold, in 3 or in 6 dimensions.
static Span held_span(const SnBody *body, const SinewBodyMesh *mesh, const Frame *frame,
                      int dimension)
{
    Span span = {.dimension = dimension};
    for (size_t p = 0; p < body->pins.count; ++p) {
        hold_pin(&span, frame, mesh, SN_ITEMS(body->pins, SnWorldPin *)[p]);
    }
    for (size_t a = 0; a < body->attachments.count; ++a) {
        hold_attachment(&span, frame, SN_ITEMS(body->attachments, SnWorldAttachment *)[a]);
    }
    return span;
}

// Words -------------------------------------------------------------------------------------------

// "x, y" of the axes that `is_free` marks; an empty text for none.
static void name_axes(const bool is_free[3], char *out_text, size_t size)
{
    size_t length = 0;
    out_text[0] = '\0';
    for (int k = 0; k < 3; ++k) {
        if (is_free[k] && length < size) {
            length += (size_t)snprintf(out_text + length, size - length, "%s%c",
                                       length > 0 ? ", " : "", 'x' + k);
        }
    }
}

// The rotations of the motions that the span leaves free: an orthonormal basis of their w.
static Span free_rotations(const Span *held)
{
    Span free_motions = *held, rotations = {.dimension = 3};
    for (int k = 0; k < 6; ++k) {
        double unit[6] = {0.0};
        unit[k] = 1.0;
        int rank = free_motions.rank;
        span_add(&free_motions, unit);
        if (free_motions.rank > rank) {
            const double *w = free_motions.rows[rank] + 3;
            if (fabs(w[0]) + fabs(w[1]) + fabs(w[2]) > PARALLEL) {
                span_add(&rotations, w);
            }
        }
    }
    return rotations;
}

// "z", or "[0.6, 0.8, 0]" where the one free axis is none of the three; empty: nothing may turn.
static void name_rotations(const Span *held, char *out_text, size_t size)
{
    Span rotations = free_rotations(held);
    bool is_free[3];
    for (int k = 0; k < 3; ++k) {
        double axis[3] = {AXES[k][0], AXES[k][1], AXES[k][2]};
        is_free[k] = rotations.rank > 0 && project_out(&rotations, axis) < PARALLEL;
    }
    name_axes(is_free, out_text, size);
    if (out_text[0] == '\0' && rotations.rank > 0) {
        const double *w = rotations.rows[0];
        snprintf(out_text, size, "[%.3g, %.3g, %.3g]", w[0], w[1], w[2]);
    }
}

bool sn_body_free_motions(const SnBody *body, char *out_text, size_t size)
{
    SinewBodyMesh mesh = body->model->mesh(body->state);
    Frame frame = frame_of(&mesh);
    Span span = held_span(body, &mesh, &frame, 6);
    char moves[16], turns[48];
    bool is_free[3];
    for (int k = 0; k < 3; ++k) {
        double motion[6] = {AXES[k][0], AXES[k][1], AXES[k][2]};
        is_free[k] = project_out(&span, motion) > 1.0 - PARALLEL;
    }
    name_axes(is_free, moves, sizeof moves);
    name_rotations(&span, turns, sizeof turns);
    bool both = moves[0] != '\0' && turns[0] != '\0';
    snprintf(out_text, size, "%s%s%s%s%s", moves[0] != '\0' ? "translation along " : "", moves,
             both ? " and " : "", turns[0] != '\0' ? "rotation about " : "", turns);
    return moves[0] != '\0' || turns[0] != '\0';
}

// Loads that work on what is free -----------------------------------------------------------------

// The resultant of weight and loads as 6 numbers that go with Frame, and the sum of their sizes.
typedef struct Resultant {
    double wrench[6];
    double size;
} Resultant;

static void add_force(Resultant *sum, const Frame *frame, const double *x, const double *f)
{
    double r[3];
    for (int k = 0; k < 3; ++k) {
        r[k] = (x[k] - frame->middle[k]) / frame->size;
        sum->wrench[k] += f[k];
    }
    sum->wrench[3] += r[1] * f[2] - r[2] * f[1];
    sum->wrench[4] += r[2] * f[0] - r[0] * f[2];
    sum->wrench[5] += r[0] * f[1] - r[1] * f[0];
    sum->size += sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
}

// `x` is workspace for where the points are.
static void add_load(Resultant *sum, const Frame *frame, const SnBody *body,
                     const SnWorldLoad *load, double *x)
{
    body->model->points_place(body->state, load->points, x, NULL);
    for (int p = 0; p < load->count; ++p) {
        add_force(sum, frame, x + 3 * (size_t)p, load->forces + 3 * (size_t)p);
    }
}

static void add_weight(Resultant *sum, const Frame *frame, const SinewWorld *world,
                       const SnBody *body, double scale, const double *x, int vertex)
{
    double f[3];
    for (int k = 0; k < 3; ++k) {
        f[k] = scale * world->gravity[k] * body->vertex_mass[vertex];
    }
    add_force(sum, frame, x, f);
}

static bool is_small_strain(const SnBody *body)
{
    bool linear = true;
    for (int m = 0; m <= body->table.region_count; ++m) {
        linear = linear && body->materials[m].law.kind == SN_LAW_LINEAR;
    }
    return linear;
}

// What of the resultant works on motions that the span leaves free; 0: nothing but rounding.
static double push_of(const Span *span, const Resultant *sum, double out_push[6])
{
    memcpy(out_push, sum->wrench, 6 * sizeof *out_push);
    double length = project_out(span, out_push);
    return length > BALANCED * sum->size ? length : 0.0;
}

// "along y", "about x, z" or both.
static void name_push(const Span *span, const double push[6], double length, char *out_text,
                      size_t size)
{
    bool moves[3], turns[3];
    char along[16], about[16];
    for (int k = 0; k < 3; ++k) {
        moves[k] = fabs(push[k]) > PARALLEL * length;
        turns[k] = span->dimension == 6 && fabs(push[3 + k]) > PARALLEL * length;
    }
    name_axes(moves, along, sizeof along);
    name_axes(turns, about, sizeof about);
    snprintf(out_text, size, "%s%s%s%s%s", along[0] != '\0' ? "along " : "", along,
             along[0] != '\0' && about[0] != '\0' ? " and " : "", about[0] != '\0' ? "about " : "",
             about);
}

// The resultant of all that pushes the body. `x` is workspace for the points of any load.
static Resultant sum_loads(const SinewWorld *world, const SnBody *body, const Frame *frame,
                           double gravity_scale, double *x)
{
    SinewBodyMesh mesh = body->model->mesh(body->state);
    Resultant sum = {{0.0}, 0.0};
    for (int v = 0; v < mesh.vertex_count; ++v) {
        add_weight(&sum, frame, world, body, gravity_scale, mesh.rest + 3 * (size_t)v, v);
    }
    for (size_t i = 0; i < body->loads.count; ++i) {
        add_load(&sum, frame, body, SN_ITEMS(body->loads, SnWorldLoad *)[i], x);
    }
    return sum;
}

// The body as one piece.
static SinewStatus check_whole(const SinewWorld *world, const SnBody *body, double gravity_scale,
                               double *x, SinewError *error)
{
    SinewBodyMesh mesh = body->model->mesh(body->state);
    Frame frame = frame_of(&mesh);
    Span span = held_span(body, &mesh, &frame, is_small_strain(body) ? 6 : 3);
    double push[6];
    char where[48], unheld[100];
    if (span.rank == span.dimension) {
        return SINEW_OK;
    }
    Resultant sum = sum_loads(world, body, &frame, gravity_scale, x);
    double length = push_of(&span, &sum, push);
    if (length == 0.0) {
        return SINEW_OK;
    }
    name_push(&span, push, length, where, sizeof where);
    sn_body_free_motions(body, unheld, sizeof unheld);
    return sn_fail(error, SINEW_ERROR_DIVERGED,
                   "body \"%s\" has no equilibrium: nothing holds it %s, and %.4g N push it "
                   "there; free are %s: pin or attach it, or put a collider in its way",
                   body->name, where, length, unheld);
}

// Each piece under its weight alone. `parent`: two numbers per vertex of workspace.
static SinewStatus check_pieces(const SinewWorld *world, const SnBody *body, int *parent,
                                SinewError *error)
{
    SinewBodyMesh mesh = body->model->mesh(body->state);
    int *held = parent + mesh.vertex_count; // per piece, at its lowest vertex
    int piece_count = 0, loose = -1;
    memset(held, 0, (size_t)mesh.vertex_count * sizeof *held);
    find_pieces(&mesh, parent);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        int root = sn_union_find_root(parent, v);
        piece_count += root == v ? 1 : 0;
        held[root] |= pinned_axes(body, &mesh, v);
    }
    bool pushed[3] = {false, false, false};
    for (int v = 0; v < mesh.vertex_count && loose < 0; ++v) {
        for (int k = 0; k < 3 && sn_union_find_root(parent, v) == v; ++k) {
            pushed[k] = world->gravity[k] != 0.0 && !(held[v] >> k & 1);
            loose = pushed[k] ? v : loose;
        }
    }
    if (piece_count == 1 || loose < 0) {
        return SINEW_OK;
    }
    char along[16];
    name_axes(pushed, along, sizeof along);
    return sn_fail_at(error, SINEW_ERROR_DIVERGED, loose,
                      "body \"%s\" has no equilibrium: it is in %d pieces, and no pin holds the "
                      "one with vertex %d along %s, where its weight pushes it",
                      body->name, piece_count, loose, along);
}

SinewStatus sn_body_check_held(const SinewWorld *world, const SnBody *body, double gravity_scale,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewBodyMesh mesh = body->model->mesh(body->state);
    size_t most = 0;
    bool holds_points = body->attachments.count > 0;
    double *x = NULL;
    int *parent = NULL;
    if (body->model->is_anchored) {
        return SINEW_OK;
    }
    for (size_t i = 0; i < body->loads.count; ++i) {
        size_t count = (size_t)SN_ITEMS(body->loads, SnWorldLoad *)[i]->count;
        most = count > most ? count : most;
    }
    for (size_t p = 0; p < body->pins.count; ++p) {
        holds_points = holds_points || SN_ITEMS(body->pins, SnWorldPin *)[p]->points != NULL;
    }
    SN_ALLOC(x, &world->allocator, 3 * most, error);
    SN_ALLOC(parent, &world->allocator, 2 * (size_t)mesh.vertex_count, error);
    SN_TRY(check_whole(world, body, gravity_scale, x, error));
    // Points belong to pieces that only the model knows.
    if (!holds_points && body->loads.count == 0 && gravity_scale > 0.0) {
        SN_TRY(check_pieces(world, body, parent, error));
    }
done:
    sn_free(&world->allocator, x);
    sn_free(&world->allocator, parent);
    return status;
}
