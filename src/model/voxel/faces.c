#include "model/voxel/faces.h"

#include <string.h>

enum { SIDE_MAX = SN_VOXEL_DIVISION_MAX + 1, FACE_NODES_MAX = SIDE_MAX * SIDE_MAX };

// Below this an s t displacement cannot be told from a plane one.
#define LEAST_TWIST 1e-5

// One face: its own nodes (i, j along t1, t2: number i (m + 1) + j) and the weights on them.
typedef struct Face {
    int division, axis, side, t1, t2;
    double total;                  // Pa, of all squares
    double ones[FACE_NODES_MAX];   // Mf 1
    double s_row[FACE_NODES_MAX];  // Mf s
    double t_row[FACE_NODES_MAX];  // Mf t
    double p4_row[FACE_NODES_MAX]; // Mf p4
    double s[FACE_NODES_MAX], t[FACE_NODES_MAX], p4[FACE_NODES_MAX];
} Face;

static double square_modulus(const SnVoxelContent *content, const Face *face, int i, int j)
{
    int at[3], m = content->division;
    at[face->axis] = face->side ? m - 1 : 0;
    at[face->t1] = i;
    at[face->t2] = j;
    const SnVoxel *voxel = &content->voxels[(at[0] * m + at[1]) * m + at[2]];
    return voxel->material < 0
               ? 0.0
               : content->materials[voxel->material].young * (double)voxel->stiffness;
}

// out = Mf x, with Mf = sum of modulus * FM over squares, divided by its total; FM = (1/36) [4 2 2
// 1; 2 4 1 2; 2 1 4 2; 1 2 2 4].
static void apply_weights(const SnVoxelContent *content, const Face *face, const double *x,
                          double *out)
{
    static const double FM[4][4] = {{4, 2, 2, 1}, {2, 4, 1, 2}, {2, 1, 4, 2}, {1, 2, 2, 4}};
    int m = face->division;
    memset(out, 0, (size_t)(m + 1) * (size_t)(m + 1) * sizeof *out);
    for (int square = 0; square < m * m; ++square) {
        int i = square / m, j = square % m;
        double modulus = square_modulus(content, face, i, j) / (36.0 * face->total);
        int nodes[4] = {i * (m + 1) + j, i * (m + 1) + j + 1, (i + 1) * (m + 1) + j,
                        (i + 1) * (m + 1) + j + 1};
        for (int a = 0; a < 4 && modulus > 0.0; ++a) {
            for (int b = 0; b < 4; ++b) {
                out[nodes[a]] += modulus * FM[a][b] * x[nodes[b]];
            }
        }
    }
}

