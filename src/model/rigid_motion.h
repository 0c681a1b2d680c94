// The rigid part of a motion of vertices: the turn and drift that have all of its momentum. What is
// left of a velocity beside it changes the shape.
#ifndef SN_MODEL_RIGID_MOTION_H
#define SN_MODEL_RIGID_MOTION_H

// v = drift + turn x (x - middle).
typedef struct SnRigidMotion {
    double middle[3]; // m, of the masses
    double drift[3];  // m/s
    double turn[3];   // rad/s
    double spin[3];   // kg m^2/s, angular momentum about the middle
} SnRigidMotion;

// With the linear and, but for rounding, the angular momentum of the velocities. About an axis on
// which all vertices lie there is no turn. All xyz packed; masses in kg a vertex.
SnRigidMotion sn_rigid_motion_of(const double *masses, const double *positions,
                                 const double *velocities, int count);

// Adds the turn to the velocities that makes their spin the given one.
void sn_rigid_motion_spin(const double *masses, const double *positions, int count,
                          const double spin[3], double *velocities);

// The velocities of that motion.
void sn_rigid_motion_velocities(const SnRigidMotion *motion, const double *positions, int count,
                                double *out_velocities);

#endif
