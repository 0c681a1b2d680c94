#include "model/frames/refine.h"

#include <string.h>

// Where the corner (i, j, k) of the finer grid is among all.
static size_t corner_at(const int size[3], int i, int j, int k)
{
    return ((size_t)i * (size_t)(size[1] + 1) + (size_t)j) * (size_t)(size[2] + 1) + (size_t)k;
}

// Puts places, sides and corners of the finer cubes; corners are marked in `numbers`.
static void cut_cubes(const SnSolidCubes *cubes, int division, const int size[3], int *places,
                      int *numbers)
{
    int parts = division * division * division;
    for (int n = 0; n < parts * cubes->mesh->hex_count; ++n) {
        const int *from = cubes->places + 3 * (size_t)(n / parts);
        const int at[3] = {n % parts / division / division, n % parts / division % division,
                           n % parts % division};
        int *to = places + 3 * (size_t)n;
        for (int k = 0; k < 3; ++k) {
            to[k] = division * from[k] + at[k];
        }
        for (int c = 0; c < 8; ++c) {
            numbers[corner_at(size, to[0] + (c >> 2 & 1), to[1] + (c >> 1 & 1), to[2] + (c & 1))] =
                1;
        }
    }
}

// Positions by the edges of the first cube, from its first corner.
static void place_corners(const SnSolidCubes *cubes, int division, const int size[3],
                          const int *numbers, double *positions)
{
    const int *hex = cubes->mesh->hexes, *first = cubes->places;
    const double *origin = cubes->mesh->positions + 3 * (size_t)hex[0];
    for (int i = 0; i <= size[0]; ++i) {
        for (int j = 0; j <= size[1]; ++j) {
            for (int k = 0; k <= size[2]; ++k) {
                int number = numbers[corner_at(size, i, j, k)];
                const int at[3] = {i, j, k};
                for (int x = 0; x < 3 && number > 0; ++x) {
                    double sum = origin[x];
                    for (int a = 0; a < 3; ++a) {
                        double edge = cubes->mesh->positions[3 * hex[4 >> a] + x] - origin[x];
                        sum += edge * (at[a] - division * first[a]) / division;
                    }
                    positions[3 * (size_t)(number - 1) + (size_t)x] = sum;
                }
            }
        }
    }
}

SinewStatus sn_frames_refine(const SnSolidCubes *cubes, int division,
                             const SinewAllocator *allocator, SnSolidCubes *out_cubes,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = division * division * division * cubes->mesh->hex_count, vertices = 0;
    const int size[3] = {division * cubes->size[0], division * cubes->size[1],
                         division * cubes->size[2]};
    size_t corners = corner_at(size, size[0], size[1], size[2]) + 1;
    int *places = NULL, *numbers = NULL;
    SnHexMesh *mesh = NULL;

    SN_ALLOC(places, allocator, 3 * (size_t)count, error);
    SN_ALLOC_ZERO(numbers, allocator, corners, error);
    cut_cubes(cubes, division, size, places, numbers);
    for (size_t n = 0; n < corners; ++n) {
        numbers[n] = numbers[n] != 0 ? ++vertices : 0;
    }
    SN_TRY(sn_hex_mesh_create(vertices, count, allocator, &mesh, error));
    place_corners(cubes, division, size, numbers, mesh->positions);
    for (int n = 0; n < 8 * count; ++n) {
        const int *at = places + 3 * (size_t)(n / 8);
        int c = n % 8;
        mesh->hexes[n] =
            numbers[corner_at(size, at[0] + (c >> 2 & 1), at[1] + (c >> 1 & 1), at[2] + (c & 1))] -
            1;
    }
    *out_cubes = (SnSolidCubes){.mesh = mesh, .places = places, .edge = cubes->edge / division};
    memcpy(out_cubes->size, size, sizeof out_cubes->size);
    places = NULL;

done:
    sn_free(allocator, places);
    sn_free(allocator, numbers);
    return status;
}
