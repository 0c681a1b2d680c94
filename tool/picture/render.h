// Pictures of triangle surfaces, drawn in software: a perspective camera, many samples a pixel, the
// light of a studio with soft shadows, a ground that shows nothing but them. The same scene gives
// the same bytes for any number of workers.
#ifndef SN_TOOL_RENDER_H
#define SN_TOOL_RENDER_H

#include "base/workers.h"
#include "tool/export/colour.h"
#include "tool/picture/camera.h"
#include "tool/picture/cut.h"
#include "tool/picture/image.h"

// A surface. Both sides are drawn. Triangles with a vertex that is not finite are left out.
typedef struct SnRenderMesh {
    const float *positions; // m, xyz packed
    int vertex_count;
    const int *triangles; // three vertex indices each
    int triangle_count;
    float colour[3];      // sRGB, 0 to 1, of the whole mesh
    const float *colours; // sRGB, three a vertex instead. Nullable
    const float *values;  // a number a vertex, shown through `map` instead. Nullable
    float value_range[2]; // the numbers at the two ends of the map
    SnColourMap map;      //
    float crease_degrees; // edges that bend more than this stay sharp; 0: flat triangles
    float edge_width;     // of the lines along the triangles' edges, in pixels; 0: none
    float edge_opacity;   // 0 to 1
    const unsigned char *hidden_edges; // a byte a triangle: bit i hides the line opposite corner i,
                                       // so that two triangles show as one quad. Nullable; not for
                                       // scenes with a cut, which makes triangles of its own
    float gloss;                       // 0: matt, 1: polished
    int is_closed;       // cut open, it shows a solid's inside instead of the back of its skin. The
                         // surface must be closed and its triangles counter-clockwise from outside
    float cut_colour[3]; // sRGB, of that inside
} SnRenderMesh;

typedef struct SnRenderScene {
    const SnRenderMesh *meshes;
    int mesh_count;
    SnCamera camera;
    SnVec3 key_direction;       // to the main lamp; zero: over the camera's left shoulder
    float key_spread;           // degrees, the lamp's radius as the scene sees it; default 7
    float background_top[3];    // sRGB
    float background_bottom[3]; // sRGB
    int has_ground;             // catch shadows on a plane
    float ground_height;        // m, its y
    int samples;                // a pixel, 1 to 64; default 16
    SnCut cut;                  // hides one side of a plane; default none
} SnRenderScene;

// Grey, smooth up to creases of 40 degrees, no lines.
SnRenderMesh sn_render_mesh_default(void);

// No meshes, light background, 16 samples.
SnRenderScene sn_render_scene_default(void);

// Draws the scene over the whole image. `workers` and `allocator` are nullable.
SinewStatus sn_render(const SnRenderScene *scene, SnImage *image, SnWorkers *workers,
                      const SinewAllocator *allocator, SinewError *error);

#endif
