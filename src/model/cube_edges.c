#include "model/cube_edges.h"

#include "math/mat3.h"

enum { EDGES = 12 };

// The two corners of an edge.
static void edge_of(int e, int *out_a, int *out_b)
{
    static const int first[3][4] = {{0, 1, 2, 3}, {0, 1, 4, 5}, {0, 2, 4, 6}};
    static const int along[3] = {4, 2, 1};
    *out_a = first[e / 4][e % 4];
    *out_b = *out_a + along[e / 4];
}

void sn_cube_edges_align(const double x[SN_CUBE_DOFS], const double X[SN_CUBE_DOFS], double k,
                         double sum[9])
{
    for (int e = 0; e < EDGES; ++e) {
        int a, b;
        edge_of(e, &a, &b);
        for (int i = 0; i < 9; ++i) {
            sum[i] +=
                k * (x[3 * a + i / 3] - x[3 * b + i / 3]) * (X[3 * a + i % 3] - X[3 * b + i % 3]);
        }
    }
}

void sn_cube_edges_look(const double x[SN_CUBE_DOFS], const double X[SN_CUBE_DOFS],
                        const double R[9], double k, double *energy, double f[SN_CUBE_DOFS])
{
    for (int e = 0; e < EDGES; ++e) {
        int a, b;
        double D[3], RD[3];
        edge_of(e, &a, &b);
        for (int i = 0; i < 3; ++i) {
            D[i] = X[3 * a + i] - X[3 * b + i];
        }
        sn_mat3_apply(R, D, RD);
        for (int i = 0; i < 3; ++i) {
            double d = x[3 * a + i] - x[3 * b + i] - RD[i];
            *energy += k * d * d;
            f[3 * a + i] += 2.0 * k * d;
            f[3 * b + i] -= 2.0 * k * d;
        }
    }
}

void sn_cube_edges_apply(double k, const double u[SN_CUBE_DOFS], double f[SN_CUBE_DOFS])
{
    for (int e = 0; e < EDGES; ++e) {
        int a, b;
        edge_of(e, &a, &b);
        for (int i = 0; i < 3; ++i) {
            double d = 2.0 * k * (u[3 * a + i] - u[3 * b + i]);
            f[3 * a + i] += d;
            f[3 * b + i] -= d;
        }
    }
}
