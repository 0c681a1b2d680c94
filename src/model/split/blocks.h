// The order of a body's vertices and tets inside, and its tets in blocks for the kernels.
#ifndef SN_MODEL_SPLIT_BLOCKS_H
#define SN_MODEL_SPLIT_BLOCKS_H

#include "model/split/body.h"

// `inside`, `outside` and the blocks.
SinewStatus sn_split_blocks_create(SnSplit *body, SinewError *error);
void sn_split_blocks_release(SnSplit *body);

// Everything of the blocks but `rest`, from tets in an order where neighbours are near.
SinewStatus sn_split_patches_create(SnSplit *body, const int *order, SinewError *error);
void sn_split_patches_release(SnSplit *body);

// Colours of tets that share no vertex.
SinewStatus sn_split_colours_create(SnSplit *body, SinewError *error);
void sn_split_colours_release(SnSplit *body);

// The inverse masses of corners, zero for vertices that are held.
void sn_split_colours_set_masses(SnSplit *body);

// Dm^-1 of a tet, row-major: row a - 1 is the gradient of the shape function of corner a.
void sn_split_rest_inverse(const SnSplit *body, int tet, double out[9]);

#endif
