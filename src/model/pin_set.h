// The vertices that pins hold, for models whose degrees of freedom are vertices: who holds which
// components, where a moving pin wants them on the way through a step, and what force it takes.
#ifndef SN_MODEL_PIN_SET_H
#define SN_MODEL_PIN_SET_H

#include "model/model.h"

typedef struct SnPinSet {
    int count;
    int *start;          // count + 1 places in `vertices`
    int *vertices;       // of each pin, ascending
    unsigned char *axes; // a pin: which components it holds, bit i for the axis i
    unsigned char *held; // a vertex: which components are held
    int held_count;      // components in all
} SnPinSet;

// Numbers a pin that steps change: its last motion (12) and its reaction (6).
enum { SN_PIN_STATE = 18 };

// The body that is held.
typedef struct SnPinBody {
    const char *name;   // for sentences
    const double *rest; // m, xyz a vertex
    int vertex_count;
} SnPinBody;

// Fails when a pin holds no axis or no vertex, or a component is held twice; error->index is the
// pin. Pins of points hold no vertex here. What was made is released by sn_pin_set_release in any
// case.
SinewStatus sn_pin_set_find(const SnPinBody *body, const SnPin *pins, int count,
                            const SinewAllocator *allocator, SnPinSet *out_set, SinewError *error);

// The same over the points of pins, those of one pin after those of the others: `vertices` are
// 0, 1, 2... and `held` is not made. Pins of vertices hold no point here.
SinewStatus sn_pin_set_points(const SnPin *pins, int count, const SinewAllocator *allocator,
                              SnPinSet *out_set, SinewError *error);

void sn_pin_set_release(SnPinSet *set, const SinewAllocator *allocator);

// State of pins that have not moved: SN_PIN_STATE numbers each, which the caller frees.
SinewStatus sn_pin_set_states(int count, const SinewAllocator *allocator, double **out_states,
                              SinewError *error);

// Where held components are at the fraction s of the way from the last motions, in `states`, to
// `motions`: each pin turns and moves as a rigid thing about the middle of its vertices. Vertices
// that were not where the last motion put them at the `start` come in evenly. Other components of
// `out_x` are left alone.
void sn_pin_set_target(const SnPinSet *set, const double *rest, const double *states,
                       const double *start, const SnAffine *motions, double s, double *out_x);

// Adds the force on one vertex that a pin holds, as far as it holds it, to the pin's wrench.
void sn_pin_set_add_wrench(const SnPinSet *set, int pin, const double x[3], const double force[3],
                           double wrench[6]);

// Keeps the motions and the wrenches of `forces` (N, xyz a vertex) in `states`.
void sn_pin_set_record(const SnPinSet *set, const double *positions, const SnAffine *motions,
                       const double *forces, double *states);

#endif
