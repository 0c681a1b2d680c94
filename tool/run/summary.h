// What a finished run tells: as one JSON document, or in a few lines for a person.
#ifndef SN_TOOL_RUN_SUMMARY_H
#define SN_TOOL_RUN_SUMMARY_H

#include "tool/run/output.h"

typedef struct SnRunTimes {
    double setup;  // s
    double total;  // s
    double *steps; // s, of each step done by this process; sorted by the summary
    int64_t step_count;
    int64_t loose_count;     // of those, how many stopped before their tolerance
    double loose_residual;   // the largest relative residual of them
    int64_t capped_count;    // of those, how many had a body that reached the world's max_solves
    int64_t rescue_count;    // steps of bodies that a safer one replaced
    int64_t iteration_count; // of Newton's method, all steps
    int64_t solve_count;     // of linear systems, all steps
    int64_t inverted_count;  // load steps that ended with inverted elements
    SinewError inverted;     // of the last step: status SINEW_INVERTED and its sentence, or zero
} SnRunTimes;

SinewStatus sn_run_summary_json(const SnRunOutput *output, SnRunTimes *times, FILE *file,
                                SinewError *error);
void sn_run_summary_print(const SnRunOutput *output, SnRunTimes *times, FILE *file);

#endif
