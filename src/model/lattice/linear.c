// When levels are linearised, and for how long coarse ones are kept: within a minimisation, and
// from one step to the next, until cells have turned too far or springs have changed by much. Kept
// levels are those at positions that the state has, and their factor has the state's springs, so
// that a restored state leads to the same bits: they are then made again.
#include "model/lattice/damping.h"
#include "model/lattice/springs.h"
#include "model/lattice/vectors.h"

#include <math.h>
#include <string.h>

// A solve that takes more iterations asks for fresh levels.
enum { ITERATIONS_KEPT = 40 };

// Inertia of all levels; true when stiffness changed with it.
static bool set_inertia(const SnLatticeProblem *problem, const double rates[2])
{
    SnLattice *body = problem->body;
    SnLatticeLevel *fine = &body->multigrid.levels[0];
    bool changed = memcmp(rates, body->inertia_rates, sizeof body->inertia_rates) != 0;
    if (changed) {
        for (int v = 0; v < body->mesh->vertex_count; ++v) {
            double damping = body->damp_masses != NULL ? body->damp_masses[v] : 0.0;
            int at = body->nodes[v];
            fine->inertia[at / SN_LATTICE_NODE * SN_LATTICE_BLOCK + at % SN_LATTICE_BLOCK] =
                (float)(rates[0] * body->masses[v] + rates[1] * damping);
        }
        if (body->betas != NULL) {
            sn_lattice_damping_stiffen(body, rates[1]);
        }
        sn_lattice_multigrid_inertia(&body->multigrid, true);
        memcpy(body->inertia_rates, rates, sizeof body->inertia_rates);
    }
    for (int l = 0; l < body->multigrid.level_count; ++l) {
        body->multigrid.levels[l].has_inertia = problem->dynamic;
    }
    return changed && body->betas != NULL;
}

// Takes the springs that the factor of the coarsest level gets, as they are or as they were kept.
static void join_springs(SnLattice *body, bool has)
{
    body->multigrid.coarsest.springs =
        (SnLatticeCellSprings){.count = has ? body->mesh->hex_count : 0,
                               .places = body->places,
                               .numbers = body->state.springs};
}

// All levels at the state last looked at.
static SinewStatus renew(const SnLatticeProblem *problem, const SnLatticeSprings *springs,
                         SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    double *clock = body->state.clock;

    clock[SN_LATTICE_CLOCK_KEPT] = 0.0;
    body->renewals += 1;
    if (springs != NULL || clock[SN_LATTICE_CLOCK_SPRINGS] != 0.0) {
        memcpy(body->state.springs, body->room.springs,
               SN_LATTICE_CELL_SPRING * (size_t)body->mesh->hex_count * sizeof(double));
    }
    clock[SN_LATTICE_CLOCK_SPRINGS] = springs != NULL ? 1.0 : 0.0;
    join_springs(body, springs != NULL);
    SN_TRY(sn_lattice_multigrid_renew(&body->multigrid, problem->workers, body->room.x64, springs,
                                      error));
    if (problem->keeps) {
        memcpy(body->state.linear, body->room.x, sn_lattice_dofs(body) * sizeof(double));
        clock[SN_LATTICE_CLOCK_KEPT] = 1.0;
        clock[SN_LATTICE_CLOCK_A_RATE] = body->inertia_rates[0];
        clock[SN_LATTICE_CLOCK_V_RATE] = body->inertia_rates[1];
        body->has_levels = true;
    }

done:
    return status;
}

// The coarse levels that the state says were kept, as they were.
static SinewStatus remake(const SnLatticeProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    SnLatticeMultigrid *m = &body->multigrid;

    join_springs(body, body->state.clock[SN_LATTICE_CLOCK_SPRINGS] != 0.0);
    sn_lattice_vectors_spread(body, problem->workers, body->state.linear, body->room.x64);
    SN_TRY(sn_lattice_multigrid_linearise(m, problem->workers, body->room.x64, NULL, error));
    sn_lattice_vectors_spread(body, problem->workers, body->room.x, body->room.x64);
    sn_lattice_level_linearise(&m->levels[0], problem->workers, body->room.x64);
    body->has_levels = true;

done:
    return status;
}

