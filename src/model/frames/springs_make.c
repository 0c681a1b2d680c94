// Springs are made: which frames have a joint, and how stiff it is.
#include "model/frames/body.h"

#include "geometry/point.h"

#include <math.h>
#include <string.h>

// Blocks of K below this share of the largest are no coupling.
#define COUPLED 1e-9

void sn_springs_release(SnSprings *springs, const SinewAllocator *allocator)
{
    sn_free(allocator, springs->rests);
    sn_free(allocator, springs->stiffness);
    sn_free(allocator, springs->joints);
    sn_free(allocator, springs->betas);
    sn_free(allocator, springs->targets);
    sn_free(allocator, springs->strains);
    sn_free(allocator, springs->forces);
    sn_free(allocator, springs->rows);
    *springs = (SnSprings){0};
}

// Of `springs` that know how many they are.
static SinewStatus make_room(SnSprings *springs, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t joints = (size_t)springs->count;
    bool paired = springs->paired;
    SN_ALLOC_ZERO(springs->rests, allocator, joints, error);
    SN_ALLOC_ZERO(springs->joints, allocator, joints, error);
    SN_ALLOC_ZERO(springs->stiffness, allocator, 36 * joints * (paired ? 1 : joints), error);
    SN_ALLOC_ZERO(springs->betas, allocator, joints, error);
    SN_ALLOC_ZERO(springs->targets, allocator, 6 * joints, error);
    SN_ALLOC_ZERO(springs->strains, allocator, 6 * joints, error);
    SN_ALLOC_ZERO(springs->forces, allocator, 6 * joints, error);
    SN_ALLOC_ZERO(springs->rows, allocator, 36 * joints, error);

done:
    return status;
}

SinewStatus sn_springs_copy(const SnSprings *springs, const SinewAllocator *allocator,
                            SnSprings *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t joints = (size_t)springs->count;
    *out = (SnSprings){
        .count = springs->count, .frame_count = springs->frame_count, .paired = springs->paired};
    if (joints == 0) {
        return SINEW_OK;
    }
    SN_TRY(make_room(out, allocator, error));
    memcpy(out->rests, springs->rests, joints * sizeof *out->rests);
    memcpy(out->stiffness, springs->stiffness,
           36 * joints * (springs->paired ? 1 : joints) * sizeof *out->stiffness);
    memcpy(out->betas, springs->betas, joints * sizeof *out->betas);

done:
    return status;
}

// Halfway between the origins.
static SnJointRest rest_of(const SnSpringsDef *def, int i, int j)
{
    SnJointRest rest = {.frames = {i, j}};
    for (int k = 0; k < 3; ++k) {
        double half = 0.5 * (def->origins[3 * j + k] - def->origins[3 * i + k]);
        rest.arms[0][k] = half;
        rest.arms[1][k] = -half;
    }
    return rest;
}

// The tree ---------------------------------------------------------------------------------------

// How much of the body two frames share, kg; frames that share none are farther apart than any that
// do, by how far they are from each other.
static double affinity_of(const SnSpringsDef *def, int i, int j)
{
    const SnHexMesh *mesh = def->grid->cubes.mesh;
    size_t frames = (size_t)def->frame_count;
    double sum = 0.0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *w = def->weights + frames * (size_t)v;
        sum += def->grid->masses[v] * fmax(w[i], 0.0) * fmax(w[j], 0.0);
    }
    return sum > 0.0 ? sum
                     : -sn_point_distance_squared(def->origins + 3 * (size_t)i,
                                                  def->origins + 3 * (size_t)j);
}

// Joins the frames one after the other, each to the one of those before that it has most to do
// with; joint n is the one of the n-th that joined. `order` is frame_count - 1 frames.
static SinewStatus grow_tree(const SnSpringsDef *def, SnSprings *springs, int *order,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = def->frame_count, last = 0;
    double *best = NULL;
    int *to = NULL;

    SN_ALLOC(best, def->model->allocator, count, error);
    SN_ALLOC(to, def->model->allocator, count, error);
    for (int i = 0; i < count; ++i) {
        best[i] = -INFINITY;
        to[i] = 0;
    }
    for (int n = 0; n < count - 1; ++n) {
        int next = -1;
        to[last] = -1; // joined
        for (int i = 0; i < count; ++i) {
            double affinity = to[i] >= 0 ? affinity_of(def, last, i) : 0.0;
            if (to[i] >= 0 && affinity > best[i]) {
                best[i] = affinity;
                to[i] = last;
            }
            if (to[i] >= 0 && (next < 0 || best[i] > best[next])) {
                next = i;
            }
        }
        springs->rests[n] = rest_of(def, to[next], next);
        order[n] = last = next;
    }

done:
    sn_free(def->model->allocator, best);
    sn_free(def->model->allocator, to);
    return status;
}

// T, dofs x 6 joints: how all frames move when one joint alone gives way. Those beyond it go along;
// a later frame is beyond a joint where the one that it joined is.
static void find_motions(const SnSpringsDef *def, const SnSprings *springs, const int *order,
                         double *T)
{
    size_t width = 6 * (size_t)springs->count;
    for (int n = 0; n < springs->count; ++n) {
        const SnJointRest *rest = &springs->rests[n];
        bool beyond[SN_FRAMES_MAX] = {false};
        for (int m = n; m < springs->count; ++m) {
            int k = order[m];
            beyond[k] = m == n || beyond[springs->rests[m].frames[0]];
            if (!beyond[k]) {
                continue;
            }
            double arm[3];
            for (int c = 0; c < 3; ++c) {
                arm[c] = def->origins[3 * k + c] - def->origins[3 * rest->frames[0] + c] -
                         rest->arms[0][c];
            }
            // v = d + phi x arm.
            const double about[9] = {0.0,    arm[2], -arm[1], -arm[2], 0.0,
                                     arm[0], arm[1], -arm[0], 0.0};
            for (int c = 0; c < 9; ++c) {
                int r = c / 3, s = c % 3;
                double *turn = T + width * (size_t)(6 * k + r) + 6 * n;
                double *move = T + width * (size_t)(6 * k + 3 + r) + 6 * n;
                turn[s] = r == s ? 1.0 : 0.0;
                move[s] = about[c];
                move[3 + s] = r == s ? 1.0 : 0.0;
            }
        }
    }
}

