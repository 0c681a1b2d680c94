// Bodies of frames that no scalar weight serves: a bar, a T, a star, half stiff, bones in flesh;
// and how soft their models are beside finite elements.
#ifndef SN_TEST_SUPPORT_FRAMES_RIG_H
#define SN_TEST_SUPPORT_FRAMES_RIG_H

#include "model/frames/body.h"

typedef struct FramesBody {
    const char *name;
    SinewShapeKind kind;
    double boxes[2][6]; // min and max of one or two
    int cells[3];       // of a box
    double origins[6][3];
    int frames;
    double stiff[2][6]; // boxes that are a hundred times as stiff
    int stiff_count;
} FramesBody;

enum { FRAMES_BODY_COUNT = 5 };
extern const FramesBody frames_bodies[FRAMES_BODY_COUNT];

// A body of the model, with what it was made from.
typedef struct FramesRig {
    SnSolid *solid;
    SnMaterial materials[3];
    SinewRegion regions[2];
    SnMaterials table;
    SinewBodyDef options;
    SinewFrame frames[6];
    SnModelDef def;
    SnFrames *body;
} FramesRig;

// Places of frames are those of the body. Fails the test where the model refuses.
void frames_rig_make(const FramesBody *what, const SinewFramesDef *options, FramesRig *rig);
void frames_rig_release(FramesRig *rig);

// Of the body's Hessian at rest over finite elements.
SnComplianceRatio frames_rig_ratio(FramesRig *rig);

#endif
