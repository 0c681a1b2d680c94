#include "tool/picture/render.h"

#include "tool/picture/ground.h"
#include "tool/picture/normals.h"
#include "tool/picture/raster.h"
#include "tool/picture/shade.h"

#include <limits.h>
#include <string.h>

enum { TILE = 16, SAMPLES_MAX = 64, MAP_STEPS = 256, NO_TRIANGLE = -1 };

// All meshes of the scene as one list of triangles in the world, the broken ones left out.
typedef struct Soup {
    int count;
    SnVec3 *corners; // three positions a triangle
    SnVec3 *normals; // three a triangle, for shading
    SnVec3 *faces;   // one a triangle
    SnVec3 *shadows; // three positions a triangle of what casts shadows: all that is not cut away
    int shadow_count;
    int *mesh;     // which mesh it comes from
    int *source;   // and which of its triangles it is
    SnVec3 centre; // of all that is drawn
    float radius;
} Soup;

// Triangles by the tiles they may touch, in order of index: those of tile t are
// list[start[t]] to list[start[t + 1] - 1].
typedef struct Bins {
    int columns, rows;
    size_t *start;
    int *list;
} Bins;

typedef struct Sample {
    float nearness; // 1 / distance along the camera's axis
    int triangle;   // in the soup
} Sample;

// A picture in the making. Const while the tiles are drawn, but for the image and the scratch.
typedef struct Frame {
    const SnRenderScene *scene;
    SnImage *image;
    SnView view;
    SnStudio studio;
    const SnGround *ground; // NULL: none
    Soup soup;
    SnRasterTriangle *triangles; // of the soup; bounds are empty where nothing is covered
    Bins bins;
    SnVec3 (*maps)[MAP_STEPS + 1]; // colour map of each mesh, linear
    SnVec3 background[2];          // linear, top and bottom
    float offset[SAMPLES_MAX][2];  // of the samples in a pixel
    Sample *scratch;               // a tile's samples, for each worker
} Frame;

SnRenderMesh sn_render_mesh_default(void)
{
    return (SnRenderMesh){.colour = {0.72f, 0.74f, 0.77f},
                          .value_range = {0.0f, 1.0f},
                          .map = SN_COLOUR_MAP_SEA,
                          .crease_degrees = 40.0f,
                          .edge_opacity = 0.4f,
                          .gloss = 0.3f,
                          .cut_colour = {0.85f, 0.52f, 0.42f}};
}

SnRenderScene sn_render_scene_default(void)
{
    return (SnRenderScene){.camera = {.eye = {0, 0, 5},
                                      .up = {0, 1, 0},
                                      .field_of_view = 35.0f,
                                      .near_distance = 0.01f},
                           .key_spread = 7.0f,
                           .background_top = {0.84f, 0.87f, 0.90f},
                           .background_bottom = {0.97f, 0.97f, 0.965f},
                           .samples = 16};
}

static SnVec3 linear_colour(const float srgb[3])
{
    return sn_vec3(sn_colour_from_srgb(srgb[0]), sn_colour_from_srgb(srgb[1]),
                   sn_colour_from_srgb(srgb[2]));
}

// --- Checks

static SinewStatus check_mesh(const SnRenderMesh *mesh, int index, SinewError *error)
{
    if (mesh->vertex_count < 0 || mesh->triangle_count < 0 || mesh->triangle_count > INT_MAX / 3) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "mesh %d has %d vertices and %d triangles, expected no negative numbers",
                       index, mesh->vertex_count, mesh->triangle_count);
    }
    if (mesh->triangle_count > 0 && (mesh->positions == NULL || mesh->triangles == NULL)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "mesh %d has no positions or no triangles",
                       index);
    }
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i / 3,
                              "triangle %d of mesh %d names vertex %d, expected 0 to %d", i / 3,
                              index, mesh->triangles[i], mesh->vertex_count - 1);
        }
    }
    return SINEW_OK;
}

