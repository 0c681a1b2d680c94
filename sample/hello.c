// sample_hello: a soft ball of 20 cm drops onto the ground. How flat is it after a second, and how
// true is that?
#include <sinew/sinew.h>

#include <stdio.h>

// The highest point of a body's surface, m.
static double top_of(const SinewWorld *world, SinewBodyId body)
{
    SinewPoints points = sinew_body_surface(world, body);
    float top = points.xyz[1];
    for (int i = 0; i < points.count; ++i) {
        top = points.xyz[3 * i + 1] > top ? points.xyz[3 * i + 1] : top;
    }
    return (double)top;
}

int main(void)
{
    SinewWorld *world = NULL;
    SinewBodyId ball;
    SinewColliderId ground;
    SinewError error;

    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef ball_def = sinew_body_def_default();
    ball_def.shape.kind = SINEW_SHAPE_SPHERE;
    ball_def.shape.center[1] = 0.3;
    ball_def.shape.radius = 0.1;
    ball_def.model = SINEW_MODEL_NEWTON; // slow and true
    ball_def.resolution = 4;
    ball_def.material.young = 2e4;
    SinewColliderDef ground_def = sinew_collider_def_default();
    ground_def.shape.kind = SINEW_SHAPE_PLANE; // y = 0, facing up

    int failed = sinew_world_create(&world_def, &world, &error) < 0 ||
                 sinew_world_add_body(world, &ball_def, &ball, &error) < 0 ||
                 sinew_world_add_collider(world, &ground_def, &ground, &error) < 0;
    for (int step = 0; step < 60 && !failed; ++step) {
        failed = sinew_world_step(world, 1.0 / 60, &error) < 0;
    }
    if (failed) {
        fprintf(stderr, "%s\n", error.text);
    } else {
        SinewStepReport report = sinew_world_report(world);
        printf("the ball of 0.200 m lies %.3f m high, residual %s 1e-9\n", top_of(world, ball),
               report.residual <= 1e-9 ? "below" : "above");
    }
    sinew_world_destroy(world);
    return failed;
}