// Whether the springs of the coarsest level's factor are near those there are.
static bool springs_fit(const SnLattice *body, const SnLatticeSprings *springs, double most)
{
    bool had = body->state.clock[SN_LATTICE_CLOCK_SPRINGS] != 0.0;
    return springs == NULL && !had
               ? true
               : sn_lattice_springs_fit(body, body->state.springs, body->room.springs, most);
}

// The first time in a step.
static SinewStatus resume(const SnLatticeProblem *problem, const SnLatticeSprings *springs,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    const double *clock = body->state.clock;
    bool kept = problem->keeps && clock[SN_LATTICE_CLOCK_KEPT] != 0.0 &&
                clock[SN_LATTICE_CLOCK_A_RATE] == body->inertia_rates[0] &&
                clock[SN_LATTICE_CLOCK_V_RATE] == body->inertia_rates[1] &&
                springs_fit(body, springs, SN_LATTICE_SPRINGS_KEPT);

    if (!kept) {
        return renew(problem, springs, error);
    }
    if (!body->has_levels) {
        SN_TRY(remake(problem, error));
    }
    sn_lattice_multigrid_compare(&body->multigrid, problem->workers, body->room.x64);
    if (!sn_lattice_multigrid_fits(&body->multigrid)) {
        return renew(problem, springs, error);
    }
    sn_lattice_multigrid_follow(&body->multigrid, problem->workers, springs);

done:
    return status;
}

// The full approximation scheme makes its own levels, and their springs are those of the points.
static SinewStatus linearise_whole(const SnLatticeProblem *problem, const SnLatticeSprings *springs,
                                   SinewError *error)
{
    SnLattice *body = problem->body;
    body->state.clock[SN_LATTICE_CLOCK_KEPT] = 0.0;
    body->multigrid.coarsest.springs = (SnLatticeCellSprings){0};
    return sn_lattice_multigrid_renew(&body->multigrid, problem->workers, body->room.x64, springs,
                                      error);
}

SinewStatus sn_lattice_linearise(const SnLatticeProblem *problem, bool follows, SinewError *error)
{
    SnLattice *body = problem->body;
    SnLatticeMultigrid *m = &body->multigrid;
    const SnPointForces *contacts = problem->step->contacts;
    double rates[2] = {problem->dynamic ? problem->a_rate : 0.0,
                       problem->dynamic ? problem->v_rate : 0.0};
    if (set_inertia(problem, rates)) {
        sn_lattice_level_linearise(&m->levels[0], problem->workers, body->room.x64);
    }
    const SnLatticeSprings *springs = contacts != NULL ? sn_lattice_points_springs(contacts) : NULL;
    if (body->options.cycle == SINEW_LATTICE_FAS) {
        return linearise_whole(problem, springs, error);
    }
    if (springs != NULL || body->state.clock[SN_LATTICE_CLOCK_SPRINGS] != 0.0) {
        sn_lattice_springs_join(body, springs != NULL ? contacts->points : NULL,
                                body->room.springs);
    }
    if (!follows) {
        return resume(problem, springs, error);
    }
    // Turns add up over all states that were looked at; how far cells are from the kept levels is
    // found where that is too much.
    if (m->turned < INFINITY && !sn_lattice_multigrid_fits(m)) {
        sn_lattice_multigrid_compare(m, problem->workers, body->room.x64);
    }
    double most = problem->dynamic ? SN_LATTICE_SPRINGS_FOLLOWED : SN_LATTICE_SPRINGS_KEPT;
    if (!springs_fit(body, springs, most) || !sn_lattice_multigrid_fits(m)) {
        return renew(problem, springs, error);
    }
    sn_lattice_multigrid_follow(m, problem->workers, springs);
    return SINEW_OK;
}

void sn_lattice_linear_tire(const SnLatticeProblem *problem, int iterations)
{
    SnLattice *body = problem->body;
    if (iterations > ITERATIONS_KEPT) {
        body->state.clock[SN_LATTICE_CLOCK_KEPT] = 0.0;
        body->multigrid.turned = INFINITY;
    }
}