static SinewStatus check_scene(const SnRenderScene *scene, SinewError *error)
{
    if (scene->samples < 1 || scene->samples > SAMPLES_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a picture takes %d samples a pixel, expected 1 to %d", scene->samples,
                       SAMPLES_MAX);
    }
    if (!(scene->key_spread >= 0.0f && scene->key_spread <= 45.0f)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the lamp's spread is %g degrees, expected 0 to 45",
                       (double)scene->key_spread);
    }
    if (scene->has_ground && !isfinite(scene->ground_height)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "the ground is at %g m, expected a number",
                       (double)scene->ground_height);
    }
    if (!sn_vec3_is_finite(scene->cut.normal) || !isfinite(scene->cut.offset)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the cut's normal is (%g, %g, %g) and its offset %g, expected numbers",
                       (double)scene->cut.normal.x, (double)scene->cut.normal.y,
                       (double)scene->cut.normal.z, (double)scene->cut.offset);
    }
    if (scene->mesh_count < 0 || (scene->mesh_count > 0 && scene->meshes == NULL)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "a scene has %d meshes%s", scene->mesh_count,
                       scene->meshes == NULL ? " and no list of them" : ", expected 0 or more");
    }
    int64_t sum = 0;
    for (int m = 0; m < scene->mesh_count; ++m) {
        SinewStatus status = check_mesh(&scene->meshes[m], m, error);
        if (status < 0) {
            return status;
        }
        sum += scene->meshes[m].triangle_count;
    }
    if (sum > INT_MAX / 3) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a scene has %lld triangles, expected at most %d", (long long)sum,
                       INT_MAX / 3);
    }
    return SINEW_OK;
}

// --- Gathering the triangles

static bool is_drawable(const SnRenderMesh *mesh, const int *triangle)
{
    for (int c = 0; c < 3; ++c) {
        SnVec3 x = sn_vec3_load(mesh->positions + 3 * (size_t)triangle[c]);
        // Squares of larger coordinates would not fit a float.
        if (!(fabsf(x.x) < 1e15f && fabsf(x.y) < 1e15f && fabsf(x.z) < 1e15f)) {
            return false;
        }
    }
    return true;
}

// The middle and half the diagonal of the box around all corners.
static void find_extent(Soup *soup)
{
    SnVec3 low = sn_vec3(INFINITY, INFINITY, INFINITY);
    SnVec3 high = sn_vec3(-INFINITY, -INFINITY, -INFINITY);
    for (size_t i = 0; i < 3 * (size_t)soup->count; ++i) {
        SnVec3 x = soup->corners[i];
        low = sn_vec3(fminf(low.x, x.x), fminf(low.y, x.y), fminf(low.z, x.z));
        high = sn_vec3(fmaxf(high.x, x.x), fmaxf(high.y, x.y), fmaxf(high.z, x.z));
    }
    if (soup->count > 0) {
        soup->centre = sn_vec3_scale(0.5f, sn_vec3_add(low, high));
        soup->radius = 0.5f * sn_vec3_length(sn_vec3_sub(high, low));
    }
}

// Appends the drawable triangles of mesh `m`, whose normals stand at its place in the soup already
// and move up over those that are dropped.
static void append_mesh(Soup *soup, const SnRenderMesh *mesh, int m, const SnVec3 *faces,
                        const SnVec3 *normals)
{
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *triangle = mesh->triangles + 3 * (size_t)t;
        if (!is_drawable(mesh, triangle)) {
            continue;
        }
        size_t n = (size_t)soup->count++;
        for (size_t c = 0; c < 3; ++c) {
            SnVec3 x = sn_vec3_load(mesh->positions + 3 * (size_t)triangle[c]);
            soup->corners[3 * n + c] = x;
            soup->normals[3 * n + c] = normals[3 * (size_t)t + c];
        }
        soup->faces[n] = faces[t];
        soup->mesh[n] = m;
        soup->source[n] = t;
    }
}

