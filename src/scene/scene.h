// A scene in memory: what the text said, and the tree it came from, which knows the lines.
#ifndef SN_SCENE_SCENE_H
#define SN_SCENE_SCENE_H

#include "scene/content.h"
#include "scene/read.h"

struct SinewScene {
    SinewAllocator allocator;
    SnYaml yaml;
    SnKeep keep;
    SnSceneContent content;
    const char **files;
    int file_count;
};

#endif
