// What a body is made of before it moves: surfaces and tet meshes, as files or programs give them,
// primitive shapes, parts of space, and placements. Surfaces and meshes are assets: made once,
// never changed, used by any number of worlds. Metres throughout; positions are doubles.
#ifndef SINEW_GEOMETRY_H
#define SINEW_GEOMETRY_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// A surface of triangles, or of lines; may be open, doubled or flipped in parts. Made by
// sinew_surface_create or sinew_surface_load, ended by sinew_surface_destroy.
typedef struct SinewSurface SinewSurface;

// A tet mesh. Made by sinew_tets_create or sinew_tets_load, ended by sinew_tets_destroy.
typedef struct SinewTets SinewTets;

// A surface from arrays, which are copied. Start from sinew_surface_def_default().
typedef struct SinewSurfaceDef {
    const double *positions; // m, xyz a vertex, finite
    int vertex_count;        // at least 3, of lines alone 2
    const int *triangles;    // three vertex indices each, counter-clockwise from outside
    int triangle_count;      // at least 1, or 0 where there are lines
    const int *lines;        // two vertex indices each. With hollow, `voxel` fills what they touch;
                             // a body of lines alone is always hollow, and only `voxel` takes it
    int line_count;          // default 0
    SinewAllocator allocator; // all zero (default): malloc and free
    uint32_t struct_size;     // set by the default function, do not touch
} SinewSurfaceDef;

// A tet mesh from arrays, which are copied. Start from sinew_tets_def_default().
typedef struct SinewTetsDef {
    const double *positions;  // m, xyz a vertex, finite
    int vertex_count;         // at least 4, each in a tet
    const int *tets;          // four vertex indices each; those of negative volume are turned round
    int tet_count;            // at least 1, none without volume
    SinewAllocator allocator; // all zero (default): malloc and free
    uint32_t struct_size;     // set by the default function, do not touch
} SinewTetsDef;

SINEW_API SinewSurfaceDef sinew_surface_def_default(void);
SINEW_API SinewTetsDef sinew_tets_def_default(void);

// Makes a surface from arrays. SINEW_ERROR_ARGUMENT: the sentence and error->index name the vertex
// or triangle. On failure *out_surface is NULL. Nullable: error
SINEW_API SinewStatus sinew_surface_create(const SinewSurfaceDef *def, SinewSurface **out_surface,
                                           SinewError *error);

// Reads OBJ, PLY, STL, OFF, 3DS, glTF or GLB, told by the name's ending. SINEW_ERROR_FILE: the
// sentence has the line or byte. Nullable: allocator, error
SINEW_API SinewStatus sinew_surface_load(const char *path, const SinewAllocator *allocator,
                                         SinewSurface **out_surface, SinewError *error);

// Writes OBJ, PLY or STL, told by the name's ending. The file appears whole or not at all.
// SINEW_ERROR_ARGUMENT: another ending; SINEW_ERROR_WRITE: the disk. Nullable: error
SINEW_API SinewStatus sinew_surface_save(const SinewSurface *surface, const char *path,
                                         SinewError *error);

// Nullable: surface
SINEW_API void sinew_surface_destroy(SinewSurface *surface);

// Makes a tet mesh from arrays, as sinew_surface_create does. Nullable: error
SINEW_API SinewStatus sinew_tets_create(const SinewTetsDef *def, SinewTets **out_tets,
                                        SinewError *error);

// Reads Gmsh MSH, TetGen node and ele, Vega veg, VTK or VTU. Nullable: allocator, error
SINEW_API SinewStatus sinew_tets_load(const char *path, const SinewAllocator *allocator,
                                      SinewTets **out_tets, SinewError *error);

// Writes Gmsh MSH, TetGen node and ele, Vega veg, VTK or VTU, told by the name's ending. The file
// appears whole or not at all. Fails as sinew_surface_save does. Nullable: error
SINEW_API SinewStatus sinew_tets_save(const SinewTets *tets, const char *path, SinewError *error);

// Nullable: tets
SINEW_API void sinew_tets_destroy(SinewTets *tets);

typedef enum SinewShapeKind {
    SINEW_SHAPE_NONE = 0,  // not said
    SINEW_SHAPE_BOX,       // min, max
    SINEW_SHAPE_SPHERE,    // center, radius
    SINEW_SHAPE_ELLIPSOID, // center, radii
    SINEW_SHAPE_CAPSULE,   // from, to, radius
    SINEW_SHAPE_CYLINDER,  // from, to, radius
    SINEW_SHAPE_CONE,      // from (middle of the base), to, radius, top
    SINEW_SHAPE_TORUS,     // center, axis, radius, tube
    SINEW_SHAPE_BLOB,      // parts, part_count, smooth
    SINEW_SHAPE_PLANE,     // normal, offset; for colliders alone
    SINEW_SHAPE_MESH       // surface; for colliders alone
} SinewShapeKind;

// A primitive. Members that its kind does not name are not looked at. Start from
// sinew_shape_default(), which has all of them zero but for those that say otherwise.
typedef struct SinewShape {
    SinewShapeKind kind;
    double min[3];    // m
    double max[3];    // m, greater than min on each axis
    double center[3]; // m
    double radius;    // m
    double radii[3];  // m, along x, y, z
    double from[3];   // m
    double to[3];     // m
    double top;       // m, radius of a cone's top; 0: a tip
    double tube;      // m, radius of a torus' tube, less than radius
    double axis[3];   // of a torus; default y
    double normal[3]; // of a plane, any length; default y. The solid side is behind it
    double offset;    // m, of a plane along its normal
    const struct SinewShape *parts; // of a blob: any of box to torus
    int part_count;
    double smooth;               // m, over which a blob's parts melt together; 0: not at all
    const SinewSurface *surface; // of a mesh; closed, or its winding number tells the inside
} SinewShape;

SINEW_API SinewShape sinew_shape_default(void);

typedef enum SinewRegionKind {
    SINEW_REGION_NONE = 0, // not said
    SINEW_REGION_ALL,      // everything
    SINEW_REGION_BOX,      // min to max, its faces included
    SINEW_REGION_SPHERE,   // centre and radius, its surface included
    SINEW_REGION_VERTICES  // the model's vertices with these indices
} SinewRegionKind;

// A part of a body, tested on rest positions after the body's pose.
typedef struct SinewRegion {
    SinewRegionKind kind;
    double min[3];       // m
    double max[3];       // m
    double center[3];    // m
    double radius;       // m
    const int *vertices; // copied by the call that takes the region
    int vertex_count;
} SinewRegion;

// Where a body is put before it starts: scaled about the origin, then turned about it, then moved.
// The result is its rest shape.
typedef struct SinewPose {
    double translate[3]; // m, default 0
    double axis[3];      // any length but zero; default y
    double degrees;      // default 0
    double scale;        // positive, default 1
} SinewPose;

// One moment of a motion: turned about a point by an axis and an angle, then moved. Between two
// moments the angle (where the axes are the same; else the short way round) and the translation
// change linearly; before the first and after the last nothing moves.
typedef struct SinewKey {
    double t;            // s; in a static world 0 to 1
    double translate[3]; // m
    double axis[3];      // any length but zero; default y
    double degrees;      // more than 360 turns more than once
    double about[3];     // m, a point of the axis
} SinewKey;

SINEW_API SinewPose sinew_pose_default(void);
SINEW_API SinewKey sinew_key_default(void);

#ifdef __cplusplus
}
#endif

#endif
