// The order of a body's vertices and tets inside, and its tets in blocks for the kernels.
#ifndef SN_MODEL_SPLIT_BLOCKS_H
#define SN_MODEL_SPLIT_BLOCKS_H

#include "model/split/body.h"

// `inside`, `outside` and the blocks.
SinewStatus sn_split_blocks_create(SnSplit *body, SinewError *error);
void sn_split_blocks_release(SnSplit *body);

// `bundles`, from the orders.
SinewStatus sn_split_bundles_create(SnSplit *body, SinewError *error);

// Everything of the blocks but `rest`, from tets in an order where neighbours are near.
SinewStatus sn_split_patches_create(SnSplit *body, const int *order, SinewError *error);
void sn_split_patches_release(SnSplit *body);

// The same after a cut, `order` being that of `from` without the tets that went: patches whose tets
// are all there and have their corners still are copied. *out_done is false, and nothing is made,
// where a patch would have too many rows, or patches too few tets.
SinewStatus sn_split_patches_cut(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                 const int *order, bool *out_done, SinewError *error);

// `rest`, once all else is there.
SinewStatus sn_split_blocks_fill(SnSplit *body, SinewError *error);

// After a cut: where the tet of each lane was, or -1 for a lane without one; NULL where all lanes
// have the tets that they had. The caller frees it.
SinewStatus sn_split_lanes_before(const SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                  int **out_lanes, SinewError *error);

// The old block that all lanes of a block come from, each from its own place in it, `before` being
// theirs; -1: there is none.
int sn_split_block_before(const int *before);

// Copies planes of floats by lane, `planes` a block of tets. Lanes without a tet may be left alone.
// Nullable: before
void sn_split_lanes_copy(const SnSplit *body, const int *before, int planes, const float *from,
                         float *to);

// The same as sn_split_blocks_fill after a cut, for the same materials.
SinewStatus sn_split_blocks_copy(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                 SinewError *error);

// Colours of tets that share no vertex.
SinewStatus sn_split_colours_create(SnSplit *body, SinewError *error);
void sn_split_colours_release(SnSplit *body);

// The inverse masses of corners, zero for vertices that are held.
void sn_split_colours_set_masses(SnSplit *body);

// Dm^-1 of a tet, row-major: row a - 1 is the gradient of the shape function of corner a.
void sn_split_rest_inverse(const SnSplit *body, int tet, double out[9]);

#endif
