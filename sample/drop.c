// A soft body falls on the floor: sample_drop [SURFACE.ply]; without a file it is a ball.
#include <sinew/sinew.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    SinewError error;
    SinewWorld *world = NULL;
    SinewSurface *surface = NULL;
    SinewBodyId body;
    SinewColliderId floor;
    double worst = 0.0;

    SinewWorldDef world_def = sinew_world_def_default(); // metres, kilograms, seconds
    SinewColliderDef floor_def = sinew_collider_def_default();
    floor_def.shape.kind = SINEW_SHAPE_PLANE; // y = 0, facing up
    SinewBodyDef body_def = sinew_body_def_default();
    body_def.material.young = 5e4;    // Pa: soft rubber
    body_def.pose.translate[1] = 0.3; // m
    if (argc < 2) {
        body_def.shape.kind = SINEW_SHAPE_SPHERE;
        body_def.shape.radius = 0.1;
    }

    // A negative status: nothing happened, and the error has the sentence.
    int failed = (argc > 1 && sinew_surface_load(argv[1], NULL, &surface, &error) < 0) ||
                 sinew_world_create(&world_def, &world, &error) < 0 ||
                 sinew_world_add_collider(world, &floor_def, &floor, &error) < 0;
    body_def.surface = surface; // holes and flips are fine
    failed = failed || sinew_world_add_body(world, &body_def, &body, &error) < 0;
    for (int step = 0; step < 120 && !failed; ++step) {
        failed = sinew_world_step(world, 1.0 / 60, &error) < 0;
        double seconds = sinew_world_report(world).seconds_total;
        worst = seconds > worst ? seconds : worst;
        // Draw sinew_body_surface(world, body) with sinew_body_triangles(world, body) here.
    }
    if (failed) {
        fprintf(stderr, "%s\n", error.text);
    } else {
        printf("after 2 s it touches the floor at %d points; the slowest step took %.1f ms\n",
               sinew_world_report(world).contacts, 1e3 * worst);
    }
    sinew_world_destroy(world);
    sinew_surface_destroy(surface);
    return failed;
}
