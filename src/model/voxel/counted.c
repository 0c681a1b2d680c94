// A step of a given number of linearisations, each with a given number of iterations: for real
// time. Where something touches, or a linearisation goes far, a step is watched: its potential
// never ends above that of the start, vertices where they were and pins and colliders moved. That
// alone would let velocities double, so that in Euler's steps with pins that stay the energy,
// kinetic and potential, does not end above the start's either: with w = v - v_n it is
//
//     v'M v / 2 + E(x) = Phi(d) + v_n'M v_n / 2 + v_n'M w,    and at the start Phi(0),
//
// and where the potential is convex the exact step loses w'M w / 2 besides what is damped.
//
// Mode paper has no potential, but forces that are nearly one's. Its moves are good where they
// balance forces, too, and its steps are held to the energy, by both rules, where cells are much
// strained as well. A step that cannot keep to that is left to another than [E]'s way.
//
// Not taken: to look at every step's end. It costs a look, a fifth of a step of one linearisation,
// and where nothing touches and moves are short the quadratic model holds, along which conjugate
// gradients only go down.
#include "model/voxel/grip.h"

#include <math.h>
#include <string.h>

// Times that a move is shortened before it is none, and linearisations besides those asked for.
enum { CUTS_MAX = 8, EXTRA_MAX = 8 };

// A step that leaves more than this share of the forces at play unbalanced is not solved; one that
// leaves no more than the other is, and no further linearisation will change much.
#define UNSOLVED 0.5
#define SOLVED 0.1

// Corners of a cell that are displaced by this share of its edge, in its frame, strain it much.
#define STRAINED 0.3

// How many times its noise mode paper may gain in a step of BDF2.
#define SWINGS 5.0

// A move of mode paper is good that leaves this share of what was unbalanced.
#define BALANCES 0.5

// A pin that moves by less than this share of the coordinates stays.
#define STILL 1e-9

// A linearisation goes far that moves a vertex by this share of a cell's edge.
#define FAR 0.25

static double slope_of(const SnVoxelBody *body)
{
    double sum = 0.0;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        sum += body->room.residual[i] * body->room.direction[i];
    }
    return sum;
}

// The direction of a linearisation at the pose last looked at; answers its longest component.
static double linearise(const SnVoxelProblem *problem, int pcg, double tolerance,
                        SnVoxelValue *value)
{
    SnVoxelBody *body = problem->body;
    problem->report->iterations += 1;
    sn_voxel_system_make(problem);
    value->residual *= sn_voxel_system_iterate(problem, tolerance, pcg);
    double longest = sn_voxel_longest(body), length = sn_voxel_first_length(body, longest);
    for (size_t k = 0; k < sn_voxel_dofs(body) && length < 1.0; ++k) {
        body->room.direction[k] *= length;
    }
    return longest;
}

static bool touches(const SnVoxelProblem *problem)
{
    const SnPointForces *contacts = problem->step->contacts;
    return contacts != NULL && ((const SnVoxelPoints *)contacts->points)->active_count > 0;
}

// Whether all cells are near enough to rigid motions: the energy of others has minima of its own,
// in which a watched step would end.
static bool follows(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    bool all = problem->exact;
    for (size_t e = 0; e < (size_t)body->grid.cell_count && all && !body->linear; ++e) {
        all = sn_voxel_planes(body, e)[SN_VOXEL_GROUP * SN_VOXEL_PLANE_OK] > 0.0f;
    }
    return all;
}

// Vertices where they were, but for held ones; poses begin as they were.
static void find_start(const SnVoxelProblem *problem, double *move)
{
    SnVoxelBody *body = problem->body;
    SnVoxelRoom *room = &body->room;
    double *base = room->base;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        move[i] = sn_voxel_holds(body, i) ? room->target[i] - body->state.positions[i] : 0.0;
    }
    room->base = body->state.rotations;
    sn_voxel_grip_settle(problem, false, move, move);
    room->base = base;
}