// C = T^T K T; `half` is room for K T.
static void find_form(const double *K, const double *T, size_t dofs, size_t strains, double *half,
                      double *C)
{
    for (size_t r = 0; r < dofs; ++r) {
        double *row = half + strains * r;
        memset(row, 0, strains * sizeof *row);
        for (size_t k = 0; k < dofs; ++k) {
            for (size_t s = 0; s < strains; ++s) {
                row[s] += K[dofs * r + k] * T[strains * k + s];
            }
        }
    }
    memset(C, 0, strains * strains * sizeof *C);
    for (size_t k = 0; k < dofs; ++k) {
        for (size_t r = 0; r < strains; ++r) {
            for (size_t c = 0; c < strains; ++c) {
                C[strains * r + c] += T[strains * k + r] * half[strains * k + c];
            }
        }
    }
    for (size_t r = 0; r < strains; ++r) { // symmetric to the last bit
        for (size_t c = 0; c < r; ++c) {
            C[strains * r + c] = C[strains * c + r] =
                0.5 * (C[strains * r + c] + C[strains * c + r]);
        }
    }
}

SinewStatus sn_springs_tree(const SnSpringsDef *def, SnSprings *out_springs, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    size_t dofs = 6 * (size_t)def->frame_count, strains = dofs - 6;
    SnSprings springs = {0};
    double *T = NULL, *half = NULL;
    int *order = NULL;

    springs.count = def->frame_count - 1;
    springs.frame_count = def->frame_count;
    SN_TRY(make_room(&springs, allocator, error));
    SN_ALLOC_ZERO(T, allocator, dofs * strains, error);
    SN_ALLOC(half, allocator, dofs * strains, error);
    SN_ALLOC(order, allocator, def->frame_count, error);
    SN_TRY(grow_tree(def, &springs, order, error));
    find_motions(def, &springs, order, T);
    find_form(def->K, T, dofs, strains, half, springs.stiffness);
    *out_springs = springs;
    springs = (SnSprings){0};

done:
    sn_springs_release(&springs, allocator);
    sn_free(allocator, T);
    sn_free(allocator, half);
    sn_free(allocator, order);
    return status;
}

// Pairs ------------------------------------------------------------------------------------------

static double largest_of(const SnSpringsDef *def, int i, int j)
{
    int dofs = 6 * def->frame_count;
    double most = 0.0;
    for (int n = 0; n < 36; ++n) {
        double size = fabs(def->K[(6 * i + n / 6) * dofs + 6 * j + n % 6]);
        most = size > most ? size : most;
    }
    return most;
}

// (18): what K has for i and j, moved to the place halfway. [C]'s K is force by move, so ours with
// the other sign.
static void find_pair(const SnSpringsDef *def, const SnJointRest *rest, double S[36])
{
    int dofs = 6 * def->frame_count;
    double shifts[2][36] = {{0.0}}, half[36];
    for (int side = 0; side < 2; ++side) {
        // D(-l), l from the joint to the origin: the arm.
        const double *l = rest->arms[side];
        const double lx[9] = {0.0, -l[2], l[1], l[2], 0.0, -l[0], -l[1], l[0], 0.0};
        for (int n = 0; n < 36; ++n) {
            int r = n / 6, c = n % 6;
            shifts[side][n] = r == c ? 1.0 : r >= 3 && c < 3 ? lx[3 * (r - 3) + c] : 0.0;
        }
    }
    for (int n = 0; n < 36; ++n) {
        half[n] = 0.0;
        for (int k = 0; k < 6; ++k) {
            half[n] -= def->K[(6 * rest->frames[0] + n / 6) * dofs + 6 * rest->frames[1] + k] *
                       shifts[1][6 * k + n % 6];
        }
    }
    for (int n = 0; n < 36; ++n) {
        S[n] = 0.0;
        for (int k = 0; k < 6; ++k) {
            S[n] += shifts[0][6 * k + n / 6] * half[6 * k + n % 6];
        }
    }
}

SinewStatus sn_springs_pairs(const SnSpringsDef *def, SnSprings *out_springs, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSprings springs = {0};
    int count = 0;
    double most = 0.0;

    for (int i = 0; i < def->frame_count; ++i) {
        most = fmax(most, largest_of(def, i, i));
    }
    for (int pass = 0; pass < 2; ++pass) {
        if (pass == 1) {
            springs.count = count;
            springs.frame_count = def->frame_count;
            springs.paired = true;
            SN_TRY(make_room(&springs, def->model->allocator, error));
        }
        count = 0;
        for (int i = 0; i < def->frame_count; ++i) {
            for (int j = i + 1; j < def->frame_count; ++j) {
                bool coupled = largest_of(def, i, j) > COUPLED * most;
                if (coupled && pass == 1) {
                    springs.rests[count] = rest_of(def, i, j);
                    find_pair(def, &springs.rests[count], springs.stiffness + 36 * (size_t)count);
                }
                count += coupled;
            }
        }
    }
    *out_springs = springs;
    springs = (SnSprings){0};

done:
    sn_springs_release(&springs, def->model->allocator);
    return status;
}
