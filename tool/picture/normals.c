#include "tool/picture/normals.h"

#include <stdbool.h>
#include <string.h>

// A vertex with more triangles than this is the tip of a fan, where an average says little and
// comparing all with all takes long: its corners are flat.
enum { DEGREE_MAX = 512 };

typedef struct Job {
    const float *positions;
    const int *triangles;
    float crease_cosine;
    const int *start;  // for each vertex, where its corners begin in `corner`
    const int *corner; // corners 3 triangle + c, sorted by vertex
    float *angle;      // rad, of each corner
    SnVec3 *faces;
    SnVec3 *corners;
} Job;

static SnVec3 corner_point(const Job *job, int corner)
{
    return sn_vec3_load(job->positions + 3 * (size_t)job->triangles[corner]);
}

static float angle_between(SnVec3 a, SnVec3 b)
{
    return atan2f(sn_vec3_length(sn_vec3_cross(a, b)), sn_vec3_dot(a, b));
}

static void make_faces(void *context, int begin, int end, int worker)
{
    (void)worker;
    Job *job = context;
    for (int t = begin; t < end; ++t) {
        SnVec3 x[3];
        for (int c = 0; c < 3; ++c) {
            x[c] = corner_point(job, 3 * t + c);
        }
        SnVec3 normal =
            sn_vec3_unit(sn_vec3_cross(sn_vec3_sub(x[1], x[0]), sn_vec3_sub(x[2], x[0])));
        bool valid = sn_vec3_is_finite(normal) && sn_vec3_dot(normal, normal) > 0.5f;
        job->faces[t] = valid ? normal : sn_vec3(0, 0, 0);
        for (int c = 0; c < 3; ++c) {
            float angle =
                angle_between(sn_vec3_sub(x[(c + 1) % 3], x[c]), sn_vec3_sub(x[(c + 2) % 3], x[c]));
            job->angle[3 * t + c] = valid ? angle : 0.0f;
        }
    }
}

static void make_corners(void *context, int begin, int end, int worker)
{
    (void)worker;
    Job *job = context;
    for (int i = 3 * begin; i < 3 * end; ++i) {
        SnVec3 face = job->faces[i / 3];
        SnVec3 sum = sn_vec3(0, 0, 0);
        int first = job->start[job->triangles[i]];
        int last = job->start[job->triangles[i] + 1];
        for (int n = first; n < last && last - first <= DEGREE_MAX; ++n) {
            SnVec3 other = job->faces[job->corner[n] / 3];
            if (sn_vec3_dot(face, other) >= job->crease_cosine) {
                sum = sn_vec3_add_scaled(sum, job->angle[job->corner[n]], other);
            }
        }
        sum = sn_vec3_unit(sum);
        job->corners[i] = sn_vec3_dot(sum, sum) > 0.5f ? sum : face;
    }
}

// Sorts the corners by their vertex, in order of index.
static void sort_corners(const int *triangles, int corner_count, int vertex_count, int *start,
                         int *corner)
{
    memset(start, 0, ((size_t)vertex_count + 2) * sizeof *start);
    for (int i = 0; i < corner_count; ++i) {
        start[triangles[i] + 2]++;
    }
    for (int v = 0; v < vertex_count; ++v) {
        start[v + 2] += start[v + 1];
    }
    for (int i = 0; i < corner_count; ++i) {
        corner[start[triangles[i] + 1]++] = i;
    }
}

SinewStatus sn_normals(const float *positions, int vertex_count, const int *triangles,
                       int triangle_count, float crease_degrees, SnWorkers *workers,
                       const SinewAllocator *allocator, SnVec3 *out_faces, SnVec3 *out_corners,
                       SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *start = NULL;
    int *corner = NULL;
    float *angle = NULL;
    int corner_count = 3 * triangle_count;

    SN_ALLOC(start, allocator, (size_t)vertex_count + 2, error);
    SN_ALLOC(corner, allocator, corner_count, error);
    SN_ALLOC(angle, allocator, corner_count, error);
    sort_corners(triangles, corner_count, vertex_count, start, corner);
    // A little is taken off, so that a flat surface has one normal at any crease angle.
    float crease = cosf(fminf(fmaxf(crease_degrees, 0.0f), 180.0f) * 0.01745329252f) - 1e-5f;
    Job job = {.positions = positions,
               .triangles = triangles,
               .crease_cosine = crease,
               .start = start,
               .corner = corner,
               .angle = angle,
               .faces = out_faces,
               .corners = out_corners};
    sn_parallel_for(workers, triangle_count, 1024, make_faces, &job);
    sn_parallel_for(workers, triangle_count, 1024, make_corners, &job);

done:
    sn_free(allocator, start);
    sn_free(allocator, corner);
    sn_free(allocator, angle);
    return status;
}