// Whether a cell of mode paper is so strained that its forces may bring in energy.
static bool is_strained(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    float most = 0.0f;
    for (size_t e = 0; e < (size_t)body->grid.cell_count; e += SN_VOXEL_GROUP) {
        const float *u = sn_voxel_planes(body, e); // lanes past the last cell repeat it
        for (int i = 0; i < SN_VOXEL_GROUP * SN_VOXEL_DOFS; ++i) {
            float size = fabsf(u[i]);
            most = size > most ? size : most;
        }
    }
    return (double)most > STRAINED * body->grid.edge;
}

// The start, as the room's trial.
static SnVoxelValue look_at_start(const SnVoxelProblem *problem)
{
    SnVoxelBody *body = problem->body;
    SnVoxelRoom *room = &body->room;
    double *base = room->base;
    find_start(problem, room->trial);
    room->base = body->state.rotations;
    SnVoxelValue start = sn_voxel_potential(problem, room->trial);
    room->base = base;
    return start;
}

void sn_voxel_take_start(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    find_start(problem, body->room.move);
    memcpy(body->room.base, body->state.rotations,
           9 * (size_t)body->grid.cell_count * sizeof *body->room.base);
}

// Where the potential along a direction is least, as a share of a length at which it is too high.
static double shorten(double phi, double slope, double length, const SnVoxelValue *at)
{
    double least = -0.5 * slope * length / (at->phi - phi - slope * length);
    return at->allowed && least > 0.1 && least < 0.5 ? least
           : at->allowed && least >= 0.5             ? 0.5
                                                     : 0.1;
}

// Whether a move may end there. Forces of mode paper, which are no gradient, balance where their
// potential is not least: with most of what was unbalanced gone a move is good, whatever that says.
static bool is_good(const SnVoxelProblem *problem, const SnVoxelValue *from, double unbalanced,
                    const SnVoxelValue *to)
{
    bool balances = !problem->exact && to->residual <= BALANCES * unbalanced;
    return to->allowed && (balances || to->phi <= from->phi + from->noise);
}

// Goes along the direction as far as the move is good, from forces of which so much was unbalanced.
// Afterwards the move has been looked at. Answers how far.
static double advance(const SnVoxelProblem *problem, double slope, double unbalanced,
                      SnVoxelValue *value)
{
    SnVoxelBody *body = problem->body;
    SnVoxelRoom *room = &body->room;
    size_t count = sn_voxel_dofs(body);
    double length = 1.0;
    memcpy(room->trial, room->move, count * sizeof *room->trial);
    for (int cut = 0;; ++cut) {
        for (size_t i = 0; i < count; ++i) {
            room->move[i] = room->trial[i] + length * room->direction[i];
        }
        sn_voxel_grip_settle(problem, false, room->move, room->move);
        SnVoxelValue next = sn_voxel_potential(problem, room->move);
        bool good = is_good(problem, value, unbalanced, &next);
        if (good || cut == CUTS_MAX) {
            *value = next;
            sn_voxel_accept(problem);
            return good ? length : 0.0;
        }
        problem->report->line_search_cuts += 1;
        length *= cut + 1 < CUTS_MAX ? shorten(value->phi, slope, length, &next) : 0.0;
    }
}

// What a step is watched for.
typedef struct Watch {
    bool is_on;       // moves are looked at and shortened
    bool is_strained; // by what cells of mode paper are like
    bool is_bounded;  // the bound is known
    bool is_stuck;    // the last direction led nowhere
    bool is_cut;      // or not as far as it should
    double bound;     // J, that the potential must not exceed at the end
    double gain;      // J, that the energy must not exceed, less v_n'M v_n / 2
    double energy;    // J, the same of mode paper, as it is
} Watch;

// Whether the start as the room's trial is where the body was: pins that move do work.
static bool is_still(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    double longest = 0.0;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        longest = fmax(longest, fabs(body->room.trial[i]));
    }
    return longest <= STILL * problem->largest;
}

