// What a body obeys and how that is solved: material laws, and the methods to pick from. All
// methods take all shapes; changing one word changes the method.
#ifndef SINEW_MODEL_H
#define SINEW_MODEL_H

#include "sinew/geometry.h"
#include "sinew/rotation.h"

#ifdef __cplusplus
extern "C" {
#endif

// Laws of elasticity; formulas in doc/materials.md. All agree for small strain.
typedef enum SinewLaw {
    SINEW_LAW_LINEAR = 0,      // small strain; wrong under rotation
    SINEW_LAW_COROTATED,       // the default
    SINEW_LAW_FIXED_COROTATED, // with the true volume
    SINEW_LAW_SVK,             // St. Venant-Kirchhoff; collapses under strong compression
    SINEW_LAW_NEO_HOOKEAN,     // infinite energy at zero volume: never inverts
    SINEW_LAW_STABLE_NEO_HOOKEAN,
    SINEW_LAW_MOONEY_RIVLIN // reduced invariants
} SinewLaw;

// Start from sinew_material_default().
typedef struct SinewMaterial {
    SinewLaw law;             // default corotated
    double young;             // Pa, positive, default 1e6
    double poisson;           // above -1, below 0.5, default 0.3
    double density;           // kg/m^3, positive, default 1000
    double damping_mass;      // 1/s, Rayleigh's alpha, 0 or more, default 0
    double damping_stiffness; // s, Rayleigh's beta, 0 or more, default 0
} SinewMaterial;

SINEW_API SinewMaterial sinew_material_default(void);

// The methods.
typedef enum SinewModelKind {
    SINEW_MODEL_NEWTON = 0, // textbook implicit finite elements in double: slow and true
    SINEW_MODEL_SPLIT,      // tets by a prefactored matrix, in float: fast to a stated accuracy
    SINEW_MODEL_LATTICE,    // cubic cells and multigrid: many cells fast, few cells accurate
    SINEW_MODEL_VOXEL,      // few coarse cells that bend as what is inside them does
    SINEW_MODEL_FRAMES,     // a few coordinate frames, blended: some dozen numbers a body
    SINEW_MODEL_TETMG       // tets by two levels, in float: large and stiff meshes
} SinewModelKind;

typedef enum SinewElement {
    SINEW_ELEMENT_TET = 0, // linear tets
    SINEW_ELEMENT_HEX      // trilinear hexahedra, eight quadrature points
} SinewElement;

typedef enum SinewIntegrator {
    SINEW_INTEGRATOR_EULER = 0, // backward Euler: first order, damps
    SINEW_INTEGRATOR_BDF2,      // second order, damps little; its first step is Euler's, or
                                // with newton and split one of second order too
    SINEW_INTEGRATOR_NEWMARK    // average acceleration: second order, damps nothing
} SinewIntegrator;

typedef enum SinewMass {
    SINEW_MASS_LUMPED = 0, // a share of each element to each of its vertices
    SINEW_MASS_CONSISTENT  // integrals of products of shape functions
} SinewMass;

// Options of `newton`. Start from sinew_newton_def_default().
typedef struct SinewNewtonDef {
    SinewElement element;       // default tet
    SinewIntegrator integrator; // default Euler
    SinewMass mass;             // default lumped
    double tolerance;           // residual force relative to the forces at play, below 1; 0
                                // (default): 1e-6 in motion, with friction settled to 1e-3, and
                                // 1e-9 in static solves. One that is given holds for both, and
                                // friction is settled to 1e-6
    int max_iterations;         // of Newton a step, at least 1, default 60
} SinewNewtonDef;

SINEW_API SinewNewtonDef sinew_newton_def_default(void);

typedef enum SinewSplitMode {
    SINEW_SPLIT_IMPLICIT = 0, // the implicit step, solved to `accuracy`
    SINEW_SPLIT_PAPER         // one local-global pass and a volume pass: fastest, and over-damped
} SinewSplitMode;

// How `split` solves with its constant matrix.
typedef enum SinewSplitSolver {
    SINEW_SPLIT_AUTO = 0,  // multilevel where the factor would take more than about 1 GB, or its
                           // solves more time; else direct
    SINEW_SPLIT_DIRECT,    // by a factor: exact, and fastest up to about a million vertices
    SINEW_SPLIT_MULTILEVEL // to `solve_tolerance`: time and memory in proportion to the vertices,
                           // and ready several times sooner
} SinewSplitSolver;

// Options of `split`, for the laws corotated and fixed_corotated. Start from
// sinew_split_def_default().
typedef struct SinewSplitDef {
    SinewSplitMode mode;        // default implicit
    SinewIntegrator integrator; // Euler (default) or BDF2; in mode paper Euler alone. With Euler
                                // the energy of a step never rises
    double accuracy;            // of a step's motion: above 0, below 1, default 1e-3. Two
                                // linearisations of some iterations, and more of both while an
                                // estimate of what is left, relative to what forces do in the step,
                                // is larger; below 1e-5, and in contact, with a line search. Float
                                // ends near 1e-5. How far a whole motion is then from the converged
                                // one: doc/split_accuracy.md
    int newton;                 // linearisations a step; 0 (default): from accuracy
    int pcg;                    // iterations a linearisation; 0 (default): from accuracy
    int passes;                 // mode paper: local-global passes a step, at least 1, default 1
    int volume_iterations;      // mode paper: sweeps of volume correction, 0 or more, default 1
    SinewRotationMethod rotation; // mode paper: how rotations are found, default APD; QR is
                                  // followed by an iteration of APD, since its rotation is not the
                                  // closest; ENERGY is for other elements and refused
    int clusters;            // of the coarse space in mode implicit: 0 (none) to 200, default 40
    SinewSplitSolver solver; // default auto
    double solve_tolerance;  // of the multilevel solve, on its residual: above 0, below 1, default
                             // 1e-3
} SinewSplitDef;

SINEW_API SinewSplitDef sinew_split_def_default(void);

// The cells of `lattice`.
typedef enum SinewLatticeElement {
    SINEW_LATTICE_WILSON = 0, // hourglass stiffness from Wilson's incompatible modes: right in
                              // bending with one cell through the thickness
    SINEW_LATTICE_MCADAMS,    // the one-point cell of McAdams et al. 2011: too stiff when coarse
    SINEW_LATTICE_NAIVE // one point without stabilisation: cells may fold into hourglasses. To
                        // show why the others are stabilised
} SinewLatticeElement;

// What Newton's method takes for the derivative of the forces. All lead to the same equilibrium, if
// they lead to one.
typedef enum SinewLatticeDifferential {
    SINEW_LATTICE_EXACT = 0, // as it is, and definite where it is not positive
    SINEW_LATTICE_DEFINITE,  // always made definite, as McAdams et al. do
    SINEW_LATTICE_WARPED,    // warped stiffness: rotations held constant
    SINEW_LATTICE_ZHU        // of Zhu et al. 2010
} SinewLatticeDifferential;

// How an iteration solves.
typedef enum SinewLatticeCycle {
    SINEW_LATTICE_VCYCLE = 0, // conjugate gradients with a V-cycle on the linearised equations
    SINEW_LATTICE_FAS // one cycle of the full approximation scheme on the equations themselves
} SinewLatticeCycle;

typedef enum SinewLatticeSmoother {
    SINEW_LATTICE_CHEBYSHEV = 0, // two to five steps, by Poisson's ratio
    SINEW_LATTICE_JACOBI         // five damped sweeps, as McAdams et al. do
} SinewLatticeSmoother;

// How much cells on the outside of a shape count.
typedef enum SinewLatticeFill {
    SINEW_LATTICE_FULL = 0, // as others
    SINEW_LATTICE_WEIGHTED  // with the share of them that is inside, for stiffness and mass
} SinewLatticeFill;

// Options of `lattice`: cubic cells of the corotated law, Newton's method, and conjugate gradients
// with a multigrid cycle as their preconditioner. Boxes are cut into the nearest cubes; other
// shapes are covered with cubes. Start from sinew_lattice_def_default().
typedef struct SinewLatticeDef {
    SinewLatticeElement element; // default wilson
    SinewIntegrator integrator;  // Euler (default) or BDF2
    double tolerance;            // residual force relative to the forces at play, below 1; 0
                                 // (default): 1e-4 in motion and 1e-6 in static solves; about 1e-10
                                 // is the least that rounding allows
    int max_iterations;          // of Newton a step, at least 1, default 60
    SinewLatticeDifferential differential; // default exact
    SinewLatticeCycle cycle;               // default V-cycle
    SinewLatticeSmoother smoother;         // default Chebyshev
    SinewLatticeFill fill;                 // default weighted
} SinewLatticeDef;

SINEW_API SinewLatticeDef sinew_lattice_def_default(void);

typedef enum SinewVoxelMode {
    SINEW_VOXEL_CONDENSED = 0, // cells condensed from their content: right with a handful of them
    SINEW_VOXEL_PAPER          // the trilinear cells of Nesme et al. 2006: too stiff when coarse
} SinewVoxelMode;

// What a cell of mode paper is made of.
typedef enum SinewVoxelStiffness {
    SINEW_VOXEL_NONUNIFORM = 0, // of its content where it is
    SINEW_VOXEL_UNIFORM         // of a full cell times the share that is full
} SinewVoxelStiffness;

typedef enum SinewImageType {
    SINEW_IMAGE_U8 = 0, // whole numbers from 0 to 255
    SINEW_IMAGE_U16,    // from 0 to 65535
    SINEW_IMAGE_I16,    // from -32768 to 32767
    SINEW_IMAGE_F32     // floats of 32 bits
} SinewImageType;

// How numbers lie in the file of a volume image that has no header: size[0] size[1] size[2] of them
// and nothing else, those along x side by side, then those along y.
typedef struct SinewRawImage {
    int size[3];         // along x, y and z, 1 to 32767; all zero (default): there is a header
    SinewImageType type; // default u8
    int big_endian;      // not 0: the first byte of a number counts most; default 0
    double spacing[3];   // m, between centres, positive, default 0.001
    double origin[3];    // m, of the first centre, default 0
    double scale;        // what numbers are multiplied by, finite, default 1
} SinewRawImage;

// How the linear systems of `voxel` are solved, where the number of iterations is not given.
typedef enum SinewVoxelSolver {
    SINEW_VOXEL_AUTO = 0,  // up to 200 cells steps by conjugate gradients and static solves by a
                           // factor; beyond, by levels, but for steps so short that masses rule
                           // and for slender bodies, which have small factors
    SINEW_VOXEL_DIRECT,    // by a factor
    SINEW_VOXEL_MULTILEVEL // by ever coarser cells: time and memory in proportion to the cells
} SinewVoxelSolver;

// Options of `voxel`: coarse cubes over any shape, each made from small cubes, the voxels, inside
// it. The body's resolution counts coarse cells. Boxes are cut into cubes. Laws are corotated,
// or linear. Start from sinew_voxel_def_default().
typedef struct SinewVoxelDef {
    SinewVoxelMode mode;           // default condensed
    SinewVoxelStiffness stiffness; // of mode paper, default nonuniform
    SinewIntegrator integrator;    // Euler (default) or BDF2
    int fine_levels;               // times that a cell is cut in eight, 0 to 3, or 4 in mode paper;
                                   // default 2: 64 voxels a cell
    int hollow;                    // not 0: nothing is inside a surface, it is a sheet itself;
                                   // default 0
    int split_triangles;           // not 0: triangles and lines of the surface are split where they
                                   // cross the faces of cells, in mode condensed of voxels, so that
                                   // large ones bend as the body does; new vertices follow those
                                   // that were there. Default 0
    int newton;                    // linearisations a step; 0 (default): until the tolerance is
                                   // reached, and in mode paper one. Up to nine more where the step
                                   // would gain energy from contact, in mode paper up to seventeen
                                   // and from strained cells too; `rescues` of the report counts
                                   // such steps
    int pcg;                       // iterations of each, where their number is given; 0: ten
    double tolerance;              // residual force relative to the forces at play: above 0, below
                                   // 1, default 1e-4. Static solves go to 1e-6 where this is more
    int max_iterations;            // of Newton a step, at least 1, default 60
    const char *image;             // a NIfTI-1 file (.nii) whose values multiply Young's modulus;
                                   // where they are 0 or less nothing is. Its axes are the
                                   // world's; Nullable: image, 1 everywhere
    SinewRawImage image_raw;       // how numbers lie in it, where it has no header
    const char *cache;             // folder in which made cells are kept for the next time, by a
                                   // hash of what they are made from; Nullable: cache, none
    SinewVoxelSolver solver;       // default auto
} SinewVoxelDef;

SINEW_API SinewVoxelDef sinew_voxel_def_default(void);

typedef enum SinewFramesMode {
    SINEW_FRAMES_FITTED = 0, // few samples whose stiffness is fitted to a finite-element solve
    SINEW_FRAMES_PAPER       // Gilles et al. 2011: a sample in each cell, one linear solve a step
} SinewFramesMode;

// What a frame may do.
typedef enum SinewFrameKind {
    SINEW_FRAME_RIGID = 0, // turn and move, six numbers; places follow a blend of dual quaternions
    SINEW_FRAME_AFFINE, // stretch and shear too, twelve numbers; places follow the weighted mean.
                        // Laws are integrated over all cells: nothing is fitted
    SINEW_FRAME_AUTO    // rigid where `frames` or `skeleton` places them, where they stand in a row
                        // along a slender body, in mode paper, and with springs, painted weights or
    // stiffness damping. Elsewhere affine, with laws in some dozen cells a frame
} SinewFrameKind;

// How much of each frame a place follows.
typedef enum SinewFrameWeights {
    SINEW_FRAME_WEIGHTS_AUTO = 0,   // linear where frames stand in a row along the body, else
                                    // harmonic; biharmonic where the kind of frames was left open
                                    // and they are affine
    SINEW_FRAME_WEIGHTS_LINEAR,     // along the chain of the frames in their order, or along bones
    SINEW_FRAME_WEIGHTS_HARMONIC,   // change least where the body is stiff
    SINEW_FRAME_WEIGHTS_BIHARMONIC, // smoother; may leave 0 to 1 a little
    SINEW_FRAME_WEIGHTS_GEODESIC,   // fall off with the way inside the body, up to the next frame
    SINEW_FRAME_WEIGHTS_PAINTED     // given
} SinewFrameWeights;

// A frame of `frames`: where it stands, and the part of the body that follows it alone.
typedef struct SinewFrame {
    double at[3];      // m, a rest position after the body's pose; finite
    SinewRegion rigid; // vertices in it follow this frame alone, where weights are not linear or
                       // painted; kind SINEW_REGION_NONE: a ball with a quarter of the way to the
                       // next frame. Box, sphere or all
    double wakes;      // s, 0 or more: the frame is inserted after so much time of motion; until
                       // then it goes along with the nearest frame that is always there, as if the
                       // two were one. 0: there from the start
    int parent1;       // 1 + the index of the frame that its bone comes from; linear weights go
                       // along bones. 0: it has none; where none has one, frames are a chain
    double sleeps;     // s: the frame is removed after so much time, and from then on goes along
                       // again; 0: never
} SinewFrame;

// Options of `frames`. Boxes are cut into cubes; other shapes are covered with cubes, on which
// weights, stiffness and mass are found once. Start from sinew_frames_def_default().
typedef struct SinewFramesDef {
    SinewFramesMode mode;      // default fitted
    SinewFrameKind kind;       // default auto
    SinewFrameWeights weights; // default auto
    int count;                 // the most frames that are placed where `frames` is empty: 1 to 64,
                               // default 8. In a row along a slender body, in equal blocks of one
                               // that fills its bounding box, else far from each other
    const SinewFrame *frames;  // default NULL. Copied
    int frame_count;           // of `frames`, 0 (default) to 64
    const double *painted;     // with PAINTED: a number of at least 0 for each frame at each vertex
                               // of the body's mesh, frames of a vertex side by side. Copied
    int painted_count;         // vertices of `painted`
    SinewIntegrator integrator; // Euler (default) or BDF2
    SinewMass mass;       // lumped (default): some dozen lumps a frame; consistent: one a cell
    double tolerance;     // residual force relative to the forces at play: above 0, below 1.
                          // 0 (default): 1e-4 in steps, 1e-8 in static solves
    int max_iterations;   // of Newton a step, at least 1, default 60; mode paper takes 1
    const char *skeleton; // a glTF file (.glb, .gltf) at whose joints the frames are, as they were
                          // bound and after the body's pose, with its bones; joints farther from
                          // the body than a cell are left out. Nullable: skeleton, none
    const char *image;    // a NIfTI-1 file (.nii) whose values multiply Young's modulus; where they
                          // are 0 or less nothing is. Its axes are the world's. Nullable: image, 1
                          // everywhere
    const char *density_image; // the same for the density, above 0 where the body is; may be the
                               // same file. Nullable: density_image
    int geometric;             // mode paper: 1 keeps the part of the stiffness that comes from the
                               // curvature of the blend, 0 (default) drops it as the paper does
    int springs; // 1: springs between rigid frames instead of samples, 0 (default) samples.
                 // They know the stiffness at rest, whatever the law; mass is then, where
                 // lumped, four lumps a frame that follow it alone. Mode paper: a spring a
                 // pair of frames
} SinewFramesDef;

SINEW_API SinewFramesDef sinew_frames_def_default(void);

// What the linear systems of `tetmg` know of how rotations follow.
typedef enum SinewTangent {
    SINEW_TANGENT_EXACT = 0, // all of it, made definite: bodies come to rest at any stretch
    SINEW_TANGENT_WARPED,    // rotations held as they are: what is stretched to twice its length or
                             // more may flutter and never come to rest
    SINEW_TANGENT_MIXED      // warped where tets are nearly as they were at rest, which is the more
                             // accurate there, exact where they are stretched; exact throughout
                             // where a step goes on to an accuracy below 1e-3
} SinewTangent;

typedef enum SinewTetmgMode {
    SINEW_TETMG_IMPLICIT = 0, // the implicit step, solved to `accuracy`
    SINEW_TETMG_PAPER         // the method of Georgii and Westermann 2008: one linear system a step
} SinewTetmgMode;

// How mode paper makes the matrices of its coarse levels; all give the same up to rounding.
typedef enum SinewTetmgProduct {
    SINEW_PRODUCT_STREAM = 0, // one pass over the fine matrix, as a stream of weights and places
    SINEW_PRODUCT_GATHER,     // each coarse block gathers what it is made of: in parallel
    SINEW_PRODUCT_TWO_STAGE,  // K P first, then P^T (K P): in parallel, in less memory
    SINEW_PRODUCT_PLAIN       // sums over rows, columns looked up each time: to compare with
} SinewTetmgProduct;

// Rotations of tets in mode paper.
typedef enum SinewTetmgRotation {
    SINEW_TETMG_ENERGY = 0, // of least energy over the tet
    SINEW_TETMG_POLAR,      // closest to the deformation gradient
    SINEW_TETMG_SMOOTHED    // those, averaged over neighbours
} SinewTetmgRotation;

#define SINEW_TETMG_HIERARCHY_MAX 7

// Options of `tetmg`, for the laws corotated and fixed_corotated: Newton's method, and conjugate
// gradients with two levels as their preconditioner. Start from sinew_tetmg_def_default().
typedef struct SinewTetmgDef {
    SinewTetmgMode mode;         // default implicit
    SinewIntegrator integrator;  // Euler (default) or BDF2; in mode paper Euler or Newmark. In mode
                                 // implicit with Euler the energy of a step never rises
    double accuracy;             // as in SinewSplitDef, default 1e-3. In mode paper: of the linear
                                 // system, relative to its right side
    int newton;                  // linearisations a step; 0 (default): from accuracy
    int pcg;                     // iterations a linearisation; 0 (default): from accuracy
    SinewTangent tangent;        // default mixed
    SinewTetmgProduct product;   // mode paper, default stream
    SinewTetmgRotation rotation; // mode paper, default energy
    int plain_cycles;            // mode paper: V-cycles by themselves, without conjugate gradients;
                                 // 0 (default): with them
    double spacing; // of the coarse lattice, in mean edges: 2 to 16, default 4. Smaller: fewer
                    // iterations, more set-up and more time an iteration
    // Mode paper: meshes of the coarse levels, each with fewer vertices than the one before, which
    // need not fit the body or each other: what lies outside, by their mean edge at most, follows
    // the nearest tet. They go with the body's pose, and are used during the call alone. Below the
    // last, lattices go on where it has more than 64 vertices. NULL and 0 (default): lattices
    const SinewTets *const *hierarchy;
    int hierarchy_count; // 0 to SINEW_TETMG_HIERARCHY_MAX
} SinewTetmgDef;

SINEW_API SinewTetmgDef sinew_tetmg_def_default(void);

#ifdef __cplusplus
}
#endif

#endif
