// The coarse space: a lattice of cubes around the body at rest, whose nodes carry the vertices by
// trilinear weights. Its matrix C = P^T (M + h^2 K) P is made at rest and factored once; as the
// body moves, each node turns with the tets around it, and Q C Q^T stands for what C would be now.
//
// Not taken: the product P^T A P in each linearisation, the centrepiece of the paper [D]. It saves
// some iterations of ten and costs more than all of them.
#ifndef SN_MODEL_TETMG_COARSE_H
#define SN_MODEL_TETMG_COARSE_H

#include "model/tetmg/body.h"

// The body that a cut was made of, and the cut.
typedef struct SnTetmgCutFrom {
    const SnTetmg *body;
    const SnTetCut *cut;
} SnTetmgCutFrom;

// `from` is NULL for a body that no cut made.
SinewStatus sn_tetmg_coarse_create(SnTetmg *body, const SnTetmgCutFrom *from, SinewError *error);
void sn_tetmg_coarse_release(SnTetmg *body);

// Room for values, from the body that was cut; see SnModel.
void sn_tetmg_coarse_inherit(SnTetmg *body, SnTetmg *from);

// Takes vertices that are held whole out of the coarse space.
void sn_tetmg_coarse_hold(SnTetmg *body);

// C and its factor.
SinewStatus sn_tetmg_coarse_factor(SnTetmg *body, SnWorkers *workers, const SnSplitScales *scales,
                                   SinewError *error);

// Rotations of the nodes from those of their tets.
void sn_tetmg_coarse_turn(const SnSplitProblem *problem);

// z += P Q C^-1 Q^T P^T residual.
SinewStatus sn_tetmg_coarse_correct(const SnSplitProblem *problem, const float *residual, float *z,
                                    SinewError *error);

// Parts of making one ----------------------------------------------------------------------------

// Nodes, members, pattern and order of a body that a cut made, from those of the one before: nodes
// whose members fell apart are there once for each part, and rows far from the cut stay.
SinewStatus sn_tetmg_coarse_carry(SnTetmg *body, const SnTetmgCutFrom *from, SinewError *error);

// `start` and `members` from `nodes`.
SinewStatus sn_tetmg_coarse_list_members(SnTetmg *body, SinewError *error);

// Parts of a body that pass near each other without being joined there, such as an arm along a
// trunk, would share nodes and turn them both ways. Room to tell them apart.
typedef struct SnTetmgParts {
    int *member; // a vertex inside: 8 vertex + corner by which it belongs to the node, or -1
    int *queue;  // members of one part
} SnTetmgParts;

SinewStatus sn_tetmg_parts_create(const SnTetmg *body, SnTetmgParts *parts, SinewError *error);
void sn_tetmg_parts_release(const SnTetmg *body, SnTetmgParts *parts);

// A number for each part of a node's members, in `nodes`: the first part gets `first`, others
// `next` and on. Returns the number after the last; the node must have a member.
int sn_tetmg_coarse_part_node(SnTetmg *body, SnTetmgParts *parts, int node, int first, int next);

// Rows that a cut left as they were.
typedef struct SnTetmgKeptNodes {
    const SnTetmgCoarse *old;
    const int *before;            // a node: the old one
    const int *now;               // an old node: the first that came of it
    const unsigned char *is_same; // a node
} SnTetmgKeptNodes;

// The pattern of C, and room for its values. Nullable: kept.
SinewStatus sn_tetmg_coarse_find_pattern(SnTetmg *body, const SnTetmgKeptNodes *kept,
                                         SinewError *error);

// Looks at the pattern; `order` is that of elimination, NULL where none is known.
SinewStatus sn_tetmg_coarse_analyse(SnTetmg *body, const int *order, SinewError *error);

#endif
