// sample_twist [-o DIR]: twists a soft bar by 270 degrees and draws it.
//
// One end of the bar is held, the other turned and pushed in small steps. After each step the bar
// finds its rest by local-global iterations [B]: each tet chooses the rotation R closest to its
// deformation F, then one linear system, the same for every iteration, moves all vertices towards
// F = R. Together they lower the energy: the sum over tets of mu V |F - R|^2.
#include "sinew/rotation.h"
#include "sinew/solve.h"

#include "base/arena.h"
#include "base/clock.h"
#include "geometry/box_tets.h"
#include "geometry/tet_surface.h"
#include "io/render.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NX = 60, NY = 12, NZ = 12, SLICE = (NY + 1) * (NZ + 1) };
enum { STEPS = 27, STAGES = 4, ITERATIONS = 5, LAST_ITERATIONS = 40 };

static const double shear_modulus = 2.0e4;          // Pa, soft rubber
static const float turn = 4.71238898f;              // rad, 270 degrees
static const float push[3] = {-0.10f, 0.08f, 0.0f}; // m, of the turned end

typedef struct Bar {
    // What it is:
    SnTetMesh *mesh;
    SnTetSurface *surface;
    float *gradient; // four vectors g_a a tet: F = sum of x_a g_a^T
    float *volume;   // m^3, of each tet
    int *row_start;  // the matrix A_ij = sum over tets of V g_i . g_j, by rows; in place of the
    int *column;     // rows and columns of held vertices stand those of the unit matrix
    double *value;
    SinewFactor *factor; // of that matrix
    int stride;          // of structure-of-arrays planes over tets
    // What it does:
    float *x;      // m, positions
    float *F;      // deformation gradients of all tets: component i of tet t is F[i * stride + t]
    float *R;      // their rotations, likewise
    float *q;      // and as quaternions
    float *step;   // right-hand side of the global step, then its solution
    double energy; // J, before the last step
    SnArena arena; // holds all arrays
} Bar;

static bool is_held(int vertex)
{
    return vertex < SLICE || vertex >= NX * SLICE;
}

// --- The local step: rotations

static void deformation_gradients(const Bar *bar)
{
    for (int t = 0; t < bar->mesh->tet_count; ++t) {
        for (int i = 0; i < 9; ++i) {
            float sum = 0.0f;
            for (int a = 0; a < 4; ++a) {
                const float *x = bar->x + 3 * bar->mesh->tets[4 * t + a];
                sum += x[i / 3] * bar->gradient[12 * t + 3 * a + i % 3];
            }
            bar->F[i * bar->stride + t] = sum;
        }
    }
}

// R of every tet, from the one before: two Newton steps a tet.
static SinewStatus find_rotations(const Bar *bar, SinewError *error)
{
    SinewRotationDef def = sinew_rotation_def_default();
    def.method = SINEW_ROTATION_APD;
    def.count = bar->mesh->tet_count;
    def.stride = bar->stride;
    def.F = bar->F;
    def.q = bar->q;
    def.R = bar->R;
    return sinew_rotations(&def, error);
}

// --- The global step: one matrix, factored once, three right-hand sides

static SinewStatus factor_matrix(Bar *bar, SinewError *error)
{
    SinewFactorDef def = sinew_factor_def_default();
    def.row_count = bar->mesh->vertex_count;
    def.row_start = bar->row_start;
    def.column = bar->column;
    def.value = bar->value;
    def.worker_count = 2;
    return sinew_factor_create(&def, &bar->factor, error);
}

