#include "support/shape_error.h"

#include <math.h>

// The squares of the changes of all distances from a vertex to those before it.
static double squares_from(const SinewBodyMesh *mesh, int a)
{
    double sum = 0.0;
    for (int b = 0; b < a; ++b) {
        double now = 0.0, rest = 0.0;
        for (int k = 0; k < 3; ++k) {
            double d = mesh->positions[3 * a + k] - mesh->positions[3 * b + k];
            double D = mesh->rest[3 * a + k] - mesh->rest[3 * b + k];
            now += d * d;
            rest += D * D;
        }
        sum += (sqrt(now) - sqrt(rest)) * (sqrt(now) - sqrt(rest));
    }
    return sum;
}

double mesh_shape_error(const SinewBodyMesh *mesh, double size)
{
    double sum = 0.0;
    for (int a = 0; a < mesh->vertex_count; ++a) {
        sum += squares_from(mesh, a);
    }
    return sqrt(sum / (0.5 * mesh->vertex_count * (mesh->vertex_count - 1))) / size;
}
