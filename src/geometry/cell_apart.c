// Cells and nodes of a lattice whose parts are kept apart: each connected set of occupied cubes in
// a place becomes a cell, and cells share nodes where their cubes touch. See cell_lattice.h.
#include "base/union_find.h"
#include "geometry/cell_grid.h"

#include <string.h>

enum { CUBES_MAX = 16 * 16 * 16, PARTS_MAX = 255 };

typedef struct Apart {
    const SnCellGrid *grid;
    const int *index_of;
    SnCellLattice *lattice;
    unsigned char *parts; // cubes of the sampled cells: 1 + the part, 0 where empty
    int *first_cell;      // of each cell of the grid; -1 where exterior
    int *parent;          // of each corner of each cell, to find those that are one node
} Apart;

// Gives the cubes connected with `seed` the number of a part; how many of them are inside.
static int spread_part(const unsigned char *cubes, unsigned char *parts, int samples, int seed,
                       unsigned char part)
{
    int queue[CUBES_MAX];
    int queued = 1;
    int inside = 0;
    queue[0] = seed;
    parts[seed] = part;
    for (int head = 0; head < queued; ++head) {
        int cube = queue[head];
        inside += cubes[cube] == 2;
        const int at[3] = {cube / samples / samples, cube / samples % samples, cube % samples};
        for (int n = 0; n < 27; ++n) {
            int a = at[0] + n / 9 - 1;
            int b = at[1] + n / 3 % 3 - 1;
            int c = at[2] + n % 3 - 1;
            if (a < 0 || b < 0 || c < 0 || a >= samples || b >= samples || c >= samples) {
                continue;
            }
            int other = (a * samples + b) * samples + c;
            if (cubes[other] != 0 && parts[other] == 0) {
                parts[other] = part;
                queue[queued++] = other;
            }
        }
    }
    return inside;
}

// Finds the parts of one place and, where `out_inside` is given, the cubes inside of each. Returns
// the number of parts, at least 1; what is beyond PARTS_MAX goes to the last.
static int find_parts(const Apart *apart, int sampled, int *out_inside)
{
    int cube_count = apart->grid->cube_count;
    const unsigned char *cubes = apart->grid->cubes + (size_t)sampled * (size_t)cube_count;
    unsigned char *parts = apart->parts + (size_t)sampled * (size_t)cube_count;
    int count = 0;
    memset(parts, 0, (size_t)cube_count);
    for (int cube = 0; cube < cube_count; ++cube) {
        if (cubes[cube] != 0 && parts[cube] == 0) {
            bool is_new = count < PARTS_MAX;
            count += is_new;
            int inside =
                spread_part(cubes, parts, apart->grid->def->samples, cube, (unsigned char)count);
            if (out_inside != NULL) {
                out_inside[count - 1] = is_new ? inside : out_inside[count - 1] + inside;
            }
        }
    }
    if (count == 0) {
        // The surface only runs along the place's skin: all of it is one part.
        for (int cube = 0; cube < cube_count; ++cube) {
            parts[cube] = 1;
        }
        if (out_inside != NULL) {
            out_inside[0] = 0;
        }
        count = 1;
    }
    return count;
}

// Counts cells; remembers where those of each place start.
static int count_cells(Apart *apart)
{
    const SnCellGrid *grid = apart->grid;
    int count = 0;
    for (size_t n = 0; n < grid->count; ++n) {
        apart->first_cell[n] = -1;
        if (grid->labels[n] != SN_CELL_EXTERIOR) {
            int sampled = apart->index_of[n];
            apart->first_cell[n] = count;
            count += sampled < 0 ? 1 : find_parts(apart, sampled, NULL);
        }
    }
    return count;
}