// step = D^T V (R - F), and the energy on the way.
static void pull(Bar *bar)
{
    memset(bar->step, 0, 3 * (size_t)bar->mesh->vertex_count * sizeof *bar->step);
    bar->energy = 0.0;
    for (int t = 0; t < bar->mesh->tet_count; ++t) {
        for (int i = 0; i < 9; ++i) {
            float difference = bar->R[i * bar->stride + t] - bar->F[i * bar->stride + t];
            float force = bar->volume[t] * difference;
            bar->energy += shear_modulus * (double)(force * difference);
            for (int a = 0; a < 4; ++a) {
                int vertex = bar->mesh->tets[4 * t + a];
                float g = bar->gradient[12 * t + 3 * a + i % 3];
                bar->step[3 * vertex + i / 3] += is_held(vertex) ? 0.0f : force * g;
            }
        }
    }
}

// One local-global iteration: x += A^-1 D^T V (R - F), [B] eq (12) without inertia.
static SinewStatus iterate(Bar *bar, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    deformation_gradients(bar);
    SN_TRY(find_rotations(bar, error));
    pull(bar);
    SN_TRY(sinew_factor_solve(bar->factor, bar->step, error));
    for (int i = 0; i < 3 * bar->mesh->vertex_count; ++i) {
        bar->x[i] += bar->step[i];
    }
done:
    return status;
}

// Turns and moves each cross-section by its share of one step: all of it at the driven end, none at
// the held one. For the ends this is the task, for what lies between a good first guess.
static void drive(Bar *bar)
{
    for (int i = 0; i <= NX; ++i) {
        float *x = bar->x + 3 * SLICE * i;
        float share = (float)i / (float)(NX * STEPS);
        float c = cosf(turn * share), s = sinf(turn * share);
        float middle[3] = {0.0f, 0.0f, 0.0f};
        for (int n = 0; n < 3 * SLICE; ++n) {
            middle[n % 3] += x[n] / (float)SLICE;
        }
        for (int n = 0; n < 3 * SLICE; n += 3) {
            float y = x[n + 1] - middle[1], z = x[n + 2] - middle[2];
            x[n] += push[0] * share;
            x[n + 1] = middle[1] + c * y - s * z + push[1] * share;
            x[n + 2] = middle[2] + s * y + c * z + push[2] * share;
        }
    }
}

// --- Making the bar

static void invert(const float F[9], float out_inverse[9])
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
}

// Gradients of a tet's four linear shape functions: rows of the inverse edge matrix, and before
// them what makes their sum zero.
static void rest_gradients(const SnTetMesh *mesh, int t, float *gradient)
{
    const int *tet = mesh->tets + 4 * t;
    float edges[9], *inverse = gradient + 3;
    for (int i = 0; i < 9; ++i) {
        edges[i] = (float)(mesh->positions[3 * tet[i % 3 + 1] + i / 3] -
                           mesh->positions[3 * tet[0] + i / 3]);
    }
    invert(edges, inverse);
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
    int count = bar->mesh->vertex_count;
    memset(dense, 0, 27 * (size_t)count * sizeof *dense);
    for (int n = 0; n < 16 * bar->mesh->tet_count; ++n) {
        int t = n / 16, a = n / 4 % 4, b = n % 4, slot = 0;
        int i = bar->mesh->tets[4 * t + a], j = bar->mesh->tets[4 * t + b];
        const float *g = bar->gradient + 12 * t + 3 * a, *h = bar->gradient + 12 * t + 3 * b;
        while (neighbour(slot) != j - i) {
            ++slot;
        }
        float product = bar->volume[t] * (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]);
        dense[27 * i + slot] += is_held(i) || is_held(j) ? 0.0 : (double)product;
    }
    int end = 0;
    for (int n = 0; n < 27 * count; ++n) {
        int i = n / 27, j = i + neighbour(n % 27);
        bar->row_start[i] = n % 27 == 0 ? end : bar->row_start[i];
        double value = is_held(i) && i == j ? 1.0 : dense[n];
        if (value != 0.0) {
            bar->column[end] = j;
            bar->value[end++] = value;
        }
    }
    bar->row_start[count] = end;
}

