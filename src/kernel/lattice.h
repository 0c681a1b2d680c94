// Cells of a lattice, sixteen at a time: the arithmetic of [A] on blocks of cells and nodes. The
// element is the stabilised one-point cell of [A] (`mcadams`) or the one whose hourglass stiffness
// comes from Wilson's incompatible modes (`wilson`); doc/methods/lattice.md has the formulas.
//
// A block is sixteen neighbours along the last axis. Vectors over nodes have 3 x 16 numbers a node
// block: x of all sixteen, then y, then z. Fields over cells have their components one after the
// other, 16 numbers each, a cell block. Node block 0 is all zeros and stands for what is not there.
//
// Sums over D = sum_k x_k s_k^T (3x3, s the signs of corner k) and Q_a = sum_k x_k sig_a(s_k), with
// sig = (s2 s3, s1 s3, s1 s2, s1 s2 s3), are not scaled: F = D / (4 h), q = Q / 8. All of h goes
// into the stiffnesses, which are given as mu h / 16, lambda h / 16 and L h / 16.
//
// Not taken: eight overlapping sums into memory for each block's corners. Adding the neighbour's
// lane in registers and storing each row of nodes once is three times as fast.
#ifndef SN_KERNEL_LATTICE_H
#define SN_KERNEL_LATTICE_H

enum {
    SN_LATTICE_BLOCK = 16,   // cells or nodes of a block
    SN_LATTICE_NODE = 48,    // numbers of a node block
    SN_LATTICE_BATCH = 192,  // cells whose rotations are found together: twelve blocks
    SN_LATTICE_TANGENT = 17, // numbers of a cell's linearisation: R, L and Lame's constants
    SN_LATTICE_MODAL = 231   // numbers of a matrix over modes: the upper triangle of 21 x 21
};

// A block of cells: the node blocks of its corners, rows (i, j), (i, j+1), (i+1, j), (i+1, j+1),
// and those that follow them along the last axis.
typedef struct SnLatticeBlock {
    int nodes[4];
    int next[4]; // 0: none; then the last cell of the block is empty
    int joins;   // 1: the block before in the list is the one before in the row
} SnLatticeBlock;

// A linearised lattice: y = K x.
typedef struct SnLatticeOperator {
    const SnLatticeBlock *blocks;
    const float *R;    // 9 components a cell block, row-major
    const float *L;    // 6: 00 11 22 01 02 12
    const float *lame; // 2: mu, lambda, times h / 16; 0 where a cell is empty
    float hourglass;   // `mcadams` alone: share of its hourglass stiffness
} SnLatticeOperator;

// Adds K x of the cell blocks [begin, end), all between two planes of nodes, to the lower plane's
// sums in y_low and the upper plane's in y_high. Both are addressed by the index of a node block.
typedef void SnLatticeApplyFn(const SnLatticeOperator *op, int begin, int end, const float *x,
                              float *y_low, float *y_high);

// Adds the diagonal of K in the same way.
typedef void SnLatticeDiagonalFn(const SnLatticeOperator *op, int begin, int end, float *y_low,
                                 float *y_high);

// Rotations of a batch of cells, in planes of SN_LATTICE_BATCH numbers.
typedef struct SnLatticeRotations {
    float F[9 * SN_LATTICE_BATCH];
    float R[9 * SN_LATTICE_BATCH];
    float V[9 * SN_LATTICE_BATCH];
    float sigma[3 * SN_LATTICE_BATCH];
} SnLatticeRotations;

// F of the cell blocks [begin, end), at most a batch, from positions in double. `scale` is 1/(4h).
typedef void SnLatticeGradientFn(const SnLatticeBlock *blocks, int begin, int end, const double *x,
                                 double scale, SnLatticeRotations *out);

// R and L of the cell blocks [begin, end) from their rotations. L_definite has its eigenvalues
// clamped to at least -mu. Nullable: L_exact.
typedef void SnLatticeLineariseFn(const SnLatticeRotations *rotations, int begin, int end,
                                  const float *lame, float *R, float *L_definite, float *L_exact);

// Forces in double. Lame constants are the cells' own in Pa.
typedef struct SnLatticeForces {
    const SnLatticeBlock *blocks;
    const double *lame; // 2 a cell block: mu, lambda
    double h;           // m
    const double *x;    // m
    double *energies;   // J, a cell block
    float *dets;        // det F, a cell
    double missing;     // `mcadams` alone: share of its hourglass stiffness that is left out
} SnLatticeForces;

// Adds the gradient of the energy of the cell blocks [begin, end), at most a batch, to f_low and
// f_high, and writes energies and dets.
typedef void SnLatticeForceFn(const SnLatticeForces *forces, const SnLatticeRotations *rotations,
                              int begin, int end, double *f_low, double *f_high);

// How the energy of the cell blocks [begin, end), at most a batch, goes on beyond the tangent along
// a straight move, since straight moves of cells that turn stretch them: adds the factors of t^3
// and t^4, in units of the operator's stiffnesses. `move` has the move's F.
typedef void SnLatticeRiseFn(const SnLatticeOperator *op, const SnLatticeRotations *move, int begin,
                             int end, double out_factors[2]);

