// sample_twist [-o DIR]: twists a soft bar by 270 degrees and writes four stages as PLY files.
//
// The library's parts without a world: rotations of many matrices and a factored matrix. One end of
// the bar is held, the other rotated and moved in small steps. After each step the bar finds its
// rest by local-global iterations [B]: each tet chooses the rotation R closest to its deformation
// F, then one linear system, the same for every iteration, moves all vertices towards F = R.
// Together they lower the energy: the sum over tets of mu V |F - R|^2.
#include <sinew/sinew.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 60, NY = 12, NZ = 12, SLICE = (NY + 1) * (NZ + 1) };
enum { VERTICES = (NX + 1) * SLICE, TETS = 5 * NX * NY * NZ, STRIDE = (TETS + 15) / 16 * 16 };
enum { TRIANGLES = 4 * (NX * NY + NY * NZ + NZ * NX) };
enum { STEPS = 27, STAGES = 4, ITERATIONS = 5, LAST_ITERATIONS = 40 };

static const double shear_modulus = 2.0e4;          // Pa, soft rubber
static const float rotation = 4.71238898f;          // rad, 270 degrees
static const float push[3] = {-0.10f, 0.08f, 0.0f}; // m, of the driven end

typedef struct Bar {
    // What it is:
    int tets[4 * TETS];           // four vertices each
    int triangles[3 * TRIANGLES]; // of its surface
    float gradient[12 * TETS];    // four vectors g_a per tet: F = sum of x_a g_a^T
    float volume[TETS];           // m^3, of each tet
    int row_start[VERTICES + 1];  // the matrix A_ij = sum over tets of V g_i . g_j, by rows; rows
    int column[27 * VERTICES];    // and columns of held vertices are those of the unit matrix
    double value[27 * VERTICES];
    SinewFactor *factor; // of that matrix
    // What it does:
    float x[3 * VERTICES]; // m, positions
    _Alignas(
        64) float F[9 * STRIDE]; // deformation gradients: component i of tet t is F[i * STRIDE + t]
    _Alignas(64) float R[9 * STRIDE]; // their rotations, likewise
    _Alignas(64) float q[4 * STRIDE]; // and as quaternions
    float step[3 * VERTICES];         // right-hand side of the global step, then its solution
    double energy;                    // J, before the last step
} Bar;

static bool is_held(int vertex)
{
    return vertex < SLICE || vertex >= NX * SLICE;
}

// --- The local step: rotations

static void deformation_gradients(Bar *bar)
{
    for (int t = 0; t < TETS; ++t) {
        for (int i = 0; i < 9; ++i) {
            float sum = 0.0f;
            for (int a = 0; a < 4; ++a) {
                const float *x = bar->x + 3 * bar->tets[4 * t + a];
                sum += x[i / 3] * bar->gradient[12 * t + 3 * a + i % 3];
            }
            bar->F[i * STRIDE + t] = sum;
        }
    }
}

// R of every tet, from the one before: two Newton steps per tet.
static SinewStatus find_rotations(Bar *bar, SinewError *error)
{
    SinewRotationDef def = sinew_rotation_def_default();
    def.method = SINEW_ROTATION_APD;
    def.count = TETS;
    def.stride = STRIDE;
    def.F = bar->F;
    def.q = bar->q;
    def.R = bar->R;
    return sinew_rotations(&def, error);
}

// --- The global step: one matrix, factored once, three right-hand sides

static SinewStatus factor_matrix(Bar *bar, SinewError *error)
{
    SinewFactorDef def = sinew_factor_def_default();
    def.row_count = VERTICES;
    def.row_start = bar->row_start;
    def.column = bar->column;
    def.value = bar->value;
    def.worker_count = 2;
    return sinew_factor_create(&def, &bar->factor, error);
}

// step = D^T V (R - F), and the energy on the way.
static void pull(Bar *bar)
{
    memset(bar->step, 0, sizeof bar->step);
    bar->energy = 0.0;
    for (int t = 0; t < TETS; ++t) {
        for (int i = 0; i < 9; ++i) {
            float difference = bar->R[i * STRIDE + t] - bar->F[i * STRIDE + t];
            float force = bar->volume[t] * difference;
            bar->energy += shear_modulus * (double)(force * difference);
            for (int a = 0; a < 4; ++a) {
                int vertex = bar->tets[4 * t + a];
                float g = bar->gradient[12 * t + 3 * a + i % 3];
                bar->step[3 * vertex + i / 3] += is_held(vertex) ? 0.0f : force * g;
            }
        }
    }
}

// One local-global iteration: x += A^-1 D^T V (R - F), [B] eq (12) without inertia.
static SinewStatus iterate(Bar *bar, SinewError *error)
{
    deformation_gradients(bar);
    SinewStatus status = find_rotations(bar, error);
    if (status >= 0) {
        pull(bar);
        status = sinew_factor_solve(bar->factor, bar->step, error);
    }
    for (int i = 0; status >= 0 && i < 3 * VERTICES; ++i) {
        bar->x[i] += bar->step[i];
    }
    return status;
}