static SinewStatus create_bar(Bar *bar, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    sn_arena_init(&bar->arena, NULL);
    SnBoxTetsDef def = {.max = {1.0, 0.2, 0.2}, .cells = {NX, NY, NZ}, .cut = SN_BOX_FIVE};
    SN_TRY(sn_box_tets_create(&def, NULL, &bar->mesh, error));
    const SnTetMesh *mesh = bar->mesh;
    SN_TRY(sn_tet_surface_create(mesh->tets, mesh->tet_count, mesh->vertex_count, NULL,
                                 &bar->surface, error));
    size_t vertices = (size_t)mesh->vertex_count, tets = (size_t)mesh->tet_count;
    bar->stride = (int)sn_round_up(tets, 16);
    size_t planes = 22 * (size_t)bar->stride;
    float *floats = sn_arena_take(&bar->arena, planes + 13 * tets + 6 * vertices, sizeof *floats);
    double *doubles = sn_arena_take(&bar->arena, (27 + 27) * vertices, sizeof *doubles);
    int *ints = sn_arena_take(&bar->arena, 28 * vertices + 1, sizeof *ints);
    SN_TRY(sn_expect_memory(floats, tets, 35 * sizeof *floats, error));
    SN_TRY(sn_expect_memory(doubles, vertices, 54 * sizeof *doubles, error));
    SN_TRY(sn_expect_memory(ints, vertices, 28 * sizeof *ints, error));
    memset(floats, 0, planes * sizeof *floats);
    bar->F = floats;
    bar->R = bar->F + 9 * bar->stride;
    bar->q = bar->R + 9 * bar->stride;
    bar->gradient = floats + planes;
    bar->volume = bar->gradient + 12 * tets;
    bar->x = bar->volume + tets;
    bar->step = bar->x + 3 * vertices;
    bar->value = doubles;
    bar->row_start = ints;
    bar->column = bar->row_start + vertices + 1;
    for (size_t i = 0; i < 3 * vertices; ++i) {
        bar->x[i] = (float)mesh->positions[i];
    }
    for (int t = 0; t < mesh->tet_count; ++t) {
        rest_gradients(mesh, t, bar->gradient + 12 * t);
        bar->volume[t] = (float)sn_tet_mesh_volume(mesh, t);
        bar->q[3 * bar->stride + t] = 1.0f;
    }
    assemble(bar, bar->value + 27 * vertices);
    SN_TRY(factor_matrix(bar, error));

done:
    return status;
}

static void release_bar(Bar *bar)
{
    sinew_factor_destroy(bar->factor);
    sn_arena_release(&bar->arena);
    sn_tet_surface_destroy(bar->surface, NULL);
    sn_tet_mesh_destroy(bar->mesh, NULL);
}

// --- Pictures

// How far a vertex's tets are from a mere rotation: |F - R|, averaged by volume.
static void strains(const Bar *bar, float *out_strain, float *weight)
{
    memset(out_strain, 0, (size_t)bar->mesh->vertex_count * sizeof *out_strain);
    memset(weight, 0, (size_t)bar->mesh->vertex_count * sizeof *weight);
    for (int t = 0; t < bar->mesh->tet_count; ++t) {
        float square = 0.0f;
        for (int i = 0; i < 9; ++i) {
            float difference = bar->F[i * bar->stride + t] - bar->R[i * bar->stride + t];
            square += difference * difference;
        }
        for (int a = 0; a < 4; ++a) {
            out_strain[bar->mesh->tets[4 * t + a]] += bar->volume[t] * sqrtf(square);
            weight[bar->mesh->tets[4 * t + a]] += bar->volume[t];
        }
    }
    for (int v = 0; v < bar->mesh->vertex_count; ++v) {
        out_strain[v] /= weight[v];
    }
}

