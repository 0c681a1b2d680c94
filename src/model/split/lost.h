// Bodies that start without their shape: mirrored, flat, a point, scrambled. The law is then no
// guide. It has other minima, a ring turned into itself or a knotted limb, and each tet's own
// rotation is a guess. So while a body is lost, its steps take one rotation R for all tets:
//
//     sum mu |F - R|^2 V,  R the rotation nearest to sum mu V F
//
// has no minimum but the rest shape, wherever that lies, and exerts no force or torque on the body
// as a whole, so that momentum stays. The energy of the law may rise in such a step. Whatever else
// acts on a body, pins and contact, acts here too.
//
// Not taken: pulling each vertex to where it belongs in the rest shape. That needs no solve, but it
// would know nothing of pins and colliders.
#ifndef SN_MODEL_SPLIT_LOST_H
#define SN_MODEL_SPLIT_LOST_H

#include "model/split/step.h"

// Whether the next step is one of these. Bodies are lost that start in any other way than at rest,
// until the shape has come back or a hundred steps were not enough. Not those that are pulled or
// pressed until tets invert: they have a state of the law, however odd, and may stay in it.
static inline bool sn_split_lost(const SnSplit *body)
{
    return body->state.clock[SN_SPLIT_LOST] > 0.0;
}

// The step, prepared, to its end. Counted as a rescue.
SinewStatus sn_split_lost_step(SnSplitProblem *problem, const SnSplitRule *rule, SinewError *error);

#endif