// Rotates and moves each cross-section by its part of one step: all of it at the driven end, none
// at the held one. For the ends this is the task, for what lies between a good first guess.
static void drive(Bar *bar)
{
    for (int i = 0; i <= NX; ++i) {
        float *x = bar->x + 3 * SLICE * i;
        float part = (float)i / (float)(NX * STEPS);
        float c = cosf(rotation * part), s = sinf(rotation * part);
        float middle[3] = {0.0f, 0.0f, 0.0f};
        for (int n = 0; n < 3 * SLICE; ++n) {
            middle[n % 3] += x[n] / (float)SLICE;
        }
        for (int n = 0; n < 3 * SLICE; n += 3) {
            float y = x[n + 1] - middle[1], z = x[n + 2] - middle[2];
            x[n] += push[0] * part;
            x[n + 1] = middle[1] + c * y - s * z + push[1] * part;
            x[n + 2] = middle[2] + s * y + c * z + push[2] * part;
        }
    }
}

// --- Making the bar

static int vertex_at(int i, int j, int k)
{
    return (i * (NY + 1) + j) * (NZ + 1) + k;
}

// Five tets per cell: one in the middle and one at each corner that it leaves out. Every other cell
// is the mirror image, so that faces match. A corner is 4 i + 2 j + k.
static void make_tets(Bar *bar)
{
    static const int corners[5][4] = {
        {0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 6, 3}, {4, 0, 5, 6}, {7, 3, 6, 5}};
    int *tet = bar->tets;
    for (int cell = 0; cell < NX * NY * NZ; ++cell) {
        int i = cell / (NY * NZ), j = cell / NZ % NY, k = cell % NZ, mirror = (i + j + k) % 2;
        for (int n = 0; n < 20; ++n) {
            int corner = corners[n / 4][n % 4] ^ (4 * mirror);
            *tet++ = vertex_at(i + corner / 4, j + corner / 2 % 2, k + corner % 2);
        }
    }
}

// Two triangles for each square of a side, that see the bar on their left.
static int *make_side(int *triangle, int axis, int level, bool is_far)
{
    static const int counts[3] = {NX, NY, NZ};
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int n = 0; n < counts[u] * counts[v]; ++n) {
        int corner[4], at[3];
        for (int c = 0; c < 4; ++c) {
            at[axis] = level;
            at[u] = n % counts[u] + (c == 1 || c == 2);
            at[v] = n / counts[u] + (c >= 2);
            corner[is_far ? c : 3 - c] = vertex_at(at[0], at[1], at[2]);
        }
        const int two[6] = {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]};
        memcpy(triangle, two, sizeof two);
        triangle += 6;
    }
    return triangle;
}

static void make_surface(Bar *bar)
{
    static const int counts[3] = {NX, NY, NZ};
    int *triangle = bar->triangles;
    for (int axis = 0; axis < 3; ++axis) {
        triangle = make_side(triangle, axis, 0, false);
        triangle = make_side(triangle, axis, counts[axis], true);
    }
}

// Inverse of a 3x3 matrix; returns its determinant.
static float invert(const float F[9], float out_inverse[9])
{
    float c[9]; // cofactors
    for (int i = 0; i < 9; ++i) {
        int r0 = (i / 3 + 1) % 3 * 3, r1 = (i / 3 + 2) % 3 * 3;
        int c0 = (i + 1) % 3, c1 = (i + 2) % 3;
        c[i] = F[r0 + c0] * F[r1 + c1] - F[r0 + c1] * F[r1 + c0];
    }
    float determinant = F[0] * c[0] + F[1] * c[1] + F[2] * c[2];
    for (int i = 0; i < 9; ++i) {
        out_inverse[i] = c[i % 3 * 3 + i / 3] / determinant;
    }
    return determinant;
}

// Gradients of a tet's four linear shape functions: rows of the inverse edge matrix, and before
// them what makes their sum zero.
static void rest_gradients(Bar *bar, int t)
{
    const int *tet = bar->tets + 4 * t;
    float edges[9], *gradient = bar->gradient + 12 * t, *inverse = gradient + 3;
    for (int i = 0; i < 9; ++i) {
        edges[i] = bar->x[3 * tet[i % 3 + 1] + i / 3] - bar->x[3 * tet[0] + i / 3];
    }
    bar->volume[t] = fabsf(invert(edges, inverse)) / 6.0f;
    for (int c = 0; c < 3; ++c) {
        gradient[c] = -(inverse[c] + inverse[3 + c] + inverse[6 + c]);
    }
}

