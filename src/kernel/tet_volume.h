// Compliant volume constraints of tets, [B eq 13-16]: C = det F - 1 with compliance 1 / (lambda V
// dt^2). Inverted tets are left to the other forces: their volume grows through a fold as often as
// out of it, and bodies that start mirrored stay knotted. Tets come in blocks of 16 that share no
// vertex, so that a block moves its corners at once, and blocks in chunks of neighbours.
//
// det F is det Ds / det Dm, and its gradients are cross products of edges over det Dm: a tet needs
// two numbers at rest. Not taken: F = Ds Dm^-1 and its cofactor, which is ten numbers and twice the
// operations for the same C.
#ifndef SN_KERNEL_TET_VOLUME_H
#define SN_KERNEL_TET_VOLUME_H

#include <stdbool.h>

enum {
    SN_VOLUME_BLOCK = 16,
    SN_VOLUME_REST = 2 // planes of 16: 1 / det Dm, 1 / (lambda V)
};

// Laid out as in tet_sweep.h. Lanes without a tet have all corners at a vertex that nobody reads
// and the numbers 0 and 1.
typedef struct SnTetVolume {
    const int *chunk_block; // first block of each chunk, and the end
    const int *vertices;    // 4 planes: four times the corner's vertex
    const float *rest;      // SN_VOLUME_REST planes
    float inverse_dt2;      // 1/s^2
    bool fresh;             // multipliers are zero, whatever they hold
    float *multipliers;     // 1 plane; nullable: nobody needs them later
    float *x;               // four floats a vertex: xyz and 1 / mass, 0 where held
    int *inverted;          // a chunk: tets that were left alone
} SnTetVolume;

// One correction of each tet of the chunks [begin, end), block after block.
typedef void SnTetVolumeFn(const SnTetVolume *volume, int begin, int end);

#endif