// Kinetic and potential energy of mode paper, whose masses are at vertices, after a move with that
// potential, and the kinetic one alone; `begins`: with the velocities of the start.
static double energy_at(const SnVoxelProblem *problem, const double *d, double phi, bool begins,
                        double *out_kinetic)
{
    const SnVoxelBody *body = problem->body;
    double kinetic = 0.0, inertia = 0.0;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        double a = problem->a_rate * d[i] + body->room.a0[i];
        double v = begins ? body->state.velocities[i] : problem->v_rate * d[i] + body->room.v0[i];
        kinetic += 0.5 * body->masses[i / 3] * v * v;
        inertia += 0.5 * body->masses[i / 3] * a * a / problem->a_rate; // what phi has in its place
    }
    *out_kinetic = kinetic;
    return phi + kinetic - inertia;
}

// Finds the bound; what was last looked at is then the start.
static void find_bound(const SnVoxelProblem *problem, const SnVoxelValue *value, Watch *watch)
{
    SnVoxelValue start = look_at_start(problem);
    double kinetic;
    bool euler = problem->body->options.integrator == SINEW_INTEGRATOR_EULER;
    bool loses = euler && problem->exact && is_still(problem);
    watch->bound = start.phi < value->phi ? start.phi : value->phi;
    watch->gain = loses ? start.phi + 0.5 * start.push : INFINITY;
    watch->energy = !problem->exact && is_still(problem)
                        ? energy_at(problem, problem->body->room.trial, start.phi, true, &kinetic)
                        : INFINITY;
    watch->is_bounded = true;
}

static void take_one(const SnVoxelProblem *problem, int pcg, double tolerance, Watch *watch,
                     SnVoxelValue *value)
{
    const SnVoxelBody *body = problem->body;
    double unbalanced = value->residual;
    double longest = linearise(problem, pcg, tolerance, value);
    bool far = problem->counted && longest > FAR * body->grid.edge && follows(problem);
    watch->is_on = watch->is_on || far;
    if (!watch->is_on) {
        for (size_t k = 0; k < sn_voxel_dofs(body); ++k) {
            body->room.move[k] += body->room.direction[k];
        }
        return;
    }
    double slope = slope_of(body);
    if (!watch->is_bounded && (far || watch->is_strained || touches(problem))) {
        find_bound(problem, value, watch);
    }
    double length = advance(problem, slope, unbalanced, value);
    watch->is_stuck = length == 0.0;
    watch->is_cut = length < 1.0;
}

// Whether a step of mode paper ends with more energy than it began with. BDF2 lets energy swing by
// itself, by 0.3 % of what there is in steps of up to 10 ms; where cells are much strained those
// forces bring in 5 % and more.
static bool gains(const SnVoxelProblem *problem, const Watch *watch, const SnVoxelValue *value)
{
    if (problem->exact || !isfinite(watch->energy)) {
        return false;
    }
    double kinetic, slack = value->noise;
    double energy = energy_at(problem, problem->body->room.move, value->phi, false, &kinetic);
    if (problem->body->options.integrator != SINEW_INTEGRATOR_EULER) {
        slack = SWINGS * (value->noise + SN_VOXEL_WARP_NOISE * kinetic);
    }
    return !(energy <= watch->energy + slack);
}

// Whether the room's move, of that value, ends with more than it may.
static bool exceeds(const SnVoxelProblem *problem, const Watch *watch, const SnVoxelValue *value)
{
    return watch->is_bounded && (!(value->phi <= watch->bound + value->noise &&
                                   value->phi + value->push <= watch->gain + value->noise) ||
                                 gains(problem, watch, value));
}

// Whether a step needs more linearisations than it was given: too much is left, or its last move
// was cut short or left most of the forces unbalanced, since it went past contacts that it did not
// know of or out of some that it did. What contact does then would heat the next steps.
static bool wants_more(const SnVoxelProblem *problem, const Watch *watch, const SnVoxelValue *value)
{
    bool unsolved = watch->is_cut || value->residual > UNSOLVED * value->scale;
    return watch->is_bounded && !watch->is_stuck && (unsolved || exceeds(problem, watch, value));
}

