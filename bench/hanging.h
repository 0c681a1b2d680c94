// A body of `split`, `tetmg` or `newton` that hangs by a hand, or by an ear: what their benches
// measure. The armadillo meshes of the bench's data folder, a blob with limbs of about the same
// size, or the bunny and the horse of Debian's glmark2-data stuffed with tets.
#ifndef SN_BENCH_HANGING_H
#define SN_BENCH_HANGING_H

#include "bench/bench.h"
#include "model/model.h"

// What is measured. Start from sn_hanging_plan().
typedef struct SnHangingPlan {
    const char *mesh; // "armadillo_16k", "blob_16k", "bunny_11k" or "horse_34k"
    const SnModel *model;
    SinewSplitDef split; // options of the body
    SinewTetmgDef tetmg; //
    double young;        // Pa, nu is 0.33
    double dt;           // s
} SnHangingPlan;

// Mode paper, one pass and one volume iteration, E 1e6 Pa, 10 ms.
SnHangingPlan sn_hanging_plan(const char *mesh);

// What a body has allocated.
typedef struct SnHangingTally {
    size_t now, most; // bytes
} SnHangingTally;

typedef struct SnHanging {
    SnHangingTally tally;
    SinewAllocator allocator;
    const SnModel *model;
    SnSolid *solid;
    SnTetMesh *mesh;
    SnSurface *surface;
    SinewRegion hand; // that holds it
    void *body;
    SnStep step;
    SnAffine motion;
    double setup;       // s, everything to the end of the first step
    SinewStatus status; // of the steps since
    int solves;         // linear solves of the last step
} SnHanging;

// Makes the body and takes its first step. Without the mesh *out_rig is NULL, and the entry is
// skipped. `workers` may be NULL.
SinewStatus sn_hanging_create(const SnBench *bench, const SnHangingPlan *plan,
                              const SnKernels *kernels, SnWorkers *workers,
                              SnBenchResult *out_result, SnHanging **out_rig, SinewError *error);
void sn_hanging_destroy(SnHanging *rig);

// A step of the rig `context`, for SnBenchTask.
void sn_hanging_step(void *context, SnWorkers *workers);

// Mean displacement of all vertices, m.
void sn_hanging_mean(const SnHanging *rig, double out_mean[3]);

#endif
