#include "model/newton/line_search.h"

#include <math.h>
#include <string.h>

enum { CUTS_MAX = 40 };

// Armijo's share of the slope.
#define SUFFICIENT 1e-4

// True when the trial is better: lower by a share of the slope, or, where that is below what
// rounding leaves of a difference, nearer to equilibrium.
static bool is_better(const SnNewtonValue *from, const SnNewtonValue *to, double expected)
{
    if (!to->allowed) {
        return false;
    }
    if (to->phi <= from->phi + SUFFICIENT * expected && to->phi < from->phi) {
        return true;
    }
    return fabs(expected) <= from->noise && to->residual < from->residual;
}

// How much to go at most after a whole step failed: half of it, and no vertex farther than the body
// is long. A body that nothing holds yet, such as one about to touch a floor, has a tangent that is
// singular but for rounding, and steps without measure.
static double shorten(const SnNewton *body)
{
    size_t count = sn_newton_dofs(body);
    double longest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        longest = fmax(longest, fabs(body->room.direction[i]));
    }
    return longest > 2.0 * body->size ? body->size / longest : 0.5;
}

bool sn_newton_line_search(const SnNewtonProblem *problem, SnNewtonValue *value)
{
    SnNewton *body = problem->body;
    SnNewtonRoom *room = &body->room;
    size_t count = sn_newton_dofs(body);
    double slope = sn_newton_dot(body, room->residual, room->direction);
    double length = 1.0;
    if (!isfinite(slope) || slope > 0.0) {
        return false;
    }
    for (int cut = 0; cut < CUTS_MAX; ++cut) {
        for (size_t i = 0; i < count; ++i) {
            room->trial[i] = room->move[i] + length * room->direction[i];
        }
        SnNewtonValue trial = sn_newton_potential(problem, room->trial);
        if (is_better(value, &trial, length * slope)) {
            memcpy(room->move, room->trial, count * sizeof *room->move);
            *value = trial;
            return true;
        }
        problem->report->line_search_cuts += 1;
        length *= cut == 0 ? shorten(body) : 0.5;
        // Where rounding rules, shorter steps can only stand still.
        if (fabs(slope) <= value->noise && cut >= 4) {
            break;
        }
    }
    return false;
}
