#include "bench/swing.h"

#include "base/clock.h"

#include <math.h>

const double sn_swing_euler[SN_SWING_TIMES][3] = {
    {-0.001772, -0.011222, 0.001627}, {-0.011873, -0.032065, 0.008172},
    {-0.033792, -0.054930, 0.019769}, {-0.066807, -0.074812, 0.035911},
    {-0.105438, -0.085181, 0.053352}, {-0.140875, -0.082980, 0.067367},
    {-0.166533, -0.074029, 0.074887}, {-0.180643, -0.066672, 0.075468},
    {-0.183473, -0.065717, 0.069775}, {-0.174900, -0.071147, 0.058824}};

double sn_swing_run(SnHanging *rig, int steps, int runs, double (*out_means)[3])
{
    enum { STEPS_MAX = 8 * SN_SWING_STEPS * SN_SWING_TIMES };
    static const double none[3] = {0.0, 0.0, 0.0};
    double least[STEPS_MAX] = {0.0}, sum = 0.0;
    for (int run = 0; run < runs; ++run) {
        rig->model->start(rig->body, SINEW_START_REST, none, none);
        for (int i = 0; i < steps * SN_SWING_TIMES; ++i) {
            double begin = sn_clock_seconds();
            sn_hanging_step(rig, NULL);
            double time = sn_clock_seconds() - begin;
            least[i] = run == 0 || time < least[i] ? time : least[i];
            if ((i + 1) % steps == 0) {
                sn_hanging_mean(rig, out_means[i / steps]);
            }
        }
    }
    for (int i = 0; i < steps * SN_SWING_TIMES; ++i) {
        sum += least[i];
    }
    return sum / (steps * SN_SWING_TIMES);
}

static double distance(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

// The largest distance relative to what is expected then, and to the largest of that.
static void find_errors(double (*means)[3], const double (*expected)[3], double *out_then,
                        double *out_largest)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    double worst = 0.0, away = 0.0, largest = 0.0;
    for (int t = 0; t < SN_SWING_TIMES; ++t) {
        double size = distance(expected[t], none);
        double error = distance(means[t], expected[t]);
        worst = fmax(worst, error / size);
        away = fmax(away, error);
        largest = fmax(largest, size);
    }
    *out_then = worst;
    *out_largest = away / largest;
}

double sn_swing_error(double (*means)[3], const double (*expected)[3])
{
    double then, largest;
    find_errors(means, expected, &then, &largest);
    return 100.0 * then;
}

void sn_swing_errors(double (*means)[3], const double (*expected)[3], SnBenchResult *out_result)
{
    double then, largest;
    find_errors(means, expected, &then, &largest);
    sn_bench_figure(out_result, "error_%", 100.0 * then);
    sn_bench_figure(out_result, "of_largest_%", 100.0 * largest);
}