// Clips the triangles for the shadows; without a cut they are the triangles themselves.
static SinewStatus gather_shadows(const SnCut *cut, Soup *soup, const SinewAllocator *allocator,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(soup->shadows, allocator, 6 * (size_t)soup->count, error);
    for (int t = 0; t < soup->count; ++t) {
        soup->shadow_count += sn_cut_clip(cut, soup->corners + 3 * (size_t)t,
                                          soup->shadows + 3 * (size_t)soup->shadow_count);
    }
done:
    return status;
}

static SinewStatus gather_soup(const SnRenderScene *scene, Soup *soup, SnWorkers *workers,
                               const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t most = 0;
    for (int m = 0; m < scene->mesh_count; ++m) {
        most += (size_t)scene->meshes[m].triangle_count;
    }
    SN_ALLOC(soup->corners, allocator, 3 * most, error);
    SN_ALLOC(soup->normals, allocator, 3 * most, error);
    SN_ALLOC(soup->faces, allocator, most, error);
    SN_ALLOC(soup->mesh, allocator, most, error);
    SN_ALLOC(soup->source, allocator, most, error);
    for (int m = 0; m < scene->mesh_count; ++m) {
        const SnRenderMesh *mesh = &scene->meshes[m];
        SnVec3 *faces = soup->faces + soup->count;
        SnVec3 *normals = soup->normals + 3 * (size_t)soup->count;
        SN_TRY(sn_normals(mesh->positions, mesh->vertex_count, mesh->triangles,
                          mesh->triangle_count, mesh->crease_degrees, workers, allocator, faces,
                          normals, error));
        append_mesh(soup, mesh, m, faces, normals);
    }
    find_extent(soup);
    if (sn_cut_is_on(&scene->cut)) {
        SN_TRY(gather_shadows(&scene->cut, soup, allocator, error));
    }

done:
    return status;
}

static void release_soup(Soup *soup, const SinewAllocator *allocator)
{
    sn_free(allocator, soup->corners);
    sn_free(allocator, soup->normals);
    sn_free(allocator, soup->faces);
    sn_free(allocator, soup->mesh);
    sn_free(allocator, soup->source);
    sn_free(allocator, soup->shadows);
}

// --- Sorting them into tiles

static void setup_triangles(void *context, int begin, int end, int worker)
{
    (void)worker;
    Frame *frame = context;
    for (int t = begin; t < end; ++t) {
        SnRasterTriangle *triangle = &frame->triangles[t];
        if (!sn_raster_setup(&frame->view, frame->image->width, frame->image->height,
                             frame->soup.corners + 3 * (size_t)t, triangle)) {
            memset(triangle->bounds, 0, sizeof triangle->bounds);
        }
    }
}

// Visits the tiles of each triangle; `list` NULL: only counts them, two places further on.
static void walk_bins(const Frame *frame, Bins *bins, int *list)
{
    for (int t = 0; t < frame->soup.count; ++t) {
        const int *b = frame->triangles[t].bounds;
        if (b[0] >= b[2] || b[1] >= b[3]) {
            continue;
        }
        for (int row = b[1] / TILE; row <= (b[3] - 1) / TILE; ++row) {
            for (int column = b[0] / TILE; column <= (b[2] - 1) / TILE; ++column) {
                size_t *start = bins->start + (size_t)row * (size_t)bins->columns + column;
                if (list == NULL) {
                    start[2]++;
                } else {
                    list[start[1]++] = t;
                }
            }
        }
    }
}

static SinewStatus make_bins(const Frame *frame, Bins *bins, const SinewAllocator *allocator,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bins->columns = (frame->image->width + TILE - 1) / TILE;
    bins->rows = (frame->image->height + TILE - 1) / TILE;
    size_t tiles = (size_t)bins->columns * (size_t)bins->rows;
    SN_ALLOC_ZERO(bins->start, allocator, tiles + 2, error);
    walk_bins(frame, bins, NULL);
    for (size_t i = 0; i < tiles; ++i) {
        bins->start[i + 2] += bins->start[i + 1];
    }
    SN_ALLOC(bins->list, allocator, bins->start[tiles + 1], error);
    walk_bins(frame, bins, bins->list);

done:
    return status;
}

