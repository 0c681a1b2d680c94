#include "model/voxel/select.h"

#include <math.h>
#include <string.h>

enum { TERMS_MAX = 24 };

// How much of a candidate must be new, and below which length it says nothing.
#define LEAST_NEW 0.3
#define LEAST_LENGTH 1e-6

// An axis this much stiffer than another carries the load through soft stuff.
#define STIFF_PATH 10.0

// Rows closer than this to the span of others are left out.
#define DEPENDENT 1e-6

typedef struct Term {
    int face, row;
    double factor;
} Term;

// A sum of face rows.
typedef struct Candidate {
    int count;
    Term terms[TERMS_MAX];
} Candidate;

typedef struct Selection {
    const SnVoxelFaces *faces;
    double seen[6][SN_FACE_ROWS][SN_VOXEL_DOFS]; // rows as the corners see them: b L
    double basis[SN_VOXEL_DOFS][SN_VOXEL_DOFS];  // orthonormal, of those accepted
    int rank;
    Candidate chosen[SN_VOXEL_ROWS_MAX];
    int count;
    bool complete[3]; // both faces of the axis are there
} Selection;

static void add_term(Candidate *candidate, int face, int row, double factor)
{
    candidate->terms[candidate->count++] = (Term){face, row, factor};
}

// side 1 - side 0, or half their sum.
static void add_difference(Candidate *candidate, int axis, int row, double factor)
{
    add_term(candidate, 2 * axis + 1, row, factor);
    add_term(candidate, 2 * axis, row, -factor);
}

static void add_half_sum(Candidate *candidate, int axis, int row)
{
    add_term(candidate, 2 * axis + 1, row, 0.5);
    add_term(candidate, 2 * axis, row, 0.5);
}

static bool has_row(const SnVoxelFaces *faces, int face, int row)
{
    return faces->present[face] && (row < SN_FACE_B || faces->twisted[face]);
}

static double length_of(const double g[SN_VOXEL_DOFS])
{
    double sum = 0.0;
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        sum += g[i] * g[i];
    }
    return sqrt(sum);
}

// Takes a candidate that has rows and says something new.
static void offer(Selection *selection, const Candidate *candidate)
{
    double g[SN_VOXEL_DOFS] = {0.0};
    if (candidate->count == 0 || selection->rank == SN_VOXEL_DOFS) {
        return;
    }
    for (int i = 0; i < candidate->count; ++i) {
        const Term *term = &candidate->terms[i];
        if (!has_row(selection->faces, term->face, term->row)) {
            return;
        }
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            g[j] += term->factor * selection->seen[term->face][term->row][j];
        }
    }
    double length = length_of(g);
    if (!(length > LEAST_LENGTH)) {
        return;
    }
    for (int pass = 0; pass < 2; ++pass) { // twice: rounding of the first is gone
        for (int b = 0; b < selection->rank; ++b) {
            double along = 0.0;
            for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                along += selection->basis[b][j] * g[j];
            }
            for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                g[j] -= along * selection->basis[b][j];
            }
        }
    }
    double rest = length_of(g);
    if (rest > LEAST_NEW * length) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            selection->basis[selection->rank][j] = g[j] / rest;
        }
        selection->rank += 1;
        selection->chosen[selection->count++] = *candidate;
    }
}

static void offer_difference(Selection *selection, int axis, int row)
{
    Candidate candidate = {0};
    if (selection->complete[axis]) {
        add_difference(&candidate, axis, row, 1.0);
        offer(selection, &candidate);
    }
}

static void offer_half_sum(Selection *selection, int axis, int row)
{
    Candidate candidate = {0};
    if (selection->complete[axis]) {
        add_half_sum(&candidate, axis, row);
        offer(selection, &candidate);
    }
}

static void offer_single(Selection *selection, int face, int row)
{
    Candidate candidate = {0};
    add_term(&candidate, face, row, 1.0);
    offer(selection, &candidate);
}

