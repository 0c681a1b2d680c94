// Bodies of a scene that stand for many: each copy becomes a body of its own, named after the body
// with its number, turned where it stands and moved, with pins, loads and regions that went along.
#ifndef SN_SCENE_COPIES_H
#define SN_SCENE_COPIES_H

#include "scene/scene.h"

// The most bodies that a scene may have, copies counted.
enum { SN_SCENE_BODIES_MAX = 4096 };

// Puts copies in place of the bodies that have some. Bodies have their names.
SinewStatus sn_copies_expand(SinewScene *scene, SinewError *error);

#endif
