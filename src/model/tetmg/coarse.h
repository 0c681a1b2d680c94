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

// Takes vertices that are held whole out of the coarse space.
void sn_tetmg_coarse_hold(SnTetmg *body);

// C and its factor.
SinewStatus sn_tetmg_coarse_factor(SnTetmg *body, SnWorkers *workers, const SnSplitScales *scales,
                                   SinewError *error);

// What a cut leaves: the order of elimination, with nodes that were divided side by side, and rows
// of C far from the cut, so that the next factor makes fewer. `out_order` has room for the nodes;
// *out_known is false where the lattice is another one.
SinewStatus sn_tetmg_coarse_carry(SnTetmg *body, const SnTetmgCutFrom *from, int *out_order,
                                  bool *out_known, SinewError *error);

// Rotations of the nodes from those of their tets.
void sn_tetmg_coarse_turn(const SnSplitProblem *problem);

// z += P Q C^-1 Q^T P^T residual.
SinewStatus sn_tetmg_coarse_correct(const SnSplitProblem *problem, const float *residual, float *z,
                                    SinewError *error);

#endif
