// Vectors over vertices for `split`: forces of patches gathered by vertex, and dot products.
// Vectors are xyz packed, with room for one float more. Every sum has one order, whatever the
// lanes.
#ifndef SN_KERNEL_VERTEX_SUM_H
#define SN_KERNEL_VERTEX_SUM_H

#include <stdbool.h>

enum { SN_VERTEX_ROWS = 4 };

// out = free (mass (x - minus) + scale sum of the vertex's rows). The first four rows are added as
// (0 + 1) + (2 + 3), further ones, which few vertices have, one after the other: a loop of another
// length for each vertex would cost more than the sums do.
typedef struct SnVertexSum {
    const int *places;  // SN_VERTEX_ROWS a vertex: four times a row; where there are fewer, one of
                        // zeros
    const int *start;   // a vertex: its first place in `further`, and the end
    const int *further; //
    const float *rows;  // four floats a row
    const float *mass;  // a vertex
    const float *free;  // xyz: 1, or 0 where held
    const float *x;
    const float *minus; // nullable: zero
    float scale;
    float *out; // neither x nor minus
} SnVertexSum;

// Where vertices start and where they would go if nothing but weight pulled at them, from a state
// in double and in another order: start = position - origin, aim = pull + time velocity +
// move_share last_move + change_share last_change. The move is the aim, or guess_time velocity + s
// guess_pull with the share s = weigh . last_change, 0 to 1. x = start + move.
typedef struct SnVertexFall {
    const int *outside;        // a vertex: its place in the state
    const double *positions;   // m, xyz packed
    const double *velocities;  // m/s
    const double *last_move;   // nullable
    const double *last_change; // nullable where there is no last_move and the move is the aim
    double origin[3];          // m
    double pull[3];            // m
    double time;               // s
    double move_share;         //
    double change_share;       // of the aim; 0 leaves last_change out
    bool guesses;              // the move is not the aim
    double guess_time;         // s
    double guess_pull[3];      // m
    double weigh[3];           //
    float *start, *aim, *move, *x;
} SnVertexFall;

// How far moves are from the aim: sums over vertices of mass d^2 and of d^2, d = free (a - b). Sums
// of x, y and z by themselves, and those of every other vertex, are added at the end.
typedef struct SnVertexInertia {
    const float *a, *b;
    const float *free;
    const float *mass; // kg a vertex
} SnVertexInertia;

// Where moves lead, and back.
typedef struct SnVertexPlaces {
    const float *restrict start; // m
    const float *restrict step;  // m
    const float *restrict free;  // 1, or 0 where held
    float *restrict move;        // m
    float *restrict x;           // m
    float *restrict places;      // m, four floats a vertex, the fourth of which stays
} SnVertexPlaces;

typedef struct SnVertexKernels {
    void (*sum)(const SnVertexSum *sum, int begin, int end); // vertices [begin, end)
    // Sum of a_i b_i over floats [begin, end), in double, in 16 partial sums that take turns.
    double (*dot)(const float *a, const float *b, int begin, int end);
    void (*fall)(const SnVertexFall *fall, int begin, int end); // vertices [begin, end)
    void (*inertia)(const SnVertexInertia *inertia, int begin, int end, double out_sums[2]);
    // move += free step, and x and places = start + move.
    void (*advance)(const SnVertexPlaces *places, int begin, int end);
    // move = places - start.
    void (*retreat)(const SnVertexPlaces *places, int begin, int end);
} SnVertexKernels;

#endif
