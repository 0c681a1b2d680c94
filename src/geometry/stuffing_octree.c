// The leaves of a graded interior: cells of the finest size near the surface, and leaves that
// double away from it, no two that share an edge differing by more than one level [L] section 4.
#include "geometry/stuffing_grid.h"

typedef struct Tree {
    SnStuffGrid *grid;
    SnPlaceTable split; // cubes that have children, by their centres
    SnArray level;      // of the level at hand
    SnArray next;       // and the next coarser
} Tree;

// Notes that a cube is split. Cubes outside the root are left out.
static SinewStatus split_cube(Tree *tree, const SnLeaf *cube, SnArray *list, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < 3; ++c) {
        if (cube->centre[c] < 0 || cube->centre[c] >= 2 << tree->grid->depth) {
            return SINEW_OK;
        }
    }
    if (sn_place_table_find(&tree->split, cube->centre) < 0) {
        SN_TRY(sn_place_table_set(&tree->split, cube->centre, cube->level, error));
        SN_TRY(sn_array_push(list, cube, error));
    }
done:
    return status;
}

// Every point with a cut edge must have regular tets alone. Those are the points of cells that the
// surface crosses, so the ring around such a cell has cells of its own size too; and the centre
// beyond a face, when the edge between the two centres is cut, whose own six neighbours are needed.
static SinewStatus split_around(Tree *tree, const SnLeaf *cell, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int n = 0; n < 27; ++n) {
        const int step[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
        int reach = step[0] * step[0] + step[1] * step[1] + step[2] * step[2] == 1 ? 2 : 1;
        for (int far = 1; far <= reach; ++far) {
            int at[3];
            for (int c = 0; c < 3; ++c) {
                at[c] = cell->centre[c] + 2 * far * step[c];
            }
            SnLeaf parent = sn_leaf_around(at, 1);
            SN_TRY(split_cube(tree, &parent, &tree->level, error));
        }
    }
done:
    return status;
}

// The 18 neighbours of a split cube that share a face or an edge with it must exist, so their
// parents are split, and its own.
static SinewStatus split_parents(Tree *tree, const SnLeaf *cube, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int side = 2 * sn_leaf_half(cube);
    for (int n = 0; n < 27; ++n) {
        const int step[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
        if (step[0] != 0 && step[1] != 0 && step[2] != 0) {
            continue;
        }
        int at[3];
        for (int c = 0; c < 3; ++c) {
            at[c] = cube->centre[c] + side * step[c];
        }
        SnLeaf parent = sn_leaf_around(at, cube->level + 1);
        SN_TRY(split_cube(tree, &parent, &tree->next, error));
    }
done:
    return status;
}

static bool is_inside(const SnStuffSearch *search, const SnLeaf *leaf)
{
    // Leaves larger than a cell are far from the surface: any of their cells tells.
    int at[3];
    for (int c = 0; c < 3; ++c) {
        at[c] = leaf->centre[c] + (leaf->level > 0 ? 1 : 0);
    }
    int cell = sn_place_table_find(&search->cell_table, at);
    if (cell < 0) {
        return sn_search_block(search, at) >= 0;
    }
    return sn_search_inside_count(search, SN_ITEMS(search->cells, SnLeaf) + cell) > 0;
}

// The children of split cubes that are not split themselves and hold some of the body.
static SinewStatus add_children(Tree *tree, const SnStuffSearch *search, const SnLeaf *cube,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int quarter = sn_leaf_half(cube) / 2;
    for (int i = 0; i < 8; ++i) {
        SnLeaf child = {.level = cube->level - 1};
        child.centre[0] = cube->centre[0] + (i & 4 ? quarter : -quarter);
        child.centre[1] = cube->centre[1] + (i & 2 ? quarter : -quarter);
        child.centre[2] = cube->centre[2] + (i & 1 ? quarter : -quarter);
        if (sn_place_table_find(&tree->split, child.centre) < 0 && is_inside(search, &child)) {
            SN_TRY(sn_array_push(&tree->grid->leaves, &child, error));
        }
    }
done:
    return status;
}

SinewStatus sn_grid_add_graded_leaves(SnStuffGrid *grid, const SnStuffSearch *search,
                                      SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Tree tree = {.grid = grid,
                 .split = sn_place_table_of(grid->allocator),
                 .level = sn_array_of(grid->allocator, sizeof(SnLeaf)),
                 .next = sn_array_of(grid->allocator, sizeof(SnLeaf))};

    for (size_t i = 0; i < search->cells.count; ++i) {
        const SnLeaf *cell = SN_ITEMS(search->cells, SnLeaf) + i;
        int inside = sn_search_inside_count(search, cell);
        if (inside > 0 && inside < 9) {
            SN_TRY(split_around(&tree, cell, error));
        }
    }
    for (int level = 1; level <= grid->depth; ++level) {
        for (size_t i = 0; i < tree.level.count; ++i) {
            SnLeaf cube = SN_ITEMS(tree.level, SnLeaf)[i];
            SN_TRY(add_children(&tree, search, &cube, error));
            if (level < grid->depth) {
                SN_TRY(split_parents(&tree, &cube, error));
            }
        }
        SnArray done_level = tree.level;
        tree.level = tree.next;
        tree.next = done_level;
        tree.next.count = 0;
    }
done:
    sn_place_table_release(&tree.split);
    sn_array_release(&tree.level);
    sn_array_release(&tree.next);
    return status;
}