// Adds K x of a cell with a matrix of its own, 24 columns of 32 numbers of which 24 count; x and y
// have three numbers a corner, padded to 32.
typedef void SnLatticeDenseFn(const float *matrix, const float *x, float *y);

// Matrices over the 21 numbers of D and Q (3 x 7, component fastest), for sixteen cells side by
// side: the upper triangle by rows, 16 numbers an entry. These add the share of the child in one
// corner of its parents (4 i + 2 j + k) to theirs. A child has a linearisation, SN_LATTICE_TANGENT
// x 16 numbers with zeros for none, or a matrix of this kind, or both. Nullable: modal. `hourglass`
// as in SnLatticeOperator.
typedef void SnLatticeModalAddFn(const float *tangents, const float *modal, int child,
                                 float hourglass, float *out_modal);

// Those of a block of cells that have linearisations.
typedef void SnLatticeModalMakeFn(const SnLatticeOperator *op, int block, float *out_modal);

// y = K x for such matrices; x and y have 16 numbers for each component of each corner.
typedef void SnLatticeModalApplyFn(const float *modal, const float *x, float *y);

// y: the diagonal of K.
typedef void SnLatticeModalDiagonalFn(const float *modal, float *y);

// Sums over `count` numbers, a multiple of 16, of vectors over node blocks.
typedef double SnLatticeDotFn(const float *a, const float *b, int count);

// Makes y zero where d_inverse is 0, and returns p . y.
typedef double SnLatticeCurveFn(const float *d_inverse, const float *p, int count, float *y);

// A step of conjugate gradients: x += a p, b -= a y. Returns b . b.
typedef double SnLatticeAdvanceFn(float a, const float *p, const float *y, int count, float *x,
                                  float *b);

// The first step of Chebyshev's iteration, from x = 0: p = take D^-1 b, x = p.
typedef void SnLatticeBeginFn(const float *b, const float *d_inverse, float take, int count,
                              float *p, float *x);

// A step of Chebyshev's iteration on D x = r: p = keep p + take D^-1 (b - y), x += p.
typedef void SnLatticeSmoothFn(const float *b, const float *y, const float *d_inverse, float keep,
                               float take, int count, float *p, float *x);

// out = b - y where d_inverse is not 0, else 0.
typedef void SnLatticeResidualFn(const float *b, const float *y, const float *d_inverse, int count,
                                 float *out);

// y = 0 where d_inverse is 0.
typedef void SnLatticeMaskFn(const float *d_inverse, int count, float *y);

// y += a x.
typedef void SnLatticeAddFn(float a, const float *x, int count, float *y);

// y = x + a y.
typedef void SnLatticeTurnFn(float a, const float *x, int count, float *y);

// y += rate mass x over node blocks; mass has 16 numbers a block.
typedef void SnLatticeMassFn(float rate, const float *mass, const float *x, int blocks, float *y);

// One row of a transfer between levels: sums `count` rows of node blocks, each with a weight, into
// a line of blocks * 16 numbers after `pad` zeros; blocks that are not there count as zero.
typedef struct SnLatticeRows {
    const int *rows[9]; // the node blocks of each row
    float weights[9];
    int count;
    int blocks; // of a row
} SnLatticeRows;

// Component `axis` of the rows of x, summed into out[0 .. 16 blocks).
typedef void SnLatticeGatherFn(const SnLatticeRows *rows, const float *x, int axis, float *out);

// out[K] = line[2 K] + (line[2 K - 1] + line[2 K + 1]) / 2 for K in [0, 16). line[-1] is read.
typedef void SnLatticeHalveFn(const float *line, float *out);

// out[2 K] += line[K], out[2 K + 1] += (line[K] + line[K + 1]) / 2 for K in [0, 8), where d_inverse
// is not 0.
typedef void SnLatticeDoubleFn(const float *line, const float *d_inverse, float *out);

typedef struct SnLatticeKernels {
    SnLatticeApplyFn *apply_wilson, *apply_mcadams;
    SnLatticeDiagonalFn *diagonal_wilson, *diagonal_mcadams;
    SnLatticeGradientFn *gradient;
    SnLatticeLineariseFn *linearise;
    SnLatticeRiseFn *rise;
    SnLatticeForceFn *force_wilson, *force_mcadams;
    SnLatticeDenseFn *dense;
    SnLatticeModalMakeFn *modal_make_wilson, *modal_make_mcadams;
    SnLatticeModalAddFn *modal_add_wilson, *modal_add_mcadams;
    SnLatticeModalApplyFn *modal_apply;
    SnLatticeModalDiagonalFn *modal_diagonal;
    SnLatticeDotFn *dot;
    SnLatticeCurveFn *curve;
    SnLatticeAdvanceFn *advance;
    SnLatticeBeginFn *begin;
    SnLatticeSmoothFn *smooth;
    SnLatticeResidualFn *residual;
    SnLatticeMaskFn *mask;
    SnLatticeAddFn *add;
    SnLatticeTurnFn *turn;
    SnLatticeMassFn *mass;
    SnLatticeGatherFn *gather;
    SnLatticeHalveFn *halve;
    SnLatticeDoubleFn *spread;
} SnLatticeKernels;

#endif
