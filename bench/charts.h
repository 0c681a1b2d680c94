// The bench's results as pictures, for people who would rather look.
#ifndef SN_BENCH_CHARTS_H
#define SN_BENCH_CHARTS_H

#include "bench/bench.h"

// Writes into a folder, one SVG for each of these that was measured: machine.svg (bandwidth by
// working set), rotation.svg (time a matrix, with its limit), cholesky.svg (solve by unknowns, with
// its limit), lattice_accuracy.svg (error against time of both elements), voxel_accuracy.svg and
// frames_bar.svg (the same beside other models), swing.svg (error against time of a step of `split`
// and `tetmg`) and, where lattice.64.mgcg was asked for, lattice_history.svg (residuals by
// iteration). Says on `file` what it wrote.
SinewStatus sn_bench_charts(const SnBench *bench, const char *folder, FILE *file,
                            SinewError *error);

#endif
