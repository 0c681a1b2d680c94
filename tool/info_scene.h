// What `sinew info` says of a scene: its bodies and what holds and loads them, colliders, probes,
// and the files that it needs. Nothing is built.
#ifndef SN_TOOL_INFO_SCENE_H
#define SN_TOOL_INFO_SCENE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

// True for names that end as scenes do: .yaml and .yml.
bool sn_info_scene_is(const char *path);

// Reads the file and prints a table for people, or one JSON document.
SinewStatus sn_info_scene_show(const char *path, bool json, FILE *file, SinewError *error);

#endif
