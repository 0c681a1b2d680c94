#include "geometry/region.h"
#include "math/mat3.h"
#include "model/lattice/body.h"

#include <string.h>

static const char AXIS_NAMES[] = "xyz";

void sn_lattice_pins_release(SnLatticePins *pins, const SinewAllocator *allocator)
{
    sn_free(allocator, pins->start);
    sn_free(allocator, pins->vertices);
    sn_free(allocator, pins->axes);
    sn_free(allocator, pins->held);
    *pins = (SnLatticePins){0};
}

// The pin before `pin` that holds a component of a vertex that both hold.
static SinewStatus fail_held_twice(const SnLattice *body, const SnLatticePins *pins, int pin,
                                   int vertex, int twice, SinewError *error)
{
    int axis = twice & 1 ? 0 : twice & 2 ? 1 : 2;
    int other = 0;
    for (int p = 0; p < pin; ++p) {
        for (int i = pins->start[p]; i < pins->start[p + 1]; ++i) {
            other = pins->vertices[i] == vertex && (pins->axes[p] >> axis & 1) ? p : other;
        }
    }
    return sn_fail_at(error, SINEW_ERROR_ARGUMENT, pin,
                      "body \"%s\": pin %d holds the component %c of vertex %d, which pin %d holds "
                      "already",
                      body->name, pin, AXIS_NAMES[axis], vertex, other);
}

// Lists the vertices of a pin after those of the pins before.
static SinewStatus find_vertices(const SnLattice *body, const SnPin *pin, int index,
                                 SnLatticePins *pins, SinewError *error)
{
    int count = pins->start[index];
    int axes = (pin->axes[0] ? 1 : 0) | (pin->axes[1] ? 2 : 0) | (pin->axes[2] ? 4 : 0);
    if (axes == 0) {
        return sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                          "body \"%s\": pin %d holds no axis, expected at least one of x, y, z",
                          body->name, index);
    }
    pins->axes[index] = (unsigned char)axes;
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        if (!sn_region_holds(pin->region, v, body->mesh->positions + 3 * (size_t)v)) {
            continue;
        }
        int twice = pins->held[v] & axes;
        if (twice != 0) {
            return fail_held_twice(body, pins, index, v, twice, error);
        }
        pins->held[v] = (unsigned char)(pins->held[v] | axes);
        pins->vertices[count++] = v;
    }
    if (count == pins->start[index]) {
        return sn_fail_at(
            error, SINEW_ERROR_ARGUMENT, index,
            "body \"%s\": pin %d holds none of the %d vertices, expected at least one "
            "in its region",
            body->name, index, body->mesh->vertex_count);
    }
    pins->start[index + 1] = count;
    return SINEW_OK;
}

static SinewStatus find_held(const SnLattice *body, const SnPin *list, int count,
                             SnLatticePins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    size_t vertex_count = (size_t)body->mesh->vertex_count;

    pins->count = count;
    SN_ALLOC_ZERO(pins->start, allocator, count + 1, error);
    SN_ALLOC(pins->axes, allocator, count, error);
    SN_ALLOC_ZERO(pins->held, allocator, vertex_count, error);
    // A component is held once, so no vertex is in more than three pins.
    SN_ALLOC(pins->vertices, allocator, (count < 3 ? (size_t)count : 3) * vertex_count, error);
    for (int p = 0; p < count; ++p) {
        SN_TRY(find_vertices(body, &list[p], p, pins, error));
    }
    for (size_t v = 0; v < vertex_count; ++v) {
        pins->held_count += (pins->held[v] & 1) + (pins->held[v] >> 1 & 1) + (pins->held[v] >> 2);
    }

done:
    return status;
}

static int find_root(int *parents, int v)
{
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

// A vertex of a piece that no pin holds. Pieces are cells that share vertices.
static SinewStatus find_loose(const SnLattice *body, SnLatticePins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->mesh;
    int *parents = NULL;
    unsigned char *is_held = NULL;

    SN_ALLOC(parents, &body->allocator, mesh->vertex_count, error);
    SN_ALLOC_ZERO(is_held, &body->allocator, mesh->vertex_count, error);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        parents[v] = v;
    }
    for (int n = 0; n < 8 * mesh->hex_count; ++n) {
        int a = find_root(parents, mesh->hexes[n / 8 * 8]), b = find_root(parents, mesh->hexes[n]);
        parents[a > b ? a : b] = a > b ? b : a;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (pins->held[v] != 0) {
            is_held[find_root(parents, v)] = 1;
        }
    }
    pins->loose = -1;
    for (int v = mesh->vertex_count - 1; v >= 0; --v) {
        pins->loose = is_held[find_root(parents, v)] ? pins->loose : v;
    }

done:
    sn_free(&body->allocator, parents);
    sn_free(&body->allocator, is_held);
    return status;
}

// The same for the multigrid: a number each of its vectors.
static SinewStatus hold_levels(SnLattice *body, const SnLatticePins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t numbers = (size_t)sn_lattice_grid_numbers(&body->multigrid.levels[0].grid);
    unsigned char *held = NULL;

    SN_ALLOC(held, &body->allocator, numbers, error);
    memset(held, SN_LATTICE_NOTHING, numbers);
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            held[body->nodes[v] + SN_LATTICE_BLOCK * k] =
                pins->held[v] >> k & 1 ? SN_LATTICE_HELD : SN_LATTICE_FREE;
        }
    }
    SN_TRY(sn_lattice_multigrid_hold(&body->multigrid, held, &body->allocator, error));
    held = NULL;