// --- Drawing a tile: which triangle is nearest at each sample

// Whether the cut hides what a ray through the picture meets at this nearness.
static bool is_hidden(const Frame *frame, float x, float y, double nearness)
{
    SnVec3 ray = sn_view_ray(&frame->view, x, y);
    SnVec3 place = sn_vec3_add_scaled(frame->view.eye, (float)(1.0 / nearness), ray);
    return sn_cut_height(&frame->scene->cut, place) > 0.0f;
}

// Whether all of the square from (x, y) with that side is outside the triangle: one edge function
// is negative at the square's best corner, by more than rounding.
static bool misses_square(const SnRasterTriangle *triangle, int x, int y, int side)
{
    for (int i = 0; i < 3; ++i) {
        const double *a = triangle->edge[i];
        double u = a[0] * (a[0] > 0.0 ? x + side : x);
        double v = a[1] * (a[1] > 0.0 ? y + side : y);
        if (u + v + a[2] < -1e-12 * (fabs(u) + fabs(v) + fabs(a[2]))) {
            return true;
        }
    }
    return false;
}

// The samples of one pixel.
static void draw_pixel(const Frame *frame, int t, int x, int y, Sample *pixel)
{
    const SnRasterTriangle *triangle = &frame->triangles[t];
    double nearest = 1.0 / (double)frame->view.near_distance;
    bool is_cut = sn_cut_is_on(&frame->scene->cut);
    for (int s = 0; s < frame->scene->samples; ++s) {
        double e[3];
        if (sn_raster_covers(triangle, x + (double)frame->offset[s][0],
                             y + (double)frame->offset[s][1], e)) {
            double nearness = (e[0] + e[1] + e[2]) * triangle->scale;
            if (nearness <= nearest && (float)nearness > pixel[s].nearness &&
                !(is_cut && is_hidden(frame, (float)x + frame->offset[s][0],
                                      (float)y + frame->offset[s][1], nearness))) {
                pixel[s] = (Sample){(float)nearness, t};
            }
        }
    }
}

static void draw_triangle(const Frame *frame, int t, int left, int top, Sample *samples)
{
    const SnRasterTriangle *triangle = &frame->triangles[t];
    const int *b = triangle->bounds;
    int count = frame->scene->samples;
    int x0 = b[0] > left ? b[0] : left;
    int x1 = b[2] < left + TILE ? b[2] : left + TILE;
    int y0 = b[1] > top ? b[1] : top;
    int y1 = b[3] < top + TILE ? b[3] : top + TILE;
    if (misses_square(triangle, left, top, TILE)) {
        return;
    }
    for (int y = y0; y < y1; ++y) {
        for (int x = x0; x < x1; ++x) {
            if (!misses_square(triangle, x, y, 1)) {
                draw_pixel(frame, t, x, y, samples + ((y - top) * TILE + x - left) * count);
            }
        }
    }
}

// --- Colouring it

static SnVec3 mix3(const SnVec3 v[3], const float weight[3])
{
    SnVec3 sum = sn_vec3_scale(weight[0], v[0]);
    sum = sn_vec3_add_scaled(sum, weight[1], v[1]);
    return sn_vec3_add_scaled(sum, weight[2], v[2]);
}

static SnVec3 mapped_colour(const SnVec3 *map, const SnRenderMesh *mesh, float value)
{
    float span = mesh->value_range[1] - mesh->value_range[0];
    float t = span != 0.0f ? (value - mesh->value_range[0]) / span : 0.5f;
    if (!isfinite(t)) {
        return linear_colour(mesh->colour); // a value that is missing
    }
    t = fminf(fmaxf(t, 0.0f), 1.0f) * MAP_STEPS;
    int i = t < MAP_STEPS - 1 ? (int)t : MAP_STEPS - 1;
    return sn_vec3_mix(map[i], map[i + 1], t - (float)i);
}

