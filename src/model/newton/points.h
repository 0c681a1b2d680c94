// Material points of a body: the element that each is in and the weights of its corners there.
#ifndef SN_MODEL_NEWTON_POINTS_H
#define SN_MODEL_NEWTON_POINTS_H

#include "geometry/point_location.h"
#include "model/newton/body.h"

// How points are found. Const once made.
typedef struct SnNewtonFinder {
    SnTetMesh tets;        // of a body of tets; arrays are the elements'
    SnTetLocator *locator; //
    SnElementTree *tree;   // of a body of hexahedra
} SnNewtonFinder;

SinewStatus sn_newton_finder_create(SnNewton *body, SinewError *error);
void sn_newton_finder_destroy(SnNewton *body);

// Owns its arrays. The last two are room for the forces of a step at these points.
typedef struct SnNewtonPoints {
    int count;
    int corners;
    int *elements;        // a point
    double *weights;      // `corners` a point, their sum is 1
    double *distances;    // m, from the body at rest; 0 inside
    double *places;       // m, xyz a point
    SnPointForce *forces; //
} SnNewtonPoints;

// Adds a force at each point to the forces on the vertices.
void sn_newton_points_spread(const SnNewton *body, const SnNewtonPoints *points,
                             const double *forces, double *out_force);

// Forces that depend on where points are: fills the points' room with them for vertices at x, adds
// them to out_force and returns their energy, J.
double sn_newton_points_evaluate(const SnNewton *body, SnWorkers *workers,
                                 const SnPointForces *contacts, const double *x, double *out_force);

// Adds the stiffness of the forces last evaluated to the blocks of the body's pattern.
void sn_newton_points_stiffness(const SnNewton *body, const SnPointForces *contacts, double *value);

// A hexahedron's natural coordinates of X, found by Newton's method, and the distance from it: 0
// inside, else from the nearest point that clamped coordinates give. Coordinates are not clamped.
double sn_newton_hex_locate(const double corners[24], const double X[3], double out_natural[3]);

#endif
