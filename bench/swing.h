// Half a second of a hanging body's swing, and how far its mean displacement is from what it should
// be: what benches of models whose steps are not exact measure beside their time.
#ifndef SN_BENCH_SWING_H
#define SN_BENCH_SWING_H

#include "bench/hanging.h"

enum { SN_SWING_TIMES = 10, SN_SWING_STEPS = 5 }; // output times, and steps of 10 ms to each

// Converged backward Euler at 0.05, 0.10 ... 0.50 s: mean displacement of armadillo_16k, m, on
// which two other codes and `newton` agree to 1e-6.
extern const double sn_swing_euler[SN_SWING_TIMES][3];

// Half a second of motion, looked at ten times, from rest and `runs` times over: the work of a step
// differs from the next one's but not from its own in another run. Returns the mean over steps of
// the least time of each, s. At most 40 steps to an output time.
double sn_swing_run(SnHanging *rig, int steps, int runs, double (*out_means)[3]);

// The largest over the output times of the distance from what is expected, relative to that, %.
double sn_swing_error(double (*means)[3], const double (*expected)[3]);

// Adds that as error_%, and of_largest_%: relative to the largest of the ten.
void sn_swing_errors(double (*means)[3], const double (*expected)[3], SnBenchResult *out_result);

#endif