// Twists of the cell about its axes: of three drilling differences one is a rigid motion's shadow,
// so each is offered without their mean.
static void offer_twists(Selection *selection)
{
    static const double sign[3] = {1.0, -1.0, 1.0};
    if (!(selection->complete[0] && selection->complete[1] && selection->complete[2])) {
        for (int a = 0; a < 3; ++a) {
            offer_difference(selection, a, SN_FACE_D);
        }
        return;
    }
    for (int k = 0; k < 3; ++k) {
        Candidate candidate = {0};
        for (int a = 0; a < 3; ++a) {
            add_difference(&candidate, a, SN_FACE_D, sign[a] * ((a == k ? 1.0 : 0.0) - 1.0 / 3.0));
        }
        offer(selection, &candidate);
    }
    Candidate shear = {0};
    for (int a = 0; a < 3; ++a) {
        add_difference(&shear, a, SN_FACE_X + 2, 1.0);
    }
    offer(selection, &shear);
}

// Translations of the faces of complete axes against each other, and of the cell.
static void offer_translations(Selection *selection)
{
    int present = 0;
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            offer_difference(selection, a, SN_FACE_T + i);
        }
    }
    for (int f = 0; f < 6; ++f) {
        present += selection->faces->present[f];
    }
    for (int i = 0; i < 3; ++i) {
        Candidate mean = {0};
        for (int f = 0; f < 6; ++f) {
            if (selection->faces->present[f]) {
                add_term(&mean, f, SN_FACE_T + i, 1.0 / present);
            }
        }
        offer(selection, &mean);
    }
}

static void offer_main(Selection *selection)
{
    offer_translations(selection);
    for (int a = 0; a < 3; ++a) {
        offer_difference(selection, a, SN_FACE_S);
        offer_difference(selection, a, SN_FACE_S + 1);
    }
    offer_twists(selection);
    for (int a = 0; a < 3; ++a) {
        offer_difference(selection, a, SN_FACE_B);
    }
    for (int a = 0; a < 3; ++a) {
        offer_half_sum(selection, a, SN_FACE_S);
        offer_half_sum(selection, a, SN_FACE_S + 1);
    }
    for (int a = 0; a < 3; ++a) {
        offer_half_sum(selection, a, SN_FACE_D);
    }
}

// Faces whose opposite is not touched.
static void offer_single_faces(Selection *selection)
{
    static const int rows[] = {SN_FACE_T,     SN_FACE_T + 1, SN_FACE_T + 2, SN_FACE_S,
                               SN_FACE_S + 1, SN_FACE_D,     SN_FACE_B};
    for (int part = 0; part < 2; ++part) {
        for (int f = 0; f < 6; ++f) {
            for (int r = part == 0 ? 0 : 3; r < (part == 0 ? 3 : 7); ++r) {
                if (selection->faces->present[f] && !selection->complete[f / 2]) {
                    offer_single(selection, f, rows[r]);
                }
            }
        }
    }
}

// Whatever else there is, until the corners have no more to hold.
static void fill_up(Selection *selection)
{
    static const int groups[3][2] = {
        {SN_FACE_X, SN_FACE_B}, {SN_FACE_B, SN_FACE_TB}, {SN_FACE_TB, SN_FACE_ROWS}};
    static const int order[6][2] = {{SN_FACE_T, SN_FACE_S}, {SN_FACE_S, SN_FACE_D},
                                    {SN_FACE_D, SN_FACE_X}, {SN_FACE_B, SN_FACE_TB},
                                    {SN_FACE_X, SN_FACE_B}, {SN_FACE_TB, SN_FACE_ROWS}};
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            offer_half_sum(selection, a, SN_FACE_T + i);
        }
    }
    for (int g = 0; g < 3; ++g) {
        for (int part = 0; part < 2; ++part) {
            for (int a = 0; a < 3; ++a) {
                for (int r = groups[g][0]; r < groups[g][1]; ++r) {
                    (part == 0 ? offer_difference : offer_half_sum)(selection, a, r);
                }
            }
        }
    }
    for (int g = 0; g < 6; ++g) {
        for (int f = 0; f < 6; ++f) {
            for (int r = order[g][0]; r < order[g][1]; ++r) {
                offer_single(selection, f, r);
            }
        }
    }
}

// Contents that meet at a face without an opposite one would be hinged there: its slopes and its
// drilling, which the corners often do not tell from other things, are held besides.
static void hold_single_faces(Selection *selection)
{
    for (int f = 0; f < 6; ++f) {
        for (int r = SN_FACE_S; r <= SN_FACE_D; ++r) {
            if (selection->faces->present[f] && !selection->complete[f / 2]) {
                Candidate *turn = &selection->chosen[selection->count++];
                *turn = (Candidate){0};
                add_term(turn, f, r, 1.0);
            }
        }
    }
}

