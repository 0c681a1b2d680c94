// Material points in tets and hexahedra: how they are found, and their stiffness.
#ifndef SN_MODEL_NEWTON_POINTS_H
#define SN_MODEL_NEWTON_POINTS_H

#include "model/newton/body.h"
#include "model/point_set.h"

// How points are found. Const once made.
typedef struct SnNewtonFinder {
    SnTetMesh tets;        // of a body of tets; arrays are the elements'
    SnTetLocator *locator; //
    SnElementTree *tree;   // of a body of hexahedra
} SnNewtonFinder;

SinewStatus sn_newton_finder_create(SnNewton *body, SinewError *error);
void sn_newton_finder_destroy(SnNewton *body);

// Adds the stiffness of the forces last evaluated to the blocks of the body's pattern.
void sn_newton_points_stiffness(const SnNewton *body, const SnPointForces *contacts, double *value);

// A hexahedron's natural coordinates of X, found by Newton's method, and the distance from it: 0
// inside, else from the nearest point that clamped coordinates give. Coordinates are not clamped.
double sn_newton_hex_locate(const double corners[24], const double X[3], double out_natural[3]);

#endif
