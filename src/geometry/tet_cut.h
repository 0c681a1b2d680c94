// A cut of a tet mesh at the resolution of its tets: faces between tets are opened, or whole tets
// are taken out, and each vertex whose tets then fall apart is there once for every part of them.
// What is cut goes in as a list of faces or tets, so that the same cut can be made again; out comes
// the new mesh's topology and where each of its parts came from.
//
// Not taken: tets cut in two where the blade passes. The faces would be smooth, and slivers would
// ruin the time step's matrix; at the resolution of tets no element changes.
#ifndef SN_GEOMETRY_TET_CUT_H
#define SN_GEOMETRY_TET_CUT_H

#include "base/memory.h"

#include <stdbool.h>

// What is cut. Face f of the tet t, which lies opposite its corner f, is 4 t + f; each opened face
// is listed once, by either of its tets. Owns its list.
typedef struct SnTetCutList {
    bool removes; // the items are tets that are taken out; else faces that are opened
    int count;
    int *items;
} SnTetCutList;

void sn_tet_cut_list_release(SnTetCutList *list, const SinewAllocator *allocator);

// What came of it. Vertices and tets before are "old". Those that stay keep their order; copies of
// vertices come after all others.
typedef struct SnTetCut {
    int old_vertex_count, old_tet_count;
    int vertex_count, tet_count;
    int copy_start;          // vertices from here on are copies
    int *tets;               // four vertices a tet
    int *tet_source;         // a tet: the old one
    int *vertex_source;      // a vertex: the old one
    int *tet_place;          // an old tet: where it is now, -1 for one that was taken out
    int *vertex_place;       // an old vertex: the first of its copies, -1 for one without tets
    unsigned char *is_split; // an old vertex: 1 where a face around it opened or a tet went
    int face_count;          // of tets that are outside now and were not before
    int *faces;              // 4 tet + f
    int pieces;              // of the mesh now: tets that hang together by vertices
} SnTetCut;

// The tet across each face, 4 a tet, and -1 at the outside. Four times a tet plus the face there.
// `near` is 1 at vertices whose tets are asked for, and others have -1 all around. Nullable: near,
// then all are.
SinewStatus sn_tet_neighbours_create(const int *tets, int tet_count, int vertex_count,
                                     const unsigned char *near, const SinewAllocator *allocator,
                                     int **out_neighbours, SinewError *error);

// Refuses items that the mesh does not have, and a cut that takes all tets. `neighbours` are the
// mesh's, of all vertices that the list touches; nullable where the list is empty, which leaves all
// as it is. The caller destroys the cut.
SinewStatus sn_tet_cut_create(const int *tets, int tet_count, int vertex_count,
                              const int *neighbours, const SnTetCutList *list,
                              const SinewAllocator *allocator, SnTetCut **out_cut,
                              SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_tet_cut_destroy(SnTetCut *cut, const SinewAllocator *allocator);

// Corners of the face f of a tet, counter-clockwise from outside.
void sn_tet_face(const int *tet, int f, int out_corners[3]);

#endif
