// Static solves: the same stages as a step, without time.
#include "world/check.h"
#include "world/step.h"

SinewStatus sinew_world_solve_static(SinewWorld *world, double t, double tolerance,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_nonnegative(t, "static solve", "t", error));
    if (!(tolerance < 1.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "static solve: tolerance is %g, expected less than 1; 0: the models' own",
                       tolerance));
    }
    double scale = t < 1.0 ? t : 1.0;
    SnAdvance advance = {.from = world->time,
                         .to = t,
                         .is_static = true,
                         .gravity_scale = scale,
                         .load_scale = scale,
                         .tolerance = tolerance > 0.0 ? tolerance : 0.0};
    SN_TRY(sn_world_advance(world, &advance, error));
done:
    return status;
}