static SnVec3 albedo_at(const Frame *frame, int t, const float weight[3])
{
    int m = frame->soup.mesh[t];
    const SnRenderMesh *mesh = &frame->scene->meshes[m];
    const int *vertex = mesh->triangles + 3 * (size_t)frame->soup.source[t];
    if (mesh->values != NULL) {
        float value = weight[0] * mesh->values[vertex[0]] + weight[1] * mesh->values[vertex[1]] +
                      weight[2] * mesh->values[vertex[2]];
        return mapped_colour(frame->maps[m], mesh, value);
    }
    if (mesh->colours != NULL) {
        SnVec3 colour[3];
        for (int c = 0; c < 3; ++c) {
            colour[c] = linear_colour(mesh->colours + 3 * (size_t)vertex[c]);
        }
        return mix3(colour, weight);
    }
    return linear_colour(mesh->colour);
}

// How dark the lines along the edges are here: 0 between them. Lines fade where triangles are too
// small to be told apart.
static float edge_darkness(const Frame *frame, const SnRasterTriangle *triangle, int t,
                           const double e[3])
{
    const SnRenderMesh *mesh = &frame->scene->meshes[frame->soup.mesh[t]];
    if (!(mesh->edge_width > 0.0f)) {
        return 0.0f;
    }
    double nearest = INFINITY; // pixels to the nearest edge
    double height = INFINITY;  // and the triangle's smallest height around here
    double sum = e[0] + e[1] + e[2];
    unsigned hidden = mesh->hidden_edges != NULL ? mesh->hidden_edges[frame->soup.source[t]] : 0u;
    for (int i = 0; i < 3; ++i) {
        double slope = hypot(triangle->edge[i][0], triangle->edge[i][1]);
        nearest = (hidden >> i & 1u) != 0 ? nearest : fmin(nearest, fmax(e[i], 0.0) / slope);
        height = fmin(height, sum / slope);
    }
    // A pixel is half a pixel wide on each side of its middle.
    float line = fminf(fmaxf(0.5f * mesh->edge_width + 0.5f - (float)nearest, 0.0f), 1.0f);
    float wide = fminf(fmaxf(((float)height / mesh->edge_width - 2.0f) / 5.0f, 0.0f), 1.0f);
    return mesh->edge_opacity * fminf(mesh->edge_width, 1.0f) * line * wide;
}

// Where a ray that ends on the back of a closed surface passed the cut, it entered the solid there:
// the point is moved from the back to the cut's plane. Bodies nested in a solid show nevertheless.
static bool move_to_cut(const Frame *frame, int t, float x, float y, SnSurfacePoint *point)
{
    const SnRenderMesh *mesh = &frame->scene->meshes[frame->soup.mesh[t]];
    const SnCut *cut = &frame->scene->cut;
    float above = sn_cut_height(cut, frame->view.eye);
    if (!mesh->is_closed || !sn_cut_is_on(cut) || !(above > 0.0f)) {
        return false;
    }
    SnVec3 ray = sn_view_ray(&frame->view, x, y);
    float sinking = -sn_vec3_dot(cut->normal, ray);
    if (!(sinking > 0.0f)) {
        return false;
    }
    point->position = sn_vec3_add_scaled(frame->view.eye, above / sinking, ray);
    point->face = sn_vec3_unit(cut->normal);
    point->normal = point->face;
    point->albedo = linear_colour(mesh->cut_colour);
    point->gloss = 0.0f;
    return true;
}

