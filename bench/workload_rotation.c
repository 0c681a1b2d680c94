#include "workload_rotation.h"

#include <math.h>
#include <stddef.h>

static const double pi = 3.14159265358979323846;

void sn_random_direction(SnRandom *random, double out_axis[3])
{
    double z = sn_random_between(random, -1.0, 1.0);
    double angle = sn_random_between(random, 0.0, 2.0 * pi);
    double radius = sqrt(1.0 - z * z);
    out_axis[0] = radius * cos(angle);
    out_axis[1] = radius * sin(angle);
    out_axis[2] = z;
}

// Uniform rotations have an angle of density 1 - cos: drawn by rejection under its largest value.
static double random_angle(SnRandom *random, double most)
{
    for (;;) {
        double angle = sn_random_between(random, 0.0, most);
        if (sn_random_unit(random) * (1.0 - cos(most)) <= 1.0 - cos(angle)) {
            return angle;
        }
    }
}

void sn_random_rotation(SnRandom *random, double angle, double out_R[9])
{
    double n[3];
    sn_random_direction(random, n);
    double turn = random_angle(random, angle);
    double c = cos(turn);
    double s = sin(turn);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out_R[3 * i + j] = (1.0 - c) * n[i] * n[j] + (i == j ? c : 0.0);
        }
    }
    out_R[1] -= s * n[2];
    out_R[2] += s * n[1];
    out_R[3] += s * n[2];
    out_R[5] -= s * n[0];
    out_R[6] -= s * n[1];
    out_R[7] += s * n[0];
}

// The regular tetrahedron of edge 1: edges from vertex 0 as columns of Dm.
static const double rest_edges[3][3] = {
    {1.0, 0.0, 0.0},
    {0.5, 0.86602540378443865, 0.0},
    {0.5, 0.28867513459481288, 0.81649658092772603},
};

// F = Ds Dm^-1; Dm is upper triangular here, so its inverse is back substitution.
static void edges_to_gradient(double edges[3][3], double out_F[9])
{
    for (int r = 0; r < 3; ++r) {
        double f0 = edges[0][r] / rest_edges[0][0];
        double f1 = (edges[1][r] - f0 * rest_edges[1][0]) / rest_edges[1][1];
        double f2 =
            (edges[2][r] - f0 * rest_edges[2][0] - f1 * rest_edges[2][1]) / rest_edges[2][2];
        out_F[3 * r] = f0;
        out_F[3 * r + 1] = f1;
        out_F[3 * r + 2] = f2;
    }
}

void sn_workload_tet_matrix(SnRandom *random, double out_F[9])
{
    double moved[4][3];
    for (int v = 0; v < 4; ++v) {
        double direction[3];
        sn_random_direction(random, direction);
        double distance = sn_random_between(random, 0.0, 0.1);
        for (int k = 0; k < 3; ++k) {
            moved[v][k] = distance * direction[k] + (v > 0 ? rest_edges[v - 1][k] : 0.0);
        }
    }
    double R[9];
    sn_random_rotation(random, pi / 18.0, R);
    double edges[3][3];
    for (int e = 0; e < 3; ++e) {
        for (int r = 0; r < 3; ++r) {
            edges[e][r] = 0.0;
            for (int k = 0; k < 3; ++k) {
                edges[e][r] += R[3 * r + k] * (moved[e + 1][k] - moved[0][k]);
            }
        }
    }
    edges_to_gradient(edges, out_F);
}

void sn_workload_rotation(uint64_t seed, int count, int stride, float *F)
{
    SnRandom random = {seed};
    double matrix[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    for (int i = 0; i < (count + 15) / 16 * 16; ++i) {
        if (i < count) {
            sn_workload_tet_matrix(&random, matrix);
        }
        for (int k = 0; k < 9; ++k) {
            F[(size_t)k * (size_t)stride + (size_t)i] = (float)matrix[k];
        }
    }
}
