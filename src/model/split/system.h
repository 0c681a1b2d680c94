// The constant scalar matrix A = mass + 2 h^2 sum (mu + c lambda) V g g^T, its factor, and the
// coarse matrix beside it: for one shape, one set of vertices that are held whole and one time
// step. Bodies for which all three are the same share it. It is made when a step is prepared: the
// analysis when other vertices are held, values when only the time step or the materials changed.
#ifndef SN_MODEL_SPLIT_SYSTEM_H
#define SN_MODEL_SPLIT_SYSTEM_H

#include "model/split/shape.h"

// Time step and masses that values were made for.
typedef struct SnSplitScales {
    double h2;         // s^2; 1 in static solves
    double h;          // s: what damping is taken over
    double mass_scale; // of the true masses; 0: there are no values
} SnSplitScales;

typedef struct SnSplitSystem {
    SnShared shared;
    SinewAllocator allocator;
    SnSplitShape *shape;
    unsigned char *whole; // a vertex outside: 1 when it is held whole
    int *row_start;       // the pattern: vertices inside; those held whole stand alone
    int *column;          //
    int *source;          // an entry: where it is in the shape's pattern
    double *value;        //
    bool has_levels;      // solved by levels, not by a factor
    SnCholesky *cholesky; // NULL with levels
    SnMultilevel *levels; // NULL without, and while there are no values
    float *basis;         // of the clusters, zero where a vertex is held whole
    float *inverse;       // of the coarse matrix
    float *columns;       // all of A^-1, of small bodies in contact; columns.h. NULL: none
    bool has_columns;     // they are of the values
    SnSplitScales scales;
} SnSplitSystem;

// Finds or makes what a step with these scales needs, and sets the room's masses. Adds to the
// report (nullable) what that took.
SinewStatus sn_split_system_prepare(SnSplit *body, SnWorkers *workers, const SnSplitScales *scales,
                                    SinewStepReport *report, SinewError *error);

// The room's masses alone.
void sn_split_set_masses(SnSplit *body, const SnSplitScales *scales);

void sn_split_system_leave(SnSplit *body);

// Whether a body of so many vertices is solved by levels.
bool sn_split_system_chooses_levels(const SinewSplitDef *options, int vertices);

// x = A^-1 x, xyz a vertex inside: by the factor, or by levels to the options' tolerance.
SinewStatus sn_split_system_solve(const SnSplit *body, SnWorkers *workers, float *x,
                                  SinewError *error);

#endif
