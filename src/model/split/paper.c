// A step as [B] has it: local-global passes of the mu part, then volume constraints.
#include "base/clock.h"
#include "model/split/contact.h"
#include "model/split/step.h"
#include "model/split/system.h"

#include <string.h>

enum {
    CHUNK_GRAIN = 1,    // chunks a range
    VERTEX_GRAIN = 1024 // vertices a range
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

static void sum_inverted(void *context, int begin, int end, double *sums)
{
    const SnSplitColours *colours = context;
    int count = 0;
    for (int c = begin; c < end; ++c) {
        count += colours->inverted[c];
    }
    sums[0] = count;
}

static SnVertexPlaces places_of(SnSplit *body)
{
    SnSplitRoom *room = &body->room;
    return (SnVertexPlaces){.start = room->start,
                            .step = room->residual,
                            .free = room->free,
                            .move = room->move,
                            .x = room->x,
                            .places = body->colours.places};
}

// A pass' step, which the solve left in place of the residual, on top of the move; and where that
// leads, for what comes next.
static void advance_range(void *context, int begin, int end, int worker)
{
    SnSplit *body = context;
    SnVertexPlaces places = places_of(body);
    (void)worker;
    body->kernels->vertex->advance(&places, begin, end);
}

static void retreat_range(void *context, int begin, int end, int worker)
{
    SnSplit *body = context;
    SnVertexPlaces places = places_of(body);
    (void)worker;
    body->kernels->vertex->retreat(&places, begin, end);
}

// Colour after colour, each in parallel: one order of corrections for any number of workers.
static void correct_volume(const SnSplitProblem *problem)
{
    SnSplit *body = problem->body;
    SnSplitColours *colours = &body->colours;
    SnTetVolume volume = {.chunk_block = colours->chunk_block,
                          .vertices = colours->vertices,
                          .rest = colours->rest,
                          .inverse_dt2 = (float)(1.0 / problem->h2),
                          .multipliers = colours->multipliers,
                          .x = colours->places,
                          .inverted = colours->inverted};
    int vertices = body->elements.vertex_count;
    for (int iteration = 0; iteration < body->options.volume_iterations; ++iteration) {
        volume.fresh = iteration == 0;
        for (int c = 0; c < colours->count; ++c) {
            Job job = {body->kernels, &volume, colours->chunk_start[c]};
            sn_parallel_for(problem->workers, colours->chunk_start[c + 1] - job.first, CHUNK_GRAIN,
                            volume_range, &job);
        }
    }
    sn_parallel_for(problem->workers, vertices, VERTEX_GRAIN, retreat_range, body);
    sn_parallel_sum(problem->workers, colours->chunk_count, 1, sum_inverted, colours,
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

// Adds the time since the last mark to a phase, where someone asked for it.
static void mark(const SnSplit *body, int phase, double *last)
{
    if (body->phases != NULL) {
        double now = sn_clock_seconds();
        if (phase >= 0) {
            body->phases[phase] += now - *last;
        }
        *last = now;
    }
}

// One local-global pass, [B eq 12]: the step is made where the residual is.
static SinewStatus pass_once(const SnSplitProblem *problem, double *last, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    sn_split_gradient_here(problem, body->room.move, false);
    mark(body, SN_SPLIT_LOCAL, last);
    SN_TRY(sn_split_system_solve(body, problem->workers, body->room.residual, error));
    mark(body, -1, last); // the solve times itself
    sn_parallel_for(problem->workers, body->elements.vertex_count, VERTEX_GRAIN, advance_range,
                    body);
    problem->report->linear_solves += 1;
    problem->report->iterations += 1;
done:
    return status;
}

SinewStatus sn_split_paper(SnSplitProblem *problem, const SnSplitRule *rule, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    SnStep plain = *problem->step;
    SnSplitProblem passes = *problem;
    double last = 0.0;

    // Contact is answered after a pass, which only knows the constant matrix; after the last one
    // behind the volume, whose corrections know nothing of it either.
    plain.contacts = NULL;
    passes.step = &plain;
    passes.law = SN_TET_MU;
    mark(body, -1, &last);
    sn_split_begin(problem, rule, true); // from the prediction
    mark(body, SN_SPLIT_PREDICT, &last);
    for (int pass = 0; pass < body->options.passes; ++pass) {
        SN_TRY(pass_once(&passes, &last, error));
        if (problem->step->contacts != NULL && pass + 1 < body->options.passes) {
            SN_TRY(sn_split_contact_correct(problem, error));
            sn_split_look(problem, body->room.move);
        }
    }
    if (body->options.volume_iterations > 0) {
        keep_volume(&passes);
    }
    mark(body, SN_SPLIT_VOLUME, &last);
    if (problem->step->contacts != NULL) {
        SN_TRY(sn_split_contact_correct(problem, error));
    }
    SN_TRY(sn_split_end(problem, rule, error));
    mark(body, SN_SPLIT_VELOCITY, &last);

done:
    return status;
}