done:
    sn_free(&body->allocator, held);
    return status;
}

SinewStatus sn_lattice_set_pins(void *body_, const SnPin *pins, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = body_;
    SnLatticePins made = {0};
    double *state = NULL;

    SN_TRY(find_held(body, pins, count, &made, error));
    SN_TRY(find_loose(body, &made, error));
    SN_ALLOC_ZERO(state, &body->allocator, (size_t)count * SN_LATTICE_PIN_STATE, error);
    for (int p = 0; p < count; ++p) {
        SnAffine identity = sn_affine_identity();
        memcpy(state + p * SN_LATTICE_PIN_STATE, identity.m, sizeof identity.m);
    }
    SN_TRY(hold_levels(body, &made, error));
    // From here on nothing fails: what was goes, what was made stays.
    sn_lattice_pins_release(&body->pins, &body->allocator);
    sn_free(&body->allocator, body->state.pins);
    body->pins = made;
    body->state.pins = state;
    made = (SnLatticePins){0};
    state = NULL;
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            body->room.x64[body->nodes[v] + SN_LATTICE_BLOCK * k] =
                body->mesh->positions[3 * v + k];
        }
    }
    sn_lattice_multigrid_measure(&body->multigrid, body->workers, body->room.x64);

done:
    sn_free(&body->allocator, state);
    sn_lattice_pins_release(&made, &body->allocator);
    return status;
}

// The rigid way from one motion to another at the fraction s, about the middle of a pin's vertices.
typedef struct Way {
    SnAffine from;
    SnAffine to;
    double R[9];      // turn so far
    double middle[3]; // m, at the start
    double shift[3];  // m, of the middle so far
} Way;

static Way way_of(const SnLattice *body, int pin, const SnAffine *to, double s)
{
    const SnLatticePins *pins = &body->pins;
    Way way = {.to = *to};
    SnAffine back, relative = sn_affine_identity();
    double identity[4] = {0.0, 0.0, 0.0, 1.0}, turn[4], end[3];
    int count = pins->start[pin + 1] - pins->start[pin];
    memcpy(way.from.m, body->state.pins + pin * SN_LATTICE_PIN_STATE, sizeof way.from.m);
    for (int i = pins->start[pin]; i < pins->start[pin + 1]; ++i) {
        double x[3];
        sn_affine_apply(&way.from, body->mesh->positions + 3 * (size_t)pins->vertices[i], x);
        for (int k = 0; k < 3; ++k) {
            way.middle[k] += x[k] / count;
        }
    }
    if (sn_affine_invert(&way.from, &back)) {
        relative = sn_affine_multiply(to, &back);
    }
    SnPlacement placement = sn_affine_place(&relative);
    sn_quaternion_slerp(identity, placement.rotation, s, turn);
    sn_quat_to_mat3(turn, way.R);
    sn_affine_apply(&relative, way.middle, end);
    for (int k = 0; k < 3; ++k) {
        way.shift[k] = s * (end[k] - way.middle[k]);
    }
    return way;
}

void sn_lattice_pins_target(const SnLattice *body, const SnAffine *motions, double s, double *out_x)
{
    const SnLatticePins *pins = &body->pins;
    for (int p = 0; p < pins->count; ++p) {
        Way way = way_of(body, p, &motions[p], s);
        for (int i = pins->start[p]; i < pins->start[p + 1]; ++i) {
            size_t at = 3 * (size_t)pins->vertices[i];
            double begin[3], end[3], offset[3], turned[3];
            sn_affine_apply(&way.from, body->mesh->positions + at, begin);
            sn_affine_apply(&way.to, body->mesh->positions + at, end);
            for (int k = 0; k < 3; ++k) {
                offset[k] = begin[k] - way.middle[k];
            }
            sn_mat3_apply(way.R, offset, turned);
            for (int k = 0; k < 3; ++k) {
                if (pins->axes[p] >> k & 1) {
                    // A vertex that was not where the last motion put it comes in evenly.
                    double stray = body->room.start[at + (size_t)k] - begin[k];
                    double way_x = way.middle[k] + way.shift[k] + turned[k] + (1.0 - s) * stray;
                    out_x[at + (size_t)k] = s < 1.0 ? way_x : end[k];
                }
            }
        }
    }
}

void sn_lattice_pins_record(SnLattice *body, const SnAffine *motions, const double *forces)
{
    const SnLatticePins *pins = &body->pins;
    for (int p = 0; p < pins->count; ++p) {
        double *state = body->state.pins + p * SN_LATTICE_PIN_STATE;
        double *wrench = state + 12;
        memcpy(state, motions[p].m, sizeof motions[p].m);
        memset(wrench, 0, 6 * sizeof *wrench);
        for (int i = pins->start[p]; i < pins->start[p + 1]; ++i) {
            size_t at = 3 * (size_t)pins->vertices[i];
            const double *x = body->state.positions + at;
            double f[3];
            for (int k = 0; k < 3; ++k) {
                f[k] = pins->axes[p] >> k & 1 ? forces[at + (size_t)k] : 0.0;
                wrench[k] += f[k];
            }
            wrench[3] += x[1] * f[2] - x[2] * f[1];
            wrench[4] += x[2] * f[0] - x[0] * f[2];
            wrench[5] += x[0] * f[1] - x[1] * f[0];
        }
    }
}
