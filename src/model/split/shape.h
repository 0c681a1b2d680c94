// What bodies of one rest shape have in common: elements, orders, blocks, colours, clusters, masses
// and materials, in coordinates of the body. Const once made, found by content in the world's
// store. The rest shape may be turned and moved from body to body: forces of isotropic laws turn
// with it, so that a body only places it.
#ifndef SN_MODEL_SPLIT_SHAPE_H
#define SN_MODEL_SPLIT_SHAPE_H

#include "model/split/body.h"

// `body` is what bodies copy: all of it is lent, and it does nothing by itself.
typedef struct SnSplitShape {
    SnShared shared;
    bool is_cut; // its orders are those of the body that was cut, so nobody shares it
    SnSplit body;
} SnSplitShape;

// What a shape is made of. Borrowed.
typedef struct SnSplitShapeDef {
    const SnTetMesh *mesh;       // unplaced
    const int *indices;          // a tet: its material
    const SnMaterial *materials; //
    int material_count;
    SinewSplitDef options;
    const char *name;  // of the body, for sentences
    const char *model; // the same
} SnSplitShapeDef;

// The sentence about a mode that has no damping by stiffness.
SinewStatus sn_split_refuse_damping(const char *name, const char *model, const SnMaterial *material,
                                    SinewError *error);

// Materials that split cannot do are refused.
SinewStatus sn_split_shape_take(const SnSplitShapeDef *def, SnShare *share,
                                const SinewAllocator *allocator, SnWorkers *workers,
                                const SnKernels *kernels, SnSplitShape **out_shape,
                                SinewError *error);

// The shape that a cut makes of another; `def` has its name and materials, as many as before.
SinewStatus sn_split_shape_cut(const SnSplitShapeDef *def, const SnSplitShape *from,
                               const SnTetCut *cut, SnSplitShape **out_shape, SinewError *error);

// Parts of making one: masses from the elements, and all of a shape from that before a cut.
SinewStatus sn_split_shape_make_masses(SnSplit *body, SinewError *error);
SinewStatus sn_split_shape_build_cut(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                     const SnMaterial *materials, SinewError *error);

// `trace` of one tet alone, N/m.
double sn_split_shape_tet_trace(const SnSplit *body, int tet);

// `rounding`, from the trace. After masses.
void sn_split_shape_set_rounding(SnSplit *body);

#endif
