// The places where a body of frames stores elastic energy: each has a rest position, the weights of
// the frames with their gradients, and either a stiffness of its own or a material's law and a
// volume. Energy, gradient and Hessian by the frames come out.
#ifndef SN_MODEL_FRAMES_SAMPLES_H
#define SN_MODEL_FRAMES_SAMPLES_H

#include "material/material.h"
#include "model/frames/blend.h"
#include "model/frames/grid.h"

enum {
    SN_SAMPLES_RANGES_MAX = 16,  // of a loop
    SN_SAMPLES_GROUPS_LEAST = 32 // groups a range: sums of a range cost as much as some groups
};

typedef struct SnSamples {
    int count;
    int frame_count;
    bool is_affine;    // of the frames; then by laws
    double *X;         // m, xyz a sample, from the grid's centre
    double *weights;   // SN_BLEND_WEIGHTS a frame a sample
    int *cells;        // a sample: the cube it stands for, for sentences
    double *stiffness; // J, 36 a sample: of the strains xx yy zz yz xz xy, the last three doubled;
                       // NULL: laws
    double *volumes;   // m^3 a sample, with laws; where a map says so, times a stiffness
    int *materials;    // a sample, with laws
    const SnMaterial *table; // borrowed from the body
    // The same for the kernels, where these know the law; else NULL.
    double *group_X;       // as SnFramesBatch wants them
    double *group_weights; //
    double *group_roots;   //
} SnSamples;

static inline int sn_samples_groups(int count)
{
    return (count + SN_FRAMES_GROUP - 1) / SN_FRAMES_GROUP;
}

// Past the last sample of so many groups.
static inline int sn_samples_last(const SnSamples *samples, int groups)
{
    return groups * SN_FRAMES_GROUP < samples->count ? groups * SN_FRAMES_GROUP : samples->count;
}

// Lays fitted samples, and those of St. Venant-Kirchhoff, out for the kernels; others stay as they
// are.
SinewStatus sn_samples_pack(SnSamples *samples, const SinewAllocator *allocator, SinewError *error);

void sn_samples_release(SnSamples *samples, const SinewAllocator *allocator);

// Room for `count` samples.
SinewStatus sn_samples_create(int count, int frame_count, bool fitted,
                              const SinewAllocator *allocator, SnSamples *out_samples,
                              SinewError *error);

// Rest position and weights of a sample at a place of a cube, as sn_frames_grid_shapes has it.
void sn_samples_put(SnSamples *samples, int index, const SnFramesGrid *grid, const double *weights,
                    int cell, const double at[3]);

// A sample in each cube with its material's law.
SinewStatus sn_samples_fill(const SnModelDef *def, const SnFramesGrid *grid, int frame_count,
                            const double *weights, const SnMaterial *table, SnSamples *out_samples,
                            SinewError *error);

// What an evaluation works in, one for a body: a part for each range, and in each sums over lanes:
// energy, gradient, matrix, blocks, then scratch.
typedef struct SnSamplesRoom {
    double *parts;
    size_t part_size;
    size_t gradient, matrix, blocks, scratch; // where they begin in a part, doubles
    size_t gradient_count, dofs, block_count; //
    bool is_affine;                           // sums have no lanes
    int range_count;                          // parts
    double *dets;                             // a sample, and lanes past the last
} SnSamplesRoom;

SinewStatus sn_samples_room_create(const SnSamples *samples, const SinewAllocator *allocator,
                                   SnSamplesRoom *out_room, SinewError *error);
void sn_samples_room_release(SnSamplesRoom *room, const SinewAllocator *allocator);

// Groups a range of a loop over so many groups: by the count and the room alone.
int sn_samples_range(const SnSamplesRoom *room, int groups);

// Empties a part, without its matrix and blocks where they are not wanted.
void sn_samples_clear(const SnSamplesRoom *room, bool hessian, double *part);

// Adds a part's sums over lanes, in their order. `matrix` (dofs squared, lower triangle) and blocks
// are nullable.
double sn_samples_collect(const SnSamplesRoom *room, const double *part, double *gradient,
                          double *matrix, double *blocks);

typedef struct SnSamplesDef {
    const SnSamples *samples;
    SnSamplesRoom *room;
    SnWorkers *workers;
    const SnKernels *kernels;
    const double *frames;    // of each: (q, s), or the numbers of an affine one
    const double *jacobians; // 8 x 6 each, with `hessian`
    const double *roots;     // nullable: instead of the samples' own, and
    const double *offsets;   // nullable: with strains of no energy; where kernels know the law
    bool hessian;            // also the second derivatives
    bool geometric;          // with the part that comes from the blend's curvature
} SnSamplesDef;

// Energy, J; adds to the gradient by (q, s), 8 a frame, and with `hessian` to the matrix by the
// dofs (lower triangle) and to the blocks by (q, s), 64 for each pair i <= j, row after row of the
// upper triangle. Affine frames have gradient and matrix by their numbers, and no blocks. INFINITY
// where a blend vanishes or a law forbids the state.
double sn_samples_evaluate(const SnSamplesDef *def, double *gradient, double *matrix,
                           double *blocks);

// A range of groups by laws, for sn_samples_evaluate where kernels do not serve; adds to a part.
void sn_samples_by_laws(const SnSamplesDef *def, int begin, int end, double *part);

// Where the block of frames i <= j is among blocks.
static inline size_t sn_samples_block(int frame_count, int i, int j)
{
    return 64 * ((size_t)i * (size_t)(2 * frame_count - i + 1) / 2 + (size_t)(j - i));
}

#endif