// From the start itself, and half as far until nothing is gained.
static void begin_again(const SnVoxelProblem *problem, int pcg, double tolerance, Watch *watch,
                        SnVoxelValue *value)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    size_t count = sn_voxel_dofs(body);
    memcpy(room->base, body->state.rotations,
           9 * (size_t)body->grid.cell_count * sizeof *room->base);
    *value = look_at_start(problem);
    sn_voxel_accept(problem);
    memcpy(room->move, room->trial, count * sizeof *room->move);
    take_one(problem, pcg, tolerance, watch, value);
    for (int cut = 0; cut < CUTS_MAX && exceeds(problem, watch, value); ++cut) {
        look_at_start(problem);
        for (size_t i = 0; i < count; ++i) {
            double share = cut + 1 < CUTS_MAX ? 0.5 : 0.0;
            room->move[i] = room->trial[i] + share * (room->move[i] - room->trial[i]);
        }
        sn_voxel_grip_settle(problem, false, room->move, room->move);
        *value = sn_voxel_potential(problem, room->move);
        sn_voxel_accept(problem);
        problem->report->line_search_cuts += 1;
    }
}

// More linearisations where those asked for leave too much, and at last from the start, which is
// never left for something worse. In mode paper that is done by the gradient of its energy instead:
// where cells are much strained, [E]'s forces balance only where there is more energy than before,
// and steps that are solved well go from one to the next until cells invert. Answers whether the
// step may end as it is.
static bool rescue(const SnVoxelProblem *problem, int pcg, double tolerance, Watch *watch,
                   SnVoxelValue *value)
{
    bool solved = value->residual <= SOLVED * value->scale;
    bool in_vain = !problem->exact && solved && exceeds(problem, watch, value);
    problem->report->rescues += 1;
    for (int i = 0; i < EXTRA_MAX && !in_vain && wants_more(problem, watch, value) &&
                    !sn_voxel_is_capped(problem);
         ++i) {
        take_one(problem, pcg, tolerance, watch, value);
    }
    if (!problem->exact) {
        return !exceeds(problem, watch, value) && !watch->is_cut &&
               value->residual <= UNSOLVED * value->scale;
    }
    if (exceeds(problem, watch, value)) {
        begin_again(problem, pcg, tolerance, watch, value);
    }
    return true;
}

// What pins have to bear after a move that was not looked at.
static void add_last_move(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    if (body->pins.set.held_count > 0 || body->pins.grip.count > 0) {
        sn_voxel_system_apply(problem, room->direction, room->trial);
        for (size_t k = 0; k < sn_voxel_dofs(body); ++k) {
            room->residual[k] += room->trial[k];
        }
    }
}

bool sn_voxel_take_counted(const SnVoxelProblem *problem, int newton, int pcg, double tolerance,
                           SnVoxelValue *value)
{
    const SnVoxelRoom *room = &problem->body->room;
    bool strained = problem->counted && !problem->exact && is_strained(problem);
    Watch watch = {.is_on = strained || (problem->counted && problem->step->contacts != NULL),
                   .is_strained = strained};
    for (int i = 0; i < newton && !watch.is_stuck && (i == 0 || !sn_voxel_is_capped(problem));
         ++i) {
        if (i > 0 && !watch.is_on) {
            *value = sn_voxel_potential(problem, room->move);
            sn_voxel_accept(problem);
        }
        take_one(problem, pcg, tolerance, &watch, value);
    }
    if (!watch.is_on) {
        add_last_move(problem);
    } else if (!watch.is_bounded && touches(problem)) {
        find_bound(problem, value, &watch); // touched at the last move
        *value = sn_voxel_potential(problem, room->move);
    }
    bool wanting = wants_more(problem, &watch, value) || exceeds(problem, &watch, value);
    if (wanting && !rescue(problem, pcg, tolerance, &watch, value)) {
        return false;
    }
    sn_voxel_renew(problem, value);
    return true;
}
