// Springs of contact and attachments, joined by cell: one spring a cell with the sum of the
// stiffnesses in it, at their mean place. The factor of the coarsest level is made with these and
// kept while they change little, so the state has them: a restored one makes the same factor.
//
// Not taken: keeping the springs of single points. Their number changes from step to step, and a
// model's state has one size; rotations that a cell's springs resist by themselves are too fine for
// the coarsest level.
#ifndef SN_MODEL_LATTICE_SPRINGS_H
#define SN_MODEL_LATTICE_SPRINGS_H

#include "model/lattice/body.h"

// Joins the springs at a body's points into `out`, SN_LATTICE_CELL_SPRING numbers a cell. Nullable:
// springs.
void sn_lattice_springs_join(const SnLattice *body, const SnLatticePoints *points, double *out);

// Whether the springs in `now` are near those that were kept: the traces of their stiffnesses
// differ by less than `most` of the sum of the present ones. Kept from step to step: with 0.3 a
// figure that is dropped needs twice the factorisations and a tenth less of iterations. Within a
// step points come and go, and a factor costs more than the iterations that it saves.
#define SN_LATTICE_SPRINGS_KEPT 0.6
#define SN_LATTICE_SPRINGS_FOLLOWED 2.0
bool sn_lattice_springs_fit(const SnLattice *body, const double *kept, const double *now,
                            double most);

#endif
