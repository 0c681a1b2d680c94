// A step as [B] has it: local-global passes of the mu part, then volume constraints.
#include "model/split/pcg.h"
#include "model/split/points.h"
#include "model/split/step.h"

#include <string.h>

enum {
    VOLUME_GRAIN = 16, // blocks a range
    CONTACT_SWEEPS = 3
};

typedef struct Job {
    const SnKernels *kernels;
    const SnTetVolume *volume;
    int first;
} Job;

static void volume_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->kernels->tet_volume(job->volume, job->first + begin, job->first + end);
}

// Above this share of inverted tets their volume is let be: corrected, they knot with their
// neighbours, and a body that starts mirrored never opens.
#define INVERTED_SHARE 0.002

// Tets that the last corrections left alone, which is what they do with inverted ones.
static void count_zeros(void *context, int begin, int end, double *sums)
{
    const SnSplitColours *colours = context;
    sums[0] = 0.0;
    for (int lane = begin; lane < end; ++lane) {
        sums[0] += colours->tets[lane] >= 0 && colours->multipliers[lane] == 0.0f ? 1.0 : 0.0;
    }
}

// Colour after colour, each in parallel: one order of corrections for any number of workers.
static void correct_volume(const SnSplitProblem *problem)
{
    SnSplit *body = problem->body;
    SnSplitColours *colours = &body->colours;
    SnSplitRoom *room = &body->room;
    size_t lanes = (size_t)colours->block_start[colours->count] * SN_VOLUME_BLOCK;
    SnTetVolume volume = {.vertices = colours->vertices,
                          .rest = colours->rest,
                          .inverse_dt2 = (float)(1.0 / problem->h2),
                          .multipliers = colours->multipliers,
                          .x = room->x};
    size_t count = sn_split_dofs(body);
    memset(colours->multipliers, 0, lanes * sizeof *colours->multipliers);
    for (size_t i = 0; i < count; ++i) {
        room->x[i] = room->start[i] + room->move[i];
    }
    for (int iteration = 0; iteration < body->options.volume_iterations; ++iteration) {
        for (int c = 0; c < colours->count; ++c) {
            Job job = {body->kernels, &volume, colours->block_start[c]};
            sn_parallel_for(problem->workers, colours->block_start[c + 1] - job.first, VOLUME_GRAIN,
                            volume_range, &job);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        room->move[i] = room->x[i] - room->start[i];
    }
    sn_parallel_sum(problem->workers, (int)lanes, 1, count_zeros, colours,
                    &body->state.clock[SN_SPLIT_INVERTED]);
}

// Volume constraints, unless too much is inverted, which is then counted again.
static void keep_volume(const SnSplitProblem *problem)
{
    SnSplit *body = problem->body;
    double *clock = body->state.clock;
    if (clock[SN_SPLIT_KNOWN] != 0.0 &&
        clock[SN_SPLIT_INVERTED] <= INVERTED_SHARE * body->elements.count) {
        correct_volume(problem);
    } else {
        SnSplitValue value = sn_split_value(problem, body->room.move);
        clock[SN_SPLIT_INVERTED] = value.inverted;
        clock[SN_SPLIT_KNOWN] = 1.0;
    }
}

static void correct_contact(const SnSplitProblem *problem)
{
    SnSplit *body = problem->body;
    const SnPointForces *contacts = problem->step->contacts;
    for (int sweep = 0; sweep < CONTACT_SWEEPS; ++sweep) {
        sn_split_place(problem, body->room.move, body->room.place);
        sn_point_set_evaluate(contacts, problem->workers, body->room.place);
        sn_split_points_correct(body, contacts, problem->h2, body->room.move);
    }
    if (contacts->renew != NULL) {
        contacts->renew(contacts->context, ((const SnPointSet *)contacts->points)->places);
    }
}

SinewStatus sn_split_paper(SnSplitProblem *problem, const SnSplitRule *rule, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    SnSplitRoom *room = &body->room;
    SnStep plain = *problem->step;
    SnSplitProblem passes = *problem;
    size_t count = sn_split_dofs(body);

    // Contact is answered after the passes, which only know the constant matrix.
    plain.contacts = NULL;
    passes.step = &plain;
    passes.law = SN_TET_MU;
    sn_split_begin(problem, rule);
    for (size_t i = 0; i < count; ++i) { // from the prediction
        room->move[i] += (room->aim[i] - room->move[i]) * room->free[i];
    }
    for (int pass = 0; pass < body->options.passes; ++pass) {
        sn_split_gradient(&passes, room->move, false);
        SN_TRY(sn_split_precondition(&passes, room->residual, false, room->step, error));
        sn_split_add(&passes, 1.0f, room->step, room->move);
        problem->report->iterations += 1;
    }
    if (body->options.volume_iterations > 0) {
        keep_volume(&passes);
    }
    if (problem->step->contacts != NULL) {
        correct_contact(problem);
    }
    SN_TRY(sn_split_end(problem, rule, error));

done:
    return status;
}
