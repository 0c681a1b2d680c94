#include "model/frames/carried.h"

#include "geometry/point.h"
#include "math/mat3.h"

#include <math.h>

static void place(const SnCarriedDef *def, int each)
{
    const SnFramePoints *points = def->points;
    for (int i = 0; i < points->frame_count; ++i) {
        const double *pose = def->poses + 7 * (size_t)i;
        double R[9], rest[3], arm[3];
        sn_quat_to_mat3(pose, R);
        for (int p = each * i; p < each * (i + 1); ++p) {
            sn_point_minus(points->X + 3 * (size_t)p, def->origins + 3 * (size_t)i, rest);
            sn_mat3_apply(R, rest, arm);
            for (int k = 0; k < 3; ++k) {
                points->places[3 * p + k] = pose[4 + k] + arm[k];
            }
        }
    }
}

// Adds what a force with its stiffness is to the frame: J^T K J with J = (-[r], I), less the
// curvature of <f, o x (o x r) / 2>.
static void add_stiffness(const SnPointForce *force, const double r[3], bool curved, double H[36])
{
    const double J[18] = {0.0, r[2], -r[1], 1.0,  0.0,   0.0, -r[2], 0.0, r[0],
                          0.0, 1.0,  0.0,   r[1], -r[0], 0.0, 0.0,   0.0, 1.0};
    double KJ[18], along = sn_point_dot(force->force, r);
    for (int n = 0; n < 18; ++n) {
        const double *K = force->stiffness + 3 * (n / 6);
        KJ[n] = K[0] * J[n % 6] + K[1] * J[6 + n % 6] + K[2] * J[12 + n % 6];
    }
    for (int n = 0; n < 36; ++n) {
        H[n] +=
            J[n / 6] * KJ[n % 6] + J[6 + n / 6] * KJ[6 + n % 6] + J[12 + n / 6] * KJ[12 + n % 6];
    }
    for (int n = 0; curved && n < 9; ++n) {
        int a = n / 3, b = n % 3;
        H[6 * a + b] -= 0.5 * (force->force[a] * r[b] + force->force[b] * r[a]);
        H[6 * a + b] += a == b ? along : 0.0;
    }
}

double sn_carried_evaluate(const SnCarriedDef *def, double *gradient, double *matrix)
{
    const SnFramePoints *points = def->points;
    int frames = points->frame_count, each = points->count / frames;
    size_t dofs = SN_FRAME_DOFS * (size_t)frames;
    double energy = 0.0;
    place(def, each);
    def->evaluate(def->context, 0, points->count, points->places, points->forces);
    for (int i = 0; i < frames; ++i) {
        double H[36] = {0.0}, *g = gradient + 6 * (size_t)i;
        for (int p = each * i; p < each * (i + 1); ++p) {
            const SnPointForce *force = &points->forces[p];
            double r[3], torque[3];
            sn_point_minus(points->places + 3 * (size_t)p, def->poses + 7 * (size_t)i + 4, r);
            sn_point_cross(r, force->force, torque);
            for (int k = 0; k < 3; ++k) {
                g[k] -= torque[k];
                g[3 + k] -= force->force[k];
            }
            energy += force->energy;
            if (matrix != NULL) {
                add_stiffness(force, r, def->curvature, H);
            }
        }
        for (size_t n = 0; matrix != NULL && n < 36; ++n) {
            size_t row = 6 * (size_t)i + n / 6, column = 6 * (size_t)i + n % 6;
            matrix[row * dofs + column] += column <= row ? H[n] : 0.0;
        }
    }
    return isfinite(energy) ? energy : INFINITY;
}