// The colour of soup triangle t at a place in the picture, which may be a little outside of it.
static SnVec3 surface_colour(const Frame *frame, int t, float x, float y)
{
    const SnRasterTriangle *triangle = &frame->triangles[t];
    double e[3];
    float weight[3];
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double *a = triangle->edge[i];
        e[i] = a[0] * (double)x + (a[1] * (double)y + a[2]);
        sum += fmax(e[i], 0.0);
    }
    for (int i = 0; i < 3; ++i) {
        weight[i] = sum > 0.0 ? (float)(fmax(e[i], 0.0) / sum) : 1.0f / 3.0f;
    }
    const Soup *soup = &frame->soup;
    SnSurfacePoint point = {.position = mix3(soup->corners + 3 * (size_t)t, weight),
                            .face = soup->faces[t],
                            .normal = sn_vec3_unit(mix3(soup->normals + 3 * (size_t)t, weight)),
                            .albedo = albedo_at(frame, t, weight),
                            .gloss = frame->scene->meshes[soup->mesh[t]].gloss};
    point.to_eye = sn_vec3_unit(sn_vec3_sub(frame->view.eye, point.position));
    if (sn_vec3_dot(point.face, point.to_eye) < 0.0f) {
        if (move_to_cut(frame, t, x, y, &point)) {
            return sn_shade_surface(&frame->studio, &point);
        }
        point.face = sn_vec3_scale(-1.0f, point.face);
        point.normal = sn_vec3_scale(-1.0f, point.normal);
    }
    SnVec3 colour = sn_shade_surface(&frame->studio, &point);
    return sn_vec3_scale(1.0f - edge_darkness(frame, triangle, t, e), colour);
}

static SnVec3 background_colour(const Frame *frame, float x, float y)
{
    SnVec3 colour =
        sn_vec3_mix(frame->background[0], frame->background[1], y / (float)frame->image->height);
    SnVec3 ray = sn_view_ray(&frame->view, x, y);
    float drop = frame->scene->ground_height - frame->view.eye.y;
    if (frame->ground != NULL && drop < 0.0f && ray.y < 0.0f) {
        SnVec3 place = sn_vec3_add_scaled(frame->view.eye, drop / ray.y, ray);
        colour = sn_vec3_scale(sn_ground_at(frame->ground, place.x, place.z), colour);
    }
    return colour;
}

// Each surface in a pixel is shaded once, in the middle of the samples where it shows.
static SnVec3 pixel_colour(const Frame *frame, const Sample *samples, int x, int y)
{
    int count = frame->scene->samples;
    bool is_done[SAMPLES_MAX] = {false};
    SnVec3 sum = sn_vec3(0, 0, 0);
    for (int first = 0; first < count; ++first) {
        if (is_done[first]) {
            continue;
        }
        float middle[2] = {0.0f, 0.0f};
        int shown = 0;
        for (int s = first; s < count; ++s) {
            if (samples[s].triangle == samples[first].triangle) {
                is_done[s] = true;
                middle[0] += frame->offset[s][0];
                middle[1] += frame->offset[s][1];
                shown++;
            }
        }
        float px = (float)x + middle[0] / (float)shown;
        float py = (float)y + middle[1] / (float)shown;
        int t = samples[first].triangle;
        SnVec3 colour =
            t == NO_TRIANGLE ? background_colour(frame, px, py) : surface_colour(frame, t, px, py);
        sum = sn_vec3_add_scaled(sum, (float)shown / (float)count, colour);
    }
    return sum;
}

static unsigned char to_byte(float linear)
{
    return (unsigned char)(sn_colour_to_srgb(linear) * 255.0f + 0.5f);
}

static void store_pixel(SnImage *image, int x, int y, SnVec3 colour)
{
    unsigned char *pixel = sn_image_pixel(image, x, y);
    pixel[0] = to_byte(colour.x);
    pixel[1] = to_byte(colour.y);
    pixel[2] = to_byte(colour.z);
    if (image->channels == 4) {
        pixel[3] = 255;
    }
}

static void draw_tile(const Frame *frame, int tile, Sample *samples)
{
    int left = tile % frame->bins.columns * TILE;
    int top = tile / frame->bins.columns * TILE;
    int count = frame->scene->samples;
    for (int i = 0; i < TILE * TILE * count; ++i) {
        samples[i] = (Sample){0.0f, NO_TRIANGLE};
    }
    for (size_t i = frame->bins.start[tile]; i < frame->bins.start[tile + 1]; ++i) {
        draw_triangle(frame, frame->bins.list[i], left, top, samples);
    }
    for (int y = top; y < top + TILE && y < frame->image->height; ++y) {
        for (int x = left; x < left + TILE && x < frame->image->width; ++x) {
            const Sample *pixel = samples + ((y - top) * TILE + x - left) * count;
            store_pixel(frame->image, x, y, pixel_colour(frame, pixel, x, y));
        }
    }
}