// Writes the cells of one place. Returns how many places keep their cubes so far.
static int write_cells(Apart *apart, size_t n, int count, int kept)
{
    const SnCellGrid *grid = apart->grid;
    SnCellLattice *lattice = apart->lattice;
    int sampled = apart->index_of[n];
    int inside[PARTS_MAX] = {grid->cube_count};
    if (sampled >= 0) {
        find_parts(apart, sampled, inside);
    }
    for (int part = 0; part < count; ++part) {
        int cell = apart->first_cell[n] + part;
        sn_cell_grid_place(grid, (int)n, lattice->cells + 3 * (size_t)cell);
        lattice->labels[cell] = grid->labels[n];
        lattice->boundary_count += grid->labels[n] == SN_CELL_BOUNDARY;
        lattice->fills[cell] = (float)inside[part] / (float)grid->cube_count;
        lattice->cubes_of[cell] = count > 1 ? kept * grid->cube_count : -1;
    }
    if (count > 1) {
        size_t size = (size_t)grid->cube_count;
        memcpy(lattice->cubes + (size_t)kept * size, apart->parts + (size_t)sampled * size, size);
        kept++;
    }
    return kept;
}

static int cells_at(const Apart *apart, size_t n)
{
    int end = apart->lattice->cell_count;
    for (size_t m = n + 1; m < apart->grid->count; ++m) {
        if (apart->first_cell[m] >= 0) {
            end = apart->first_cell[m];
            break;
        }
    }
    return end - apart->first_cell[n];
}

// Places with several cells.
static int count_shared_places(const Apart *apart)
{
    int shared = 0;
    int previous = -1;
    for (size_t n = 0; n < apart->grid->count; ++n) {
        if (apart->first_cell[n] >= 0) {
            shared += previous >= 0 && apart->first_cell[n] - previous > 1;
            previous = apart->first_cell[n];
        }
    }
    return shared + (previous >= 0 && apart->lattice->cell_count - previous > 1);
}

static void gather_cells(Apart *apart)
{
    const SnCellGrid *grid = apart->grid;
    SnCellLattice *lattice = apart->lattice;
    int kept = 0;
    for (size_t n = 0; n < grid->count; ++n) {
        if (apart->first_cell[n] >= 0) {
            int count = cells_at(apart, n);
            lattice->row_start[n / (size_t)grid->size[2] + 1] += count;
            kept = write_cells(apart, n, count, kept);
        }
    }
    for (size_t row = 0; row < (size_t)grid->size[0] * (size_t)grid->size[1]; ++row) {
        lattice->row_start[row + 1] += lattice->row_start[row];
    }
}

// Makes the corners that two neighbouring cells have in common one node each. `step` leads from the
// place of the first to that of the second.
static void unite_cells(const Apart *apart, int cell, int other, const int step[3])
{
    for (int corner = 0; corner < 8; ++corner) {
        int same = 0;
        bool is_shared = true;
        for (int c = 0; c < 3; ++c) {
            int along = (corner >> (2 - c) & 1) - step[c];
            is_shared = is_shared && along >= 0 && along <= 1;
            same = 2 * same + (along & 1);
        }
        if (is_shared) {
            sn_union_find_join(apart->parent, 8 * cell + corner, 8 * other + same);
        }
    }
}

// The part that a cube belongs to: 1 in a place that was not sampled, all of which is inside.
static int part_at(const Apart *apart, size_t n, int a, int b, int c)
{
    int sampled = apart->index_of[n];
    if (sampled < 0) {
        return 1;
    }
    int samples = apart->grid->def->samples;
    size_t cube = (size_t)((a * samples + b) * samples + c);
    return apart->parts[(size_t)sampled * (size_t)apart->grid->cube_count + cube];
}

