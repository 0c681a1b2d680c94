// The rows of a coarser level and who follows them [D sec 4]: corners of tets that know nothing of
// the level before. They are a mesh of the user's, or a lattice cut into Kuhn's tets, which any
// body has. A row takes its barycentric weights in the coarse tet around it; beyond the mesh those
// of the nearest one, which go on and are not clamped.
#ifndef SN_MODEL_TETMG_LEVELS_H
#define SN_MODEL_TETMG_LEVELS_H

#include "model/tetmg/body.h"

typedef struct SnTetmgLattice {
    double origin[3]; // m
    double spacing;   // m
    int cells[3];
    bool is_nested; // rows of the level below are on it or half-way between its nodes
} SnTetmgLattice;

// Around the rows of a level, with at least the spacing it has: doubled until it has no more than a
// few dozen places a row, since a slanting thin body fills few of them.
void sn_tetmg_lattice_find(const SnTetmgLevel *level, SnTetmgLattice *lattice);

// Twice as coarse, its nodes among those of `fine`: its rows have few parents, and its matrix few
// entries.
SnTetmgLattice sn_tetmg_lattice_coarsen(const SnTetmgLattice *fine);

// Parents and weights of a level's rows, and the next level's rows.
SinewStatus sn_tetmg_level_by_lattice(SnTetmgLevel *level, SnTetmgLevel *next,
                                      const SnTetmgLattice *lattice,
                                      const SinewAllocator *allocator, SinewError *error);

// The same by the body's mesh `index`. Refused where rows are farther from it than its mean edge.
SinewStatus sn_tetmg_level_by_mesh(const SnTetmg *body, int index, SnTetmgLevel *level,
                                   SnTetmgLevel *next, SinewError *error);

// Copies of a user's meshes, scaled as the body is.
SinewStatus sn_tetmg_meshes_copy(SnTetmg *body, const SnTetMesh *const *meshes, int count,
                                 double scale, SinewError *error);
void sn_tetmg_meshes_release(SnTetmg *body);

// Refuses meshes that are not each coarser than what is before it.
SinewStatus sn_tetmg_meshes_check(const SnTetmg *body, SinewError *error);

// Mean edge of tets with that mean volume: a cube of it has six.
double sn_tetmg_mean_edge(double volume);
double sn_tetmg_mesh_edge(const SnTetMesh *mesh);

#endif
