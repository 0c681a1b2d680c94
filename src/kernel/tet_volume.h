// Compliant volume constraints of tets, [B eq 13-16]: C = det F - 1 with compliance 1 / (lambda V
// dt^2). Inverted tets are left to the other forces: their volume grows through a fold as often as
// out of it, and bodies that start mirrored stay knotted. Tets come in blocks of 16 that share no
// vertex, so that a block moves its corners at once.
#ifndef SN_KERNEL_TET_VOLUME_H
#define SN_KERNEL_TET_VOLUME_H

#include <stdbool.h>

enum {
    SN_VOLUME_BLOCK = 16,
    SN_VOLUME_REST = 10 // planes of 16: Dm^-1 (9), 1 / (lambda V)
};

// Laid out as in tet_sweep.h. Lanes without a tet have all corners at a vertex that nobody reads
// and compliance 0.
typedef struct SnTetVolume {
    const int *vertices; // 4 planes: four times the corner's vertex
    const float *rest;   // SN_VOLUME_REST planes
    float inverse_dt2;   // 1/s^2
    bool fresh;          // multipliers are zero, whatever they hold
    float *multipliers;  // 1 plane
    float *x;            // four floats a vertex: xyz and 1 / mass, 0 where held
    int *inverted;       // a block: tets that were left alone
} SnTetVolume;

// One correction of each tet of the blocks [begin, end).
typedef void SnTetVolumeFn(const SnTetVolume *volume, int begin, int end);

#endif
