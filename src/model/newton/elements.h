// The elements of a body and their quadrature: linear tets with one point, trilinear hexahedra with
// 2x2x2 Gauss points. Shape gradients and weights are made once, so that all that follows sums over
// points and never asks what an element is.
#ifndef SN_MODEL_NEWTON_ELEMENTS_H
#define SN_MODEL_NEWTON_ELEMENTS_H

#include "geometry/hex_mesh.h"
#include "geometry/tet_mesh.h"
#include "material/material.h"

enum { SN_CORNERS_MAX = 8, SN_QUADRATURE_MAX = 8 };

// Const once made. Owns its arrays.
typedef struct SnNewtonElements {
    int count;
    int corners;     // 4 or 8
    int point_count; // quadrature points an element: 1 or 8
    int vertex_count;
    int *vertices;     // `corners` an element
    double *rest;      // m, xyz a vertex
    double *gradients; // 1/m, dN/dX: element, point, corner, xyz; nullable once forgotten
    double *weights;   // m^3, rest volume of each element's points
    int *materials;    // an element
} SnNewtonElements;

// Copies the mesh. An element that is flat or turned round at a quadrature point is refused with
// its index; `name` is the body's. Nothing is kept after a failure but what _release takes.
SinewStatus sn_newton_elements_from_tets(const SnTetMesh *mesh, const SnMaterials *materials,
                                         const char *name, const SinewAllocator *allocator,
                                         SnNewtonElements *out_elements, SinewError *error);
// The same of hexahedra. Those of which a part is inside the body, `fills` (nullable: all of each),
// have that part of their mass and stiffness.
SinewStatus sn_newton_elements_from_hexes(const SnHexMesh *mesh, const double *fills,
                                          const SnMaterials *materials, const char *name,
                                          const SinewAllocator *allocator,
                                          SnNewtonElements *out_elements, SinewError *error);
void sn_newton_elements_release(SnNewtonElements *elements, const SinewAllocator *allocator);

// The gradients of a tet from its rest positions: the bits of those that are kept. For bodies that
// rarely need them and have given them back.
void sn_newton_elements_forget_gradients(SnNewtonElements *elements,
                                         const SinewAllocator *allocator);
void sn_newton_elements_tet_gradients(const SnNewtonElements *elements, int tet, double out[12]);

// Shape functions of a trilinear hexahedron at (x, y, z) in [0, 1]^3 and (nullable) their
// derivatives, xyz a corner.
void sn_newton_hex_shape(const double natural[3], double N[8], double (*dN)[3]);

// Values of the shape functions at a quadrature point; for tets a quarter each.
void sn_newton_elements_shape(const SnNewtonElements *elements, int point, double *N);

// F = sum_a x_a (dN_a/dX)^T at a quadrature point of an element whose corners are at x (xyz each).
// Differences from the first corner, so that far from the origin nothing is lost but the rounding
// of the positions themselves.
static inline void sn_newton_elements_gradient(const double *gradients, const double *x,
                                               int corners, double F[9])
{
    for (int k = 0; k < 9; ++k) {
        F[k] = 0.0;
    }
    for (int a = 1; a < corners; ++a) {
        const double *g = gradients + 3 * a;
        for (int i = 0; i < 3; ++i) {
            double d = x[3 * a + i] - x[i];
            F[3 * i] += d * g[0];
            F[3 * i + 1] += d * g[1];
            F[3 * i + 2] += d * g[2];
        }
    }
}

// The corners' places out of a vector over all vertices.
static inline void sn_newton_elements_gather(const SnNewtonElements *elements, int element,
                                             const double *vector, double *out)
{
    const int *vertices = elements->vertices + (size_t)element * (size_t)elements->corners;
    for (int a = 0; a < elements->corners; ++a) {
        const double *v = vector + 3 * (size_t)vertices[a];
        out[3 * a] = v[0];
        out[3 * a + 1] = v[1];
        out[3 * a + 2] = v[2];
    }
}

#endif
