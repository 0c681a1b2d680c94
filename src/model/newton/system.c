#include "model/newton/system.h"

#include "model/newton/pins.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 }; // rows a range

typedef struct Job {
    const SnNewton *body;
    const double *value;
    double shift;
} Job;

static void reduce_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnNewtonPins *pins = &job->body->pins;
    (void)worker;
    for (int r = begin; r < end; ++r) {
        unsigned row_held = pins->set.held[pins->row_vertices[r]];
        for (int i = pins->row_start[r]; i < pins->row_start[r + 1]; ++i) {
            const double *from = job->value + 9 * (size_t)pins->source[i];
            double *to = pins->value + 9 * (size_t)i;
            unsigned column_held = pins->set.held[pins->row_vertices[pins->column[i]]];
            bool diagonal = pins->column[i] == r;
            memcpy(to, from, 9 * sizeof *to);
            for (unsigned k = 0; k < 3 && diagonal; ++k) {
                to[4 * k] += job->shift;
            }
            if ((row_held | column_held) == 0) {
                continue;
            }
            for (unsigned k = 0; k < 9; ++k) {
                if ((row_held >> (k / 3) & 1) || (column_held >> (k % 3) & 1)) {
                    to[k] = diagonal && k % 4 == 0 ? 1.0 : 0.0;
                }
            }
        }
    }
}

SinewStatus sn_newton_system_factor(SnNewton *body, SnWorkers *workers, const double *value,
                                    double shift, SinewError *error)
{
    const SnNewtonPins *pins = &body->pins;
    Job job = {body, value, shift};
    SnSparse A = {.count = pins->row_count,
                  .block = 3,
                  .row_start = pins->row_start,
                  .column = pins->column,
                  .value = pins->value};
    if (pins->row_count == 0) {
        return SINEW_OK;
    }
    sn_parallel_for(workers, pins->row_count, GRAIN, reduce_range, &job);
    return sn_cholesky_factor(pins->cholesky, &A, workers, error);
}

SinewStatus sn_newton_system_solve(SnNewton *body, SnWorkers *workers, const double *right_side,
                                   double *out, SinewError *error)
{
    const SnNewtonPins *pins = &body->pins;
    double *b = body->room.solution;
    memset(out, 0, sn_newton_dofs(body) * sizeof *out);
    if (pins->row_count == 0) {
        return SINEW_OK;
    }
    for (int r = 0; r < pins->row_count; ++r) {
        size_t at = 3 * (size_t)pins->row_vertices[r];
        for (size_t k = 0; k < 3; ++k) {
            b[3 * (size_t)r + k] = sn_newton_pins_hold(body, at + k) ? 0.0 : right_side[at + k];
        }
    }
    SinewStatus status = sn_cholesky_solve_double(pins->cholesky, pins->work, workers, b, error);
    for (int r = 0; r < pins->row_count; ++r) {
        size_t at = 3 * (size_t)pins->row_vertices[r];
        for (size_t k = 0; k < 3; ++k) {
            out[at + k] = b[3 * (size_t)r + k];
        }
    }
    return status;
}

void sn_newton_system_multiply(const SnNewton *body, SnWorkers *workers, const double *value,
                               const double *x, double *out)
{
    SnSparse A = {.count = body->pattern.count,
                  .block = 3,
                  .row_start = body->pattern.row_start,
                  .column = body->pattern.column,
                  .value = value};
    sn_sparse_multiply(&A, workers, 1, x, out);
}

double sn_newton_mean_diagonal(const SnNewton *body)
{
    double sum = 0.0;
    for (int v = 0; v < body->pattern.count; ++v) {
        const double *block = body->room.stiffness + 9 * (size_t)body->pattern.diagonal[v];
        sum += fabs(block[0]) + fabs(block[4]) + fabs(block[8]);
    }
    return sum / (3.0 * body->pattern.count);
}
