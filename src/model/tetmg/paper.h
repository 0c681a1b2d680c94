// Mode paper [D]: warped stiffness and one linear system a step, from where the step begins.
#ifndef SN_MODEL_TETMG_PAPER_H
#define SN_MODEL_TETMG_PAPER_H

#include "model/tetmg/body.h"

SinewStatus sn_tetmg_paper_create(SnTetmg *body, SinewError *error);
void sn_tetmg_paper_release(SnTetmg *body);

// After the material changed.
void sn_tetmg_paper_renew(SnTetmg *body);

SinewStatus sn_tetmg_paper_step(SnTetmg *body, const SnStep *step, SinewStepReport *out_report,
                                SinewError *error);

#endif
