// Compliant volume constraints of tets, [B eq 13-16]: C = det F - 1 with compliance 1 / (lambda V
// dt^2). Inverted tets are left to the other forces: their volume grows through a fold as often as
// out of it, and bodies that start mirrored stay knotted. Tets come in blocks of 16 that share no
// vertex, so that a block moves its corners at once.
#ifndef SN_KERNEL_TET_VOLUME_H
#define SN_KERNEL_TET_VOLUME_H

enum {
    SN_VOLUME_BLOCK = 16,
    SN_VOLUME_REST = 14 // planes of 16: Dm^-1 (9), 1 / (lambda V), 1 / mass of the corners (4)
};

// Laid out as in tet_sweep.h. Lanes without a tet have all corners at a vertex that nobody reads.
typedef struct SnTetVolume {
    const int *vertices; // 4 planes: three times the corner's vertex
    const float *rest;   // SN_VOLUME_REST planes
    float inverse_dt2;   // 1/s^2
    float *multipliers;  // 1 plane
    float *x;            // xyz a vertex, with room for one float more
} SnTetVolume;

// One correction of each tet of the blocks [begin, end).
typedef void SnTetVolumeFn(const SnTetVolume *volume, int begin, int end);

#endif