// A bone in soft flesh would be a hinge at each face: the slopes and the drilling of its faces are
// held besides.
static void add_stiff_paths(Selection *selection)
{
    double score[3];
    for (int a = 0; a < 3; ++a) {
        score[a] = fmin(selection->faces->score[2 * a], selection->faces->score[2 * a + 1]);
    }
    for (int i = 0; i < 3; ++i) {
        int stiffer = 0, complete = 0;
        for (int j = 0; j < 3 && selection->complete[i]; ++j) {
            bool carries = j != i && score[i] >= STIFF_PATH * score[j];
            stiffer += carries;
            complete += carries && selection->complete[j];
            if (carries && selection->complete[j]) {
                Candidate *slope = &selection->chosen[selection->count++];
                *slope = (Candidate){0};
                int first = i == 0 ? 1 : 0; // the axis t1 of the face
                add_half_sum(slope, i, j == first ? SN_FACE_S : SN_FACE_S + 1);
            }
        }
        if (stiffer == 2 && complete > 0) {
            Candidate *drill = &selection->chosen[selection->count++];
            *drill = (Candidate){0};
            add_half_sum(drill, i, SN_FACE_D);
        }
    }
}

static void see_rows(Selection *selection, const double *weights)
{
    const SnVoxelFaces *faces = selection->faces;
    for (int f = 0; f < 6; ++f) {
        for (int r = 0; r < SN_FACE_ROWS && faces->present[f]; ++r) {
            const double *row = sn_voxel_face_row(faces, f, r);
            double *g = selection->seen[f][r];
            memset(g, 0, SN_VOXEL_DOFS * sizeof *g);
            for (int i = 0; i < 3 * faces->node_count && has_row(faces, f, r); ++i) {
                for (int c = 0; c < 8 && row[i] != 0.0; ++c) {
                    g[3 * c + i % 3] += row[i] * weights[8 * (i / 3) + c];
                }
            }
        }
    }
}

// Rows of what was chosen, made orthonormal; those that depend on others fall out.
static int make_rows(const Selection *selection, double *rows)
{
    const SnVoxelFaces *faces = selection->faces;
    int size = 3 * faces->node_count, count = 0;
    for (int c = 0; c < selection->count; ++c) {
        const Candidate *candidate = &selection->chosen[c];
        double *row = rows + (size_t)count * (size_t)size, length = 0.0, rest = 0.0;
        memset(row, 0, (size_t)size * sizeof *row);
        for (int k = 0; k < candidate->count; ++k) {
            const Term *term = &candidate->terms[k];
            const double *part = sn_voxel_face_row(faces, term->face, term->row);
            for (int i = 0; i < size; ++i) {
                row[i] += term->factor * part[i];
            }
        }
        for (int i = 0; i < size; ++i) {
            length += row[i] * row[i];
        }
        for (int pass = 0; pass < 2; ++pass) {
            for (int b = 0; b < count; ++b) {
                const double *other = rows + (size_t)b * (size_t)size;
                double along = 0.0;
                for (int i = 0; i < size; ++i) {
                    along += other[i] * row[i];
                }
                for (int i = 0; i < size; ++i) {
                    row[i] -= along * other[i];
                }
            }
        }
        for (int i = 0; i < size; ++i) {
            rest += row[i] * row[i];
        }
        if (rest > DEPENDENT * DEPENDENT * length) {
            double scale = 1.0 / sqrt(rest);
            for (int i = 0; i < size; ++i) {
                row[i] *= scale;
            }
            count += 1;
        }
    }
    return count;
}

int sn_voxel_select(const SnVoxelFaces *faces, const double *weights, double *out_rows)
{
    Selection selection = {.faces = faces};
    for (int a = 0; a < 3; ++a) {
        selection.complete[a] = faces->present[2 * a] && faces->present[2 * a + 1];
    }
    see_rows(&selection, weights);
    offer_main(&selection);
    offer_single_faces(&selection);
    fill_up(&selection);
    hold_single_faces(&selection);
    add_stiff_paths(&selection);
    return make_rows(&selection, out_rows);
}
