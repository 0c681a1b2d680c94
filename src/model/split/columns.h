// Columns of A^-1 for the vertices that contact and springs touch: column v is the move of all
// vertices under a unit force at v. A is constant, so columns are valid until pins, the time step
// or the materials change. Each is solved for when it is first wanted and then kept. A column is
// the same bits whoever solves for it and when, so what happens to be kept changes no result.
//
// Small bodies have all columns with the system, solved for when a step is prepared, and all bodies
// with the same system share them. Larger ones have a fixed number of slots each.
#ifndef SN_MODEL_SPLIT_COLUMNS_H
#define SN_MODEL_SPLIT_COLUMNS_H

#include "model/split/potential.h"

typedef struct SnSplitColumns {
    int length;       // floats per column: vertices inside, padded
    int capacity;     // columns that one linearisation may want
    int slot_count;   // 0: all columns are the system's
    int used;         // slots that hold a column
    int next;         // slot to look at when one must be given up
    int solves;       // for columns in this step
    unsigned now;     // the linearisation under way
    float *values;    // `length` per slot
    int *slots;       // per vertex inside: its slot, or -1
    int *vertices;    // per slot: its vertex inside
    unsigned *wanted; // per slot: the last linearisation that wanted it
} SnSplitColumns;

// Memory for columns, and for small bodies the columns themselves. Cheap when nothing changed.
SinewStatus sn_split_columns_reserve(SnSplit *body, SnSplitColumns *columns, SnWorkers *workers,
                                     SinewError *error);
void sn_split_columns_release(SnSplitColumns *columns, const SinewAllocator *allocator);

// The system has other values.
void sn_split_columns_forget(SnSplitColumns *columns);

// Lends the columns of `count` vertices inside, at most `capacity`. Uses the room's hp.
SinewStatus sn_split_columns_take(const SnSplitProblem *problem, SnSplitColumns *columns,
                                  const int *vertices, int count, const float **out_columns,
                                  SinewError *error);

#endif