static void draw_tiles(void *context, int begin, int end, int worker)
{
    const Frame *frame = context;
    Sample *samples = frame->scratch + (size_t)worker * TILE * TILE * (size_t)frame->scene->samples;
    for (int tile = begin; tile < end; ++tile) {
        draw_tile(frame, tile, samples);
    }
}

// --- The whole picture

// Samples share no row and no column of a pixel, so that edges along the axes come out as smooth as
// slanted ones: x in equal steps, y the same steps with their binary digits reversed.
static void place_samples(Frame *frame)
{
    int count = frame->scene->samples;
    for (int s = 0; s < count; ++s) {
        float y = 0.0f;
        float digit = 0.5f;
        for (int bits = s; bits != 0; bits >>= 1, digit *= 0.5f) {
            y += (bits & 1) != 0 ? digit : 0.0f;
        }
        frame->offset[s][0] = ((float)s + 0.5f) / (float)count;
        frame->offset[s][1] = y + 0.5f / (float)count;
    }
}

static void fill_maps(Frame *frame)
{
    for (int m = 0; m < frame->scene->mesh_count; ++m) {
        for (int i = 0; i <= MAP_STEPS; ++i) {
            frame->maps[m][i] =
                sn_colour_map(frame->scene->meshes[m].map, (float)i / (float)MAP_STEPS);
        }
    }
}

SinewStatus sn_render(const SnRenderScene *scene, SnImage *image, SnWorkers *workers,
                      const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLights *lights = NULL;
    SnGround *ground = NULL;
    Frame frame = {.scene = scene, .image = image};

    SN_TRY(check_scene(scene, error));
    SN_TRY(sn_camera_view(&scene->camera, image->width, image->height, &frame.view, error));
    frame.studio = sn_studio(frame.view.axis, scene->key_direction);
    frame.background[0] = linear_colour(scene->background_top);
    frame.background[1] = linear_colour(scene->background_bottom);
    place_samples(&frame);
    SN_ALLOC(frame.maps, allocator, scene->mesh_count, error);
    fill_maps(&frame);

    SN_TRY(gather_soup(scene, &frame.soup, workers, allocator, error));
    const Soup *soup = &frame.soup;
    bool is_cut = sn_cut_is_on(&scene->cut);
    SN_TRY(sn_lights_create(is_cut ? soup->shadows : soup->corners,
                            is_cut ? soup->shadow_count : soup->count, soup->centre, soup->radius,
                            frame.studio.key, scene->key_spread * 0.01745329252f, workers,
                            allocator, &lights, error));
    frame.studio.lights = lights;
    if (scene->has_ground && soup->count > 0) {
        SN_TRY(sn_ground_create(&frame.studio, soup->centre, soup->radius, scene->ground_height,
                                workers, allocator, &ground, error));
        frame.ground = ground;
    }
    SN_ALLOC(frame.triangles, allocator, frame.soup.count, error);
    sn_parallel_for(workers, frame.soup.count, 1024, setup_triangles, &frame);
    SN_TRY(make_bins(&frame, &frame.bins, allocator, error));
    SN_ALLOC(frame.scratch, allocator,
             (size_t)sn_workers_count(workers) * TILE * TILE * (size_t)scene->samples, error);
    sn_parallel_for(workers, frame.bins.columns * frame.bins.rows, 4, draw_tiles, &frame);

done:
    sn_lights_destroy(lights, allocator);
    sn_ground_destroy(ground, allocator);
    release_soup(&frame.soup, allocator);
    sn_free(allocator, frame.maps);
    sn_free(allocator, frame.triangles);
    sn_free(allocator, frame.bins.start);
    sn_free(allocator, frame.bins.list);
    sn_free(allocator, frame.scratch);
    return status;
}
