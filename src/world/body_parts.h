// All of a body that a cut replaces: the model's state, the surface, and the points of everything
// that touches the body. A cut makes new parts out of old ones and leaves those as they are, so
// that one that fails has changed nothing; when all is made, the body adopts it.
#ifndef SN_WORLD_BODY_PARTS_H
#define SN_WORLD_BODY_PARTS_H

#include "world/world.h"

typedef struct SnBodyParts {
    void *state; // of the model
    SnBodySurface surface;
    SnForcePoints force_points;
    SnPenalty *penalty;
    double *vertex_mass;
    int vertex_count;
    double volume;
    SnCutSum sum;
    SinewRegion *regions;     // a pin of the body
    void **load_points;       // a load
    void **attachment_points; // an attachment
    void **probe_points;      // a slot of the world's probes; NULL for those of other bodies
    int *probe_vertices;      // a slot
    bool is_lent;             // all but the lists is the body's
} SnBodyParts;

// The body's own. On failure what was made is released.
SinewStatus sn_body_parts_lend(SinewWorld *world, const SnBody *body, SnBodyParts *out_parts,
                               SinewError *error);

// What a cut makes of `from`, and what it came to. Where the list opens nothing, *out_met is false
// and there are no parts. `neighbours` are those of the tets of `from`, nullable.
SinewStatus sn_body_parts_cut(SinewWorld *world, const SnBody *body, const SnBodyParts *from,
                              const SnTetCutList *list, const int *neighbours,
                              SnBodyParts *out_parts, SinewCutReport *out_report,
                              SinewError *error);

// The body takes the parts, which get what it had.
void sn_body_parts_adopt(SinewWorld *world, SnBody *body, SnBodyParts *parts);

// Parts that are all zero are fine.
void sn_body_parts_release(SinewWorld *world, const SnBody *body, SnBodyParts *parts);

#endif
