#include "model/newton/elements.h"

#include "math/mat3.h"

// Hexahedra have at least this share of their volume, half of what the 64 points tell apart that
// fills are found by: emptier ones would be loose.
#define LEAST_FILL (1.0 / 128.0)

// Places of the two Gauss points in [0, 1].
static const double GAUSS[2] = {0.5 - 0.28867513459481288, 0.5 + 0.28867513459481288};

void sn_newton_hex_shape(const double natural[3], double N[8], double (*dN)[3])
{
    for (int c = 0; c < 8; ++c) {
        double f[3], d[3];
        for (int k = 0; k < 3; ++k) {
            int upper = c >> (2 - k) & 1;
            f[k] = upper ? natural[k] : 1.0 - natural[k];
            d[k] = upper ? 1.0 : -1.0;
        }
        N[c] = f[0] * f[1] * f[2];
        if (dN != NULL) {
            dN[c][0] = d[0] * f[1] * f[2];
            dN[c][1] = f[0] * d[1] * f[2];
            dN[c][2] = f[0] * f[1] * d[2];
        }
    }
}

static void gauss_point(int point, double natural[3])
{
    for (int k = 0; k < 3; ++k) {
        natural[k] = GAUSS[point >> (2 - k) & 1];
    }
}

void sn_newton_elements_shape(const SnNewtonElements *elements, int point, double *N)
{
    if (elements->corners == 4) {
        for (int a = 0; a < 4; ++a) {
            N[a] = 0.25;
        }
        return;
    }
    double natural[3];
    gauss_point(point, natural);
    sn_newton_hex_shape(natural, N, NULL);
}

// dN/dX = J^-T dN/dxi with J = dX/dxi; returns det J.
static double shape_gradients(const double *X, int corners, const double (*dN)[3], double *out)
{
    double J[9] = {0.0}; // row i: dX_i / dxi
    for (int a = 0; a < corners; ++a) {
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                J[3 * i + k] += (X[3 * a + i] - X[i]) * dN[a][k];
            }
        }
    }
    double det = sn_mat3_determinant(J);
    double cofactor[9];
    for (int r = 0; r < 3; ++r) {
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        for (int c = 0; c < 3; ++c) {
            int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cofactor[3 * r + c] = J[3 * r1 + c1] * J[3 * r2 + c2] - J[3 * r1 + c2] * J[3 * r2 + c1];
        }
    }
    for (int a = 0; a < corners; ++a) {
        for (int i = 0; i < 3; ++i) {
            out[3 * a + i] = (cofactor[3 * i] * dN[a][0] + cofactor[3 * i + 1] * dN[a][1] +
                              cofactor[3 * i + 2] * dN[a][2]) /
                             det;
        }
    }
    return det;
}

static const double TET_DERIVATIVES[4][3] = {
    {-1.0, -1.0, -1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static SinewStatus set_up_element(SnNewtonElements *elements, int e, const SnMaterials *materials,
                                  const char *name, SinewError *error)
{
    int corners = elements->corners;
    double X[3 * SN_CORNERS_MAX];
    sn_newton_elements_gather(elements, e, elements->rest, X);
    double middle[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < corners; ++a) {
        for (int i = 0; i < 3; ++i) {
            middle[i] += X[3 * a + i] / corners;
        }
    }
    elements->materials[e] = sn_materials_find(materials, middle);
    for (int q = 0; q < elements->point_count; ++q) {
        size_t at = (size_t)e * (size_t)elements->point_count + (size_t)q;
        double *gradients = elements->gradients + at * 3 * (size_t)corners;
        double N[8], dN[8][3], natural[3];
        double det;
        if (corners == 4) {
            det = shape_gradients(X, 4, TET_DERIVATIVES, gradients) / 6.0;
        } else {
            gauss_point(q, natural);
            sn_newton_hex_shape(natural, N, dN);
            det = shape_gradients(X, 8, (const double(*)[3])dN, gradients) / 8.0;
        }
        if (!(det > 0.0) || !isfinite(1.0 / det)) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, e,
                              "body \"%s\": %s %d has a volume of %g m^3 at rest, expected a "
                              "positive one",
                              name, corners == 4 ? "tet" : "hexahedron", e, det);
        }
        elements->weights[at] = det;
    }
    return SINEW_OK;
}

// Copies vertices and corners, then makes the quadrature of each element.
static SinewStatus set_up(SnNewtonElements *elements, const double *positions, const int *vertices,
                          const SnMaterials *materials, const char *name,
                          const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)elements->count;
    size_t corners = (size_t)elements->corners;
    size_t points = count * (size_t)elements->point_count;

    if (elements->count < 1 || elements->vertex_count < elements->corners) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\" has %d elements and %d vertices, expected at least one element",
                       name, elements->count, elements->vertex_count);
    }
    SN_ALLOC(elements->vertices, allocator, count * corners, error);
    SN_ALLOC(elements->rest, allocator, 3 * (size_t)elements->vertex_count, error);
    SN_ALLOC(elements->gradients, allocator, points * corners * 3, error);
    SN_ALLOC(elements->weights, allocator, points, error);
    SN_ALLOC(elements->materials, allocator, count, error);
    memcpy(elements->vertices, vertices, count * corners * sizeof *vertices);
    memcpy(elements->rest, positions, 3 * (size_t)elements->vertex_count * sizeof *positions);
    for (int e = 0; e < elements->count; ++e) {
        SN_TRY(set_up_element(elements, e, materials, name, error));
    }

done:
    return status;
}

SinewStatus sn_newton_elements_from_tets(const SnTetMesh *mesh, const SnMaterials *materials,
                                         const char *name, const SinewAllocator *allocator,
                                         SnNewtonElements *out_elements, SinewError *error)
{
    *out_elements = (SnNewtonElements){.count = mesh->tet_count,
                                       .corners = 4,
                                       .point_count = 1,
                                       .vertex_count = mesh->vertex_count};
    return set_up(out_elements, mesh->positions, mesh->tets, materials, name, allocator, error);
}

SinewStatus sn_newton_elements_from_hexes(const SnHexMesh *mesh, const double *fills,
                                          const SnMaterials *materials, const char *name,
                                          const SinewAllocator *allocator,
                                          SnNewtonElements *out_elements, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_elements = (SnNewtonElements){.count = mesh->hex_count,
                                       .corners = 8,
                                       .point_count = 8,
                                       .vertex_count = mesh->vertex_count};
    SN_TRY(set_up(out_elements, mesh->positions, mesh->hexes, materials, name, allocator, error));
    for (int w = 0; fills != NULL && w < 8 * mesh->hex_count; ++w) {
        out_elements->weights[w] *= fmax(fills[w / 8], LEAST_FILL);
    }

done:
    return status;
}

void sn_newton_elements_forget_gradients(SnNewtonElements *elements,
                                         const SinewAllocator *allocator)
{
    sn_free(allocator, elements->gradients);
    elements->gradients = NULL;
}

void sn_newton_elements_tet_gradients(const SnNewtonElements *elements, int tet, double out[12])
{
    double X[12];
    sn_newton_elements_gather(elements, tet, elements->rest, X);
    shape_gradients(X, 4, TET_DERIVATIVES, out);
}

void sn_newton_elements_release(SnNewtonElements *elements, const SinewAllocator *allocator)
{
    sn_free(allocator, elements->vertices);
    sn_free(allocator, elements->rest);
    sn_free(allocator, elements->gradients);
    sn_free(allocator, elements->weights);
    sn_free(allocator, elements->materials);
    *elements = (SnNewtonElements){0};
}