static double dot(int count, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Coordinates from the weighted middle, and their weighted rows.
static void find_coordinates(const SnVoxelContent *content, Face *face)
{
    int m = face->division, count = (m + 1) * (m + 1);
    double one[FACE_NODES_MAX];
    for (int n = 0; n < count; ++n) {
        one[n] = 1.0;
        face->s[n] = (double)(n / (m + 1)) / m;
        face->t[n] = (double)(n % (m + 1)) / m;
    }
    apply_weights(content, face, one, face->ones);
    double s = dot(count, face->ones, face->s), t = dot(count, face->ones, face->t);
    for (int n = 0; n < count; ++n) {
        face->s[n] -= s;
        face->t[n] -= t;
    }
    apply_weights(content, face, face->s, face->s_row);
    apply_weights(content, face, face->t, face->t_row);
}

// p4 = s t without its part in {1, s, t}; G is the weighted 2x2 matrix of (s, t). Answers p4' Mf
// p4.
static double find_twist(const SnVoxelContent *content, Face *face, const double G[3])
{
    int count = (face->division + 1) * (face->division + 1);
    double st[FACE_NODES_MAX];
    for (int n = 0; n < count; ++n) {
        st[n] = face->s[n] * face->t[n];
    }
    double mean = dot(count, face->ones, st);
    double by_s = dot(count, face->s_row, st), by_t = dot(count, face->t_row, st);
    double det = G[0] * G[2] - G[1] * G[1];
    double a = (G[2] * by_s - G[1] * by_t) / det, b = (G[0] * by_t - G[1] * by_s) / det;
    for (int n = 0; n < count; ++n) {
        face->p4[n] = st[n] - mean - a * face->s[n] - b * face->t[n];
    }
    apply_weights(content, face, face->p4, face->p4_row);
    return dot(count, face->p4, face->p4_row);
}

// row += factor * values on the given component.
static void add_row(const SnVoxelFaces *faces, const Face *face, double factor,
                    const double *values, int component, double *row)
{
    int m = face->division;
    for (int n = 0; n < (m + 1) * (m + 1); ++n) {
        int at[3];
        at[face->axis] = face->side ? m : 0;
        at[face->t1] = n / (m + 1);
        at[face->t2] = n % (m + 1);
        int number = faces->numbers[sn_voxel_node(m, at[0], at[1], at[2])];
        if (number >= 0) {
            row[3 * number + component] += factor * values[n];
        }
    }
}

static void fill_rows(SnVoxelFaces *faces, const Face *face, const double G[3], double n4)
{
    int f = 2 * face->axis + face->side, t1 = face->t1, t2 = face->t2;
    double det = G[0] * G[2] - G[1] * G[1], trace = G[0] + G[2];
    double *row[SN_FACE_ROWS];
    for (int r = 0; r < SN_FACE_ROWS; ++r) {
        row[r] = sn_voxel_face_row(faces, f, r);
        memset(row[r], 0, 3 * (size_t)faces->node_count * sizeof **row);
    }
    for (int i = 0; i < 3; ++i) {
        add_row(faces, face, 1.0, face->ones, i, row[SN_FACE_T + i]);
    }
    // c = G^-1 [Mf s; Mf t].
    add_row(faces, face, G[2] / det, face->s_row, face->axis, row[SN_FACE_S]);
    add_row(faces, face, -G[1] / det, face->t_row, face->axis, row[SN_FACE_S]);
    add_row(faces, face, -G[1] / det, face->s_row, face->axis, row[SN_FACE_S + 1]);
    add_row(faces, face, G[0] / det, face->t_row, face->axis, row[SN_FACE_S + 1]);
    add_row(faces, face, 1.0 / trace, face->s_row, t2, row[SN_FACE_D]);
    add_row(faces, face, -1.0 / trace, face->t_row, t1, row[SN_FACE_D]);
    add_row(faces, face, G[2] / det, face->s_row, t1, row[SN_FACE_X]);
    add_row(faces, face, -G[1] / det, face->t_row, t1, row[SN_FACE_X]);
    add_row(faces, face, -G[1] / det, face->s_row, t2, row[SN_FACE_X + 1]);
    add_row(faces, face, G[0] / det, face->t_row, t2, row[SN_FACE_X + 1]);
    add_row(faces, face, 1.0 / trace, face->s_row, t2, row[SN_FACE_X + 2]);
    add_row(faces, face, 1.0 / trace, face->t_row, t1, row[SN_FACE_X + 2]);
    faces->twisted[f] = n4 > LEAST_TWIST;
    if (faces->twisted[f]) {
        add_row(faces, face, 0.5 / n4, face->p4_row, face->axis, row[SN_FACE_B]);
        add_row(faces, face, 0.5 / n4, face->p4_row, t1, row[SN_FACE_TB]);
        add_row(faces, face, 0.5 / n4, face->p4_row, t2, row[SN_FACE_TB + 1]);
    }
}

void sn_voxel_faces_find(const SnVoxelContent *content, SnVoxelFaces *faces)
{
    int m = content->division, count = (m + 1) * (m + 1);
    for (int f = 0; f < 6; ++f) {
        Face face = {.division = m, .axis = f / 2, .side = f % 2};
        face.t1 = face.axis == 0 ? 1 : 0;
        face.t2 = face.axis == 2 ? 1 : 2;
        for (int square = 0; square < m * m; ++square) {
            face.total += square_modulus(content, &face, square / m, square % m);
        }
        faces->score[f] = face.total / (m * m);
        faces->present[f] = face.total > 0.0;
        faces->twisted[f] = false;
        if (faces->present[f]) {
            find_coordinates(content, &face);
            double G[3] = {dot(count, face.s, face.s_row), dot(count, face.s, face.t_row),
                           dot(count, face.t, face.t_row)};
            double n4 = find_twist(content, &face, G);
            fill_rows(faces, &face, G, n4);
        }
    }
}
