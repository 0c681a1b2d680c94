#include "model/one_turn.h"

#include "math/mat3.h"
#include "math/rotation_reference.h"

// Far below what would turn the body, and far above what elements say.
#define LIKE_REST 1e-9
#define LIKE_PINS 1e3

enum { WHOLE = 7 }; // all components are held

// Whether all components of the entry i of a pin are held.
static bool is_whole(const SnPinSet *pins, int pin, int i)
{
    return (pins->held != NULL ? pins->held[pins->vertices[i]] : pins->axes[pin]) == WHOLE;
}

// Means of the places of vertices that are held whole, and of where they rest.
static int find_middles(const SnOneTurn *body, double out_x[3], double out_X[3])
{
    const SnPinSet *pins = body->pins;
    int count = 0;
    for (int p = 0; p < pins->count; ++p) {
        for (int i = pins->start[p]; i < pins->start[p + 1]; ++i) {
            size_t v = (size_t)pins->vertices[i];
            for (size_t k = 0; k < 3 && is_whole(pins, p, i); ++k) {
                out_x[k] += body->places[3 * v + k];
                out_X[k] += body->rest[3 * v + k];
                count += k == 0 ? 1 : 0;
            }
        }
    }
    for (int k = 0; k < 3 && count > 0; ++k) {
        out_x[k] /= count;
        out_X[k] /= count;
    }
    return count;
}

// sum (x - middle) (X - middle)^T over them, over the sum of the squares of X - middle.
static void add_pins(const SnOneTurn *body, double A[9])
{
    const SnPinSet *pins = body->pins;
    double x0[3] = {0.0}, X0[3] = {0.0}, sums[9] = {0.0}, square = 0.0;
    if (find_middles(body, x0, X0) == 0) {
        return;
    }
    for (int p = 0; p < pins->count; ++p) {
        for (int i = pins->start[p]; i < pins->start[p + 1]; ++i) {
            const double *x = body->places + 3 * (size_t)pins->vertices[i];
            const double *X = body->rest + 3 * (size_t)pins->vertices[i];
            for (int k = 0; k < 9 && is_whole(pins, p, i); ++k) {
                double d = X[k % 3] - X0[k % 3];
                sums[k] += (x[k / 3] - x0[k / 3]) * d;
                square += k < 3 ? d * d : 0.0;
            }
        }
    }
    for (int k = 0; k < 9 && square > 0.0; ++k) {
        A[k] += LIKE_PINS * body->weight * sums[k] / square;
    }
}

void sn_one_turn_find(const SnOneTurn *body, double out_R[9])
{
    double A[9], nearest[9], by[9];
    const double *t = body->turn;
    for (int k = 0; k < 9; ++k) {
        A[k] = body->sum[k] + LIKE_REST * body->weight * body->at_rest[k];
    }
    add_pins(body, A);
    sn_rotation_reference(A, nearest);
    double q[4] = {0.5 * t[0], 0.5 * t[1], 0.5 * t[2], 1.0};
    double length = sn_quat_norm(q);
    for (int k = 0; k < 4; ++k) {
        q[k] /= length;
    }
    sn_quat_to_mat3(q, by);
    sn_mat3_multiply(by, nearest, out_R);
}
