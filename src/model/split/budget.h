// What a step may still spend of the world's `max_solves`. Solves and evaluations of the energy in
// line searches count, the latter half, since they cost about as much. Solves for columns
// (columns.h) do not: how many there are depends on what is kept, and results must not. A step with
// a limit has no more of them than it has solves.
#ifndef SN_MODEL_SPLIT_BUDGET_H
#define SN_MODEL_SPLIT_BUDGET_H

#include "model/split/woodbury.h"

#include <limits.h>

// Solves that are left; INT_MAX without a limit.
static inline int sn_split_left(const SnSplitProblem *problem)
{
    const SnWoodbury *woodbury = problem->body->woodbury;
    const SinewStepReport *report = problem->report;
    int columns = woodbury != NULL ? woodbury->columns.solves : 0;
    int spent = report->linear_solves - columns + report->line_search_cuts / 2;
    int most = problem->step->max_solves;
    return most == 0 ? INT_MAX : most - spent;
}

// As many of `wanted` as are left.
static inline int sn_split_afford(const SnSplitProblem *problem, int wanted)
{
    int left = sn_split_left(problem);
    return wanted < left ? wanted : left;
}

#endif