// Unites the cells of two places whose cubes touch across the face, edge or corner between them.
static void link_places(const Apart *apart, size_t n, size_t other, const int step[3])
{
    int last = apart->grid->def->samples - 1;
    int from[3];
    int to[3];
    for (int c = 0; c < 3; ++c) {
        from[c] = step[c] > 0 ? last : 0;
        to[c] = step[c] < 0 ? 0 : last;
    }
    for (int a = from[0]; a <= to[0]; ++a) {
        for (int b = from[1]; b <= to[1]; ++b) {
            for (int c = from[2]; c <= to[2]; ++c) {
                int part = part_at(apart, n, a, b, c);
                for (int near = 0; near < 27 && part != 0; ++near) {
                    const int at[3] = {a + near / 9 - 1 - step[0] * (last + 1),
                                       b + near / 3 % 3 - 1 - step[1] * (last + 1),
                                       c + near % 3 - 1 - step[2] * (last + 1)};
                    if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] > last || at[1] > last ||
                        at[2] > last) {
                        continue;
                    }
                    int there = part_at(apart, other, at[0], at[1], at[2]);
                    if (there != 0) {
                        unite_cells(apart, apart->first_cell[n] + part - 1,
                                    apart->first_cell[other] + there - 1, step);
                    }
                }
            }
        }
    }
}

// Each pair of neighbouring places once: 13 of the 26 directions.
static void link_all(const Apart *apart)
{
    const SnCellGrid *grid = apart->grid;
    for (size_t n = 0; n < grid->count; ++n) {
        if (apart->first_cell[n] < 0) {
            continue;
        }
        int ijk[3];
        sn_cell_grid_place(grid, (int)n, ijk);
        for (int direction = 14; direction < 27; ++direction) {
            const int step[3] = {direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1};
            bool is_within = true;
            for (int c = 0; c < 3; ++c) {
                int along = ijk[c] + step[c];
                is_within = is_within && along >= 0 && along < grid->size[c];
            }
            if (!is_within) {
                continue;
            }
            size_t other =
                sn_cell_grid_index(grid, ijk[0] + step[0], ijk[1] + step[1], ijk[2] + step[2]);
            if (apart->first_cell[other] < 0) {
                continue;
            }
            if (apart->index_of[n] < 0 && apart->index_of[other] < 0) {
                unite_cells(apart, apart->first_cell[n], apart->first_cell[other], step);
            } else {
                link_places(apart, n, other, step);
            }
        }
    }
}

// Roots become nodes, in rising order; a root is lower than all that hang on it.
static SinewStatus number_nodes(Apart *apart, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellLattice *lattice = apart->lattice;
    int corners = 8 * lattice->cell_count;
    int count = 0;
    for (int x = 0; x < corners; ++x) {
        int root = sn_union_find_root(apart->parent, x);
        lattice->nodes[x] = root == x ? count++ : lattice->nodes[root];
    }
    SN_TRY(sn_cell_lattice_make_nodes(lattice, count, allocator, error));
    for (int x = 0; x < corners; ++x) {
        sn_cell_lattice_set_node(lattice, lattice->nodes[x], x / 8, x % 8);
    }
done:
    return status;
}

SinewStatus sn_cell_number_apart(const SnCellGrid *grid, const int *index_of,
                                 const SinewAllocator *allocator, SnCellLattice *lattice,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Apart apart = {.grid = grid, .index_of = index_of, .lattice = lattice};
    size_t cube_count = (size_t)grid->cube_count;
    SN_ALLOC(apart.parts, allocator, (size_t)grid->sampled_count * cube_count, error);
    SN_ALLOC(apart.first_cell, allocator, grid->count, error);
    int count = count_cells(&apart);
    SN_TRY(sn_cell_lattice_make_cells(lattice, count, allocator, error));
    SN_ALLOC(lattice->cubes_of, allocator, count, error);
    SN_ALLOC(lattice->cubes, allocator, (size_t)count_shared_places(&apart) * cube_count, error);
    gather_cells(&apart);
    SN_ALLOC(apart.parent, allocator, 8 * (size_t)count, error);
    for (int x = 0; x < 8 * count; ++x) {
        apart.parent[x] = x;
    }
    link_all(&apart);
    SN_TRY(number_nodes(&apart, allocator, error));
done:
    sn_free(allocator, apart.parent);
    sn_free(allocator, apart.first_cell);
    sn_free(allocator, apart.parts);
    return status;
}
