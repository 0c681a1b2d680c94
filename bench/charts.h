// The bench's results as pictures, for people who would rather look.
#ifndef SN_BENCH_CHARTS_H
#define SN_BENCH_CHARTS_H

#include "bench/bench.h"

// Writes into a folder, one SVG a group of which something was measured: machine.svg (bandwidth by
// working set), rotation.svg (time a matrix, with its limit), cholesky.svg (solve by unknowns, with
// its limit), lattice_accuracy.svg (error against time of both elements), voxel_accuracy.svg (the
// same of both modes, beside `lattice`) and, where lattice.64.mgcg was asked for,
// lattice_history.svg (residuals by iteration). Says on `file` what it wrote.
SinewStatus sn_bench_charts(const SnBench *bench, const char *folder, FILE *file,
                            SinewError *error);

#endif