static SinewStatus draw(Bar *bar, SnImage *image, SnWorkers *workers, SinewError *error)
{
    float *strain = bar->step, *weight = strain + bar->mesh->vertex_count; // free between steps
    strains(bar, strain, weight);
    SnRenderMesh mesh = sn_render_mesh_default();
    mesh.positions = bar->x;
    mesh.vertex_count = bar->mesh->vertex_count;
    mesh.triangles = bar->surface->triangles;
    mesh.triangle_count = bar->surface->triangle_count;
    mesh.values = strain;
    mesh.value_range[1] = 0.65f;
    mesh.map = SN_COLOUR_MAP_EMBER;
    mesh.edge_width = 0.9f;

    SnRenderScene scene = sn_render_scene_default();
    const float low[3] = {0.02f, -0.08f, 0.0f}, high[3] = {0.96f, 0.28f, 0.2f};
    scene.meshes = &mesh;
    scene.mesh_count = 1;
    scene.camera = sn_camera_fit(low, high, sn_vec3(-0.35f, -0.42f, -1.0f), 28.0f,
                                 (float)image->width / (float)image->height, 0.07f);
    scene.has_ground = 1;
    scene.ground_height = -0.05f;
    return sn_render(&scene, image, workers, NULL, error);
}

static SinewStatus write_picture(const SnImage *image, const char *folder, const char *name,
                                 SinewError *error)
{
    char path[1024];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        return sn_fail(error, SINEW_ERROR_FILE, "the folder's name is too long");
    }
    SinewStatus status = sn_image_write_png(image, path, NULL, error);
    if (status == SINEW_OK) {
        printf("wrote %s\n", path);
    }
    return status;
}

static SinewStatus run(const char *folder, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Bar bar = {0};
    SnImage *hero = NULL, *stages = NULL, *stage = NULL;
    SnWorkers *workers = NULL;
    if (access(folder, W_OK | X_OK) != 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_WRITE, "%.150s: no folder to write to: %s", folder,
                       strerror(errno)));
    }
    SN_TRY(sn_workers_create(NULL, NULL, 2, &workers, error));
    SN_TRY(create_bar(&bar, error));
    SN_TRY(sn_image_create(1600, 900, 3, NULL, &hero, error));
    SN_TRY(sn_image_create(1600, 900, 3, NULL, &stages, error));
    SN_TRY(sn_image_create(800, 450, 3, NULL, &stage, error));

    printf("%d vertices, %d tets\n turn  iterations     energy     time\n", bar.mesh->vertex_count,
           bar.mesh->tet_count);
    double seconds = 0.0;
    for (int step = 1, iterations = 0, drawn = 0; step <= STEPS; ++step) {
        double start = sn_clock_seconds();
        drive(&bar);
        for (int i = 0; i < (step == STEPS ? LAST_ITERATIONS : ITERATIONS); ++i, ++iterations) {
            SN_TRY(iterate(&bar, error));
        }
        seconds += sn_clock_seconds() - start;
        if (step * STAGES >= STEPS * (drawn + 1)) {
            printf("%4d°  %10d  %7.3f J  %5.2f s\n", 270 * step / STEPS, iterations, bar.energy,
                   seconds);
            SN_TRY(draw(&bar, stage, workers, error));
            sn_image_paste(stages, stage, drawn % 2 * 800, drawn / 2 * 450);
            ++drawn;
        }
    }
    double start = sn_clock_seconds();
    SN_TRY(draw(&bar, hero, workers, error));
    printf("drawn in %.2f s\n", sn_clock_seconds() - start);
    SN_TRY(write_picture(hero, folder, "twist.png", error));
    SN_TRY(write_picture(stages, folder, "twist_stages.png", error));

done:
    release_bar(&bar);
    sn_image_destroy(hero, NULL);
    sn_image_destroy(stages, NULL);
    sn_image_destroy(stage, NULL);
    sn_workers_destroy(workers);
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
    SinewError error;
    if (run(folder, &error) < 0) {
        fprintf(stderr, "sample_twist: %s\n", error.text);
        return 5;
    }
    return 0;
}