// Vertices of a tet differ by at most one along each axis of the grid, so a row has at most 27
// columns, whose distances from its own are these.
static int neighbour(int slot)
{
    return (slot / 9 - 1) * SLICE + (slot / 3 % 3 - 1) * (NZ + 1) + slot % 3 - 1;
}

// Sums up the rows with all their places, then keeps what is not zero. Columns come out sorted.
static void assemble(Bar *bar, double *dense)
{
    for (int n = 0; n < 16 * TETS; ++n) {
        int t = n / 16, a = n / 4 % 4, b = n % 4, slot = 0;
        int i = bar->tets[4 * t + a], j = bar->tets[4 * t + b];
        const float *g = bar->gradient + 12 * t + 3 * a, *h = bar->gradient + 12 * t + 3 * b;
        while (neighbour(slot) != j - i) {
            ++slot;
        }
        float product = bar->volume[t] * (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]);
        dense[27 * i + slot] += is_held(i) || is_held(j) ? 0.0 : (double)product;
    }
    int end = 0;
    for (int n = 0; n < 27 * VERTICES; ++n) {
        int i = n / 27, j = i + neighbour(n % 27);
        bar->row_start[i] = n % 27 == 0 ? end : bar->row_start[i];
        double value = is_held(i) && i == j ? 1.0 : dense[n];
        if (value != 0.0) {
            bar->column[end] = j;
            bar->value[end++] = value;
        }
    }
    bar->row_start[VERTICES] = end;
}

static SinewStatus make_bar(Bar *bar, SinewError *error)
{
    double *dense = calloc((size_t)27 * VERTICES, sizeof *dense);
    if (dense == NULL) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return SINEW_ERROR_MEMORY;
    }
    make_tets(bar);
    make_surface(bar);
    for (int v = 0; v < VERTICES; ++v) {
        bar->x[3 * v] = (float)(v / SLICE) / NX;
        bar->x[3 * v + 1] = 0.2f * (float)(v / (NZ + 1) % (NY + 1)) / NY;
        bar->x[3 * v + 2] = 0.2f * (float)(v % (NZ + 1)) / NZ;
    }
    for (int t = 0; t < TETS; ++t) {
        rest_gradients(bar, t);
        bar->q[3 * STRIDE + t] = 1.0f;
    }
    assemble(bar, dense);
    free(dense);
    return factor_matrix(bar, error);
}

// --- Stages

static SinewStatus write_stage(const Bar *bar, const char *folder, int degrees, SinewError *error)
{
    static double positions[3 * VERTICES];
    char path[1024];
    SinewSurface *surface = NULL;
    SinewSurfaceDef def = sinew_surface_def_default();
    for (int i = 0; i < 3 * VERTICES; ++i) {
        positions[i] = (double)bar->x[i];
    }
    def.positions = positions;
    def.vertex_count = VERTICES;
    def.triangles = bar->triangles;
    def.triangle_count = TRIANGLES;
    snprintf(path, sizeof path, "%.1000s/twist_%d.ply", folder, degrees);
    SinewStatus status = sinew_surface_create(&def, &surface, error);
    if (status >= 0) {
        status = sinew_surface_save(surface, path, error);
    }
    if (status >= 0) {
        printf("wrote %s\n", path);
    }
    sinew_surface_destroy(surface);
    return status;
}

static SinewStatus twist(Bar *bar, const char *folder, SinewError *error)
{
    SinewStatus status = make_bar(bar, error);
    printf("%d vertices, %d tets\n", VERTICES, TETS);
    for (int step = 1, written = 0; step <= STEPS && status >= 0; ++step) {
        drive(bar);
        int count = step == STEPS ? LAST_ITERATIONS : ITERATIONS;
        for (int i = 0; i < count && status >= 0; ++i) {
            status = iterate(bar, error);
        }
        if (status >= 0 && step * STAGES >= STEPS * (written + 1)) {
            printf("%d degrees: %.3f J\n", 270 * step / STEPS, bar->energy);
            status = write_stage(bar, folder, 270 * step / STEPS, error);
            ++written;
        }
    }
    return status;
}

int main(int argument_count, char **arguments)
{
    const char *folder = ".";
    if (argument_count == 3 && strcmp(arguments[1], "-o") == 0) {
        folder = arguments[2];
    } else if (argument_count != 1) {
        fprintf(stderr, "usage: sample_twist [-o DIR]\n");
        return 2;
    }
    SinewError error = {0};
    Bar *bar = aligned_alloc(64, sizeof *bar); // batches of matrices begin on such a boundary
    if (bar != NULL) {
        memset(bar, 0, sizeof *bar);
    }
    if (bar == NULL || twist(bar, folder, &error) < 0) {
        fprintf(stderr, "sample_twist: %s\n", bar == NULL ? "out of memory" : error.text);
        return 5;
    }
    sinew_factor_destroy(bar->factor);
    free(bar);
    return 0;
}
