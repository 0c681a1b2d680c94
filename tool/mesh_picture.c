#include "tool/mesh_picture.h"

#include <math.h>

bool sn_mesh_picture_keeps(const float low[3], const float high[3], const double centre[3])
{
    static const double normal[3] = {0.35, 0.2, 1.0};
    double side = 0.0;
    for (int c = 0; c < 3; ++c) {
        side += normal[c] * (centre[c] - 0.5 * ((double)low[c] + (double)high[c]));
    }
    return side <= 0.0;
}

SnRenderMesh sn_mesh_picture_body(void)
{
    SnRenderMesh body = sn_render_mesh_default();
    body.colour[0] = 0.93f;
    body.colour[1] = 0.62f;
    body.colour[2] = 0.36f;
    body.crease_degrees = 0.0f;
    body.edge_width = 1.0f;
    body.edge_opacity = 0.6f;
    return body;
}

// The camera sees what is left.
static void find_bounds(const SnRenderMesh *body, float low[3], float high[3])
{
    for (int c = 0; c < 3; ++c) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
    }
    for (size_t i = 0; i < 3 * (size_t)body->triangle_count; ++i) {
        const float *x = body->positions + 3 * (size_t)body->triangles[i];
        for (int c = 0; c < 3; ++c) {
            low[c] = fminf(low[c], x[c]);
            high[c] = fmaxf(high[c], x[c]);
        }
    }
}

SinewStatus sn_mesh_picture_write(const SnRenderMesh *body, SnWorkers *workers, const char *path,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnImage *image = NULL;
    float low[3];
    float high[3];
    SnRenderScene scene = sn_render_scene_default();

    SN_TRY(sn_image_create(1200, 900, 3, NULL, &image, error));
    find_bounds(body, low, high);
    scene.meshes = body;
    scene.mesh_count = 1;
    scene.camera = sn_camera_fit(low, high, sn_vec3(-0.55f, -0.4f, -1.0f), 30.0f,
                                 (float)image->width / (float)image->height, 0.08f);
    scene.has_ground = 1;
    scene.ground_height = low[1];
    SN_TRY(sn_render(&scene, image, workers, NULL, error));
    SN_TRY(sn_image_write_png(image, path, NULL, error));
done:
    sn_image_destroy(image, NULL);
    return status;
}
