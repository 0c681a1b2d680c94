// The surface of a body, which follows its model: places, normals, and each vertex' share of the
// area.
#ifndef SN_WORLD_BODY_SURFACE_H
#define SN_WORLD_BODY_SURFACE_H

#include "world/world.h"

// From the solid; the body must have its model. Bodies of equal shape share what they can where
// `is_kept`: the solid stays with the body. On failure what was made is in the body and goes with
// it.
SinewStatus sn_body_surface_create(SinewWorld *world, SnBody *body, const SnSolid *solid,
                                   bool is_kept, SinewError *error);

// The rest of it, of a surface that has its rest shape alone, and points in a model's state, which
// it takes over in any case. It touches with all of its vertices.
SinewStatus sn_body_surface_furnish(SinewWorld *world, const SnModel *model, const void *state,
                                    void *points, SnBodySurface *surface, SinewError *error);

// What a surface holds; `state` is what its points are of, NULL when there is none yet.
void sn_body_surface_release(SinewWorld *world, const void *state, SnBodySurface *surface);

// Puts the double places of the vertices, and of contact points, where the model is now.
void sn_body_surface_place(SnBody *body);

// From those: the lent positions and normals.
void sn_body_surface_follow(SnBody *body, SnWorkers *workers);

// Area of a triangle at rest, m^2.
double sn_body_surface_triangle_area(const SnSurface *rest, int triangle);

#endif
