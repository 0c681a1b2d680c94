// One body of a model for a bench, without a world: made once, put back to where it was before each
// run, then stepped or brought to rest.
#ifndef SN_BENCH_ONE_BODY_H
#define SN_BENCH_ONE_BODY_H

#include "bench/bench.h"
#include "model/model.h"

enum { SN_ONE_BODY_PINS = 2 };

// What it is made from; all is borrowed for the call but the kernels and the workers.
typedef struct SnOneBodyDef {
    const SnModel *model;
    const SnSolidDef *solid;
    const SinewMaterial *material;
    const SinewBodyDef *options;
    const SnPin *pins;
    int pin_count; // up to SN_ONE_BODY_PINS
    const SnKernels *kernels;
    SnWorkers *workers; // nullable: one thread
} SnOneBodyDef;

// Stays where it is made: its step knows its motions.
typedef struct SnOneBody {
    const SnModel *model;
    SnSolid *solid;
    void *body;
    void *kept; // its state
    SnAffine motions[SN_ONE_BODY_PINS];
    SnStep step; // the caller's to fill; without dt it is a static solve
    SinewStepReport report;
    SinewStatus status; // the last that was an error, of all runs
} SnOneBody;

// At rest, with a step that holds its pins still. What is in `out` is the caller's to release, also
// on failure.
SinewStatus sn_one_body_make(const SnOneBodyDef *def, SnOneBody *out, SinewError *error);

// Runs begin from where it is now.
SinewStatus sn_one_body_keep(SnOneBody *one, SinewError *error);

// Puts it back; then takes its step, or solves.
SnBenchTask sn_one_body_task(SnOneBody *one);

void sn_one_body_release(SnOneBody *one);

#endif
