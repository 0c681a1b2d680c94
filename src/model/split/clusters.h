// The coarse space: clusters of vertices around seeds that are far from each other along edges. A
// vertex follows its four nearest clusters, each of which moves as an affine frame; the slow modes
// of the scalar matrix are smooth rotations, and frames catch those.
#ifndef SN_MODEL_SPLIT_CLUSTERS_H
#define SN_MODEL_SPLIT_CLUSTERS_H

#include "model/split/body.h"

// Of a shape: which clusters there are and how vertices follow them.
SinewStatus sn_split_clusters_create(SnSplit *body, SinewError *error);
void sn_split_clusters_release(SnSplit *body);

// Room of a body for steps.
SinewStatus sn_split_clusters_room_create(SnSplit *body, SinewError *error);
void sn_split_clusters_room_release(SnSplit *body);

// The basis without the vertices that are held `whole` (1 a vertex outside).
void sn_split_clusters_hold(const SnSplit *body, const unsigned char *whole, float *out_basis);

// The inverse of C = Phi^T (M + h2 K0) Phi, K0 the stiffness at rest.
SinewStatus sn_split_clusters_factor(SnSplit *body, double h2, double h, double mass_scale,
                                     SinewError *error);

// Rotations of the clusters from those of their tets, and of vertices from the clusters'.
void sn_split_clusters_turn(SnSplit *body, SnWorkers *workers);

// z += Q Phi C^-1 Phi^T Q^T residual.
void sn_split_clusters_correct(SnSplit *body, SnWorkers *workers, const float *residual, float *z);

#endif
