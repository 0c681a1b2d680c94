// Overrides: values given beside the file, put into the tree before it is read, so that they are
// checked like everything else.
#ifndef SN_SCENE_OVERRIDE_H
#define SN_SCENE_OVERRIDE_H

#include "scene/schema.h"

// Puts yaml->overrides[index] into the tree. The sentence names the part of the path that scenes do
// not know, and the nearest that they do.
SinewStatus sn_override_apply(SnYaml *yaml, int index, SinewError *error);

#endif
