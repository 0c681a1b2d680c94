#include "geometry/surface_weld.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Kept vertices in chains by the hash of their cell. Cells that share a chain do no harm: what
// decides is the distance.
typedef struct Table {
    const double *positions;
    int *heads;  // first vertex of each chain; -1: none
    int *nexts;  // of each kept vertex
    size_t mask; // number of chains less one
    double cell; // edge of a cell; 0: coordinates themselves are hashed
    double reach_squared;
} Table;

static uint64_t mix(uint64_t hash, double value)
{
    uint64_t bits;
    value += 0.0; // -0 becomes 0
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static size_t chain_of(const Table *table, double x, double y, double z)
{
    return (size_t)(mix(mix(mix(1, x), y), z) & table->mask);
}

static double distance_squared(const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return sum;
}

static void keep(Table *table, int vertex, size_t chain)
{
    table->nexts[vertex] = table->heads[chain];
    table->heads[chain] = vertex;
}

static int find_equal(const Table *table, const double *position, size_t chain)
{
    for (int kept = table->heads[chain]; kept >= 0; kept = table->nexts[kept]) {
        const double *other = table->positions + 3 * (size_t)kept;
        if (other[0] == position[0] && other[1] == position[1] && other[2] == position[2]) {
            return kept;
        }
    }
    return -1;
}

// The nearest kept vertex within reach, the first of equals. Cells are twice as wide as the reach,
// so that at most two in each direction can hold it.
static int find_near(const Table *table, const double *position)
{
    double reach = 0.5 * table->cell;
    double low[3];
    double high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = floor((position[k] - reach) / table->cell);
        high[k] = floor((position[k] + reach) / table->cell);
    }
    int found = -1;
    double best = table->reach_squared;
    for (int i = 0; i < 8; ++i) {
        bool repeats = ((i & 1) != 0 && high[0] == low[0]) || ((i & 2) != 0 && high[1] == low[1]) ||
                       ((i & 4) != 0 && high[2] == low[2]);
        if (repeats) {
            continue;
        }
        size_t chain = chain_of(table, (i & 1) != 0 ? high[0] : low[0],
                                (i & 2) != 0 ? high[1] : low[1], (i & 4) != 0 ? high[2] : low[2]);
        for (int kept = table->heads[chain]; kept >= 0; kept = table->nexts[kept]) {
            double distance = distance_squared(table->positions + 3 * (size_t)kept, position);
            if (distance < best || (distance == best && (found < 0 || kept < found))) {
                found = kept;
                best = distance;
            }
        }
    }
    return found;
}

static int find_or_keep(Table *table, int vertex)
{
    const double *at = table->positions + 3 * (size_t)vertex;
    bool exact = table->cell == 0.0;
    double w = table->cell;
    size_t chain = exact ? chain_of(table, at[0], at[1], at[2])
                         : chain_of(table, floor(at[0] / w), floor(at[1] / w), floor(at[2] / w));
    int found = exact ? find_equal(table, at, chain) : find_near(table, at);
    if (found < 0) {
        keep(table, vertex, chain);
    }
    return found;
}

static double largest_coordinate(const double *positions, int count)
{
    double largest = 0.0;
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        largest = fabs(positions[i]) > largest ? fabs(positions[i]) : largest;
    }
    return largest;
}

SinewStatus sn_weld_map(const double *positions, int count, double tolerance,
                        const SinewAllocator *allocator, int *out_map, int *out_count,
                        SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Table table = {.positions = positions};
    if (!(tolerance >= 0.0) || !isfinite(tolerance)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the tolerance of welding is %g, expected a finite number from 0",
                       tolerance);
    }
    if (tolerance > 0.0) {
        double finest = largest_coordinate(positions, count) * 0x1p-40;
        tolerance = tolerance < finest ? finest : tolerance;
        table.cell = 2.0 * tolerance;
        table.reach_squared = tolerance * tolerance;
    }
    size_t chains = 16;
    while (chains < 2 * (size_t)count) {
        chains *= 2;
    }
    table.mask = chains - 1;
    SN_ALLOC(table.heads, allocator, chains, error);
    memset(table.heads, 0xff, chains * sizeof *table.heads);
    SN_ALLOC(table.nexts, allocator, count, error);
    *out_count = 0;
    for (int vertex = 0; vertex < count; ++vertex) {
        int found = find_or_keep(&table, vertex);
        out_map[vertex] = found < 0 ? (*out_count)++ : out_map[found];
    }
done:
    sn_free(allocator, table.heads);
    sn_free(allocator, table.nexts);
    return status;
}

SinewStatus sn_surface_weld(SnSurface *surface, double tolerance, const SinewAllocator *allocator,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *map = NULL;
    int kept = 0;
    SN_ALLOC(map, allocator, surface->vertex_count, error);
    SN_TRY(sn_weld_map(surface->positions, surface->vertex_count, tolerance, allocator, map, &kept,
                       error));
    // A vertex that is kept is the first with its number, which is the next free one.
    int next = 0;
    for (int vertex = 0; vertex < surface->vertex_count; ++vertex) {
        if (map[vertex] == next) {
            memmove(surface->positions + 3 * (size_t)next, surface->positions + 3 * (size_t)vertex,
                    3 * sizeof(double));
            ++next;
        }
    }
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; ++i) {
        surface->triangles[i] = map[surface->triangles[i]];
    }
    for (size_t i = 0; i < 2 * (size_t)surface->line_count; ++i) {
        surface->lines[i] = map[surface->lines[i]];
    }
    surface->vertex_count = kept;
done:
    sn_free(allocator, map);
    return status;
}
