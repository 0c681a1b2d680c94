// What a table alone cannot say of a scene: values that must fit each other, and names and numbers
// that point to other parts. The first are called by the reader, mapping by mapping; the last once
// the whole scene is read.
#ifndef SN_SCENE_CHECK_H
#define SN_SCENE_CHECK_H

#include "scene/content.h"
#include "scene/schema.h"

// Fields of a probe, as bits of SnSceneItem.present.
enum {
    SN_PROBE_NAME,
    SN_PROBE_BODY,
    SN_PROBE_REPORT,
    SN_PROBE_POINT,
    SN_PROBE_VERTEX,
    SN_PROBE_ON_SURFACE,
    SN_PROBE_PIN,
    SN_PROBE_ATTACHMENT,
    SN_PROBE_FIELD_COUNT
};

SnTableCheck sn_check_box;        // of a body: corners, and cells or resolution
SnTableCheck sn_check_box_plain;  // corners
SnTableCheck sn_check_axle_plain; // cylinders and cones need a direction
SnTableCheck sn_check_torus_plain;
SnTableCheck sn_check_shape;
SnTableCheck sn_check_model;
SnTableCheck sn_check_region_box;
SnTableCheck sn_check_contact;
SnTableCheck sn_check_probe;

// Names that are there twice, probes of bodies and pins that are not, and what this version lacks.
// Fills body_index and on_surface of probes.
SinewStatus sn_check_scene(const SnYaml *yaml, SnSceneContent *content, SinewError *error);

#endif
