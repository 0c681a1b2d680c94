#include "tool/picture/ground.h"

// Blur radii in texels: the lamp's shadow stays crisp at its foot, the sky's has no edges at all.
enum { SIDE = 480, KEY_BLUR = 2, SKY_BLUR = 6, BLUR_PASSES = 3 };

// Two planes, lit by the sky and by the lamp, and room for a blur's other half.
typedef struct Job {
    const SnStudio *studio;
    const SnGround *ground;
    float height;
    float *planes[2];
    float *other;
    float *from, *to; // of the blur under way
    int radius;
} Job;

static void light_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Job *job = context;
    const SnGround *ground = job->ground;
    SnVec3 up = sn_vec3(0, 1, 0);
    for (int i = begin * SIDE; i < end * SIDE; ++i) {
        float x = ground->corner[0] + ((float)(i % SIDE) + 0.5f) * ground->texel;
        float z = ground->corner[1] + ((float)(i / SIDE) + 0.5f) * ground->texel;
        SnLight light = sn_lights_at(job->studio->lights, sn_vec3(x, job->height, z), up, up);
        job->planes[0][i] = light.sky;
        job->planes[1][i] = light.key;
    }
}

static int clamp_index(int i)
{
    return i < 0 ? 0 : i >= SIDE ? SIDE - 1 : i;
}

// A running mean along each row, written as a column, so that two calls blur both ways.
static void blur_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    Job *job = context;
    int radius = job->radius;
    for (int row = begin; row < end; ++row) {
        const float *from = job->from + row * SIDE;
        for (int i = 0; i < SIDE; ++i) {
            float sum = 0.0f;
            for (int n = i - radius; n <= i + radius; ++n) {
                sum += from[clamp_index(n)];
            }
            job->to[i * SIDE + row] = sum / (float)(2 * radius + 1);
        }
    }
}

// Three running means come close to a Gaussian.
static void blur(Job *job, float *plane, int radius, SnWorkers *workers)
{
    job->radius = radius;
    for (int pass = 0; pass < 2 * BLUR_PASSES; ++pass) {
        job->from = pass % 2 == 0 ? plane : job->other;
        job->to = pass % 2 == 0 ? job->other : plane;
        sn_parallel_for(workers, SIDE, 16, blur_rows, job);
    }
}

// Mixes the two lights, and fades to open ground towards the map's border.
static void mix_planes(Job *job, float *kept)
{
    for (int i = 0; i < SIDE * SIDE; ++i) {
        float x = 2.0f * ((float)(i % SIDE) + 0.5f) / SIDE - 1.0f;
        float z = 2.0f * ((float)(i / SIDE) + 0.5f) / SIDE - 1.0f;
        float fade = fminf(fmaxf((1.0f - sqrtf(x * x + z * z)) / 0.4f, 0.0f), 1.0f);
        fade = fade * fade * (3.0f - 2.0f * fade);
        SnLight light = {.sky = job->planes[0][i], .key = job->planes[1][i]};
        kept[i] = 1.0f - fade * (1.0f - sn_shade_ground(job->studio, light));
    }
}

SinewStatus sn_ground_create(const SnStudio *studio, SnVec3 centre, float radius, float height,
                             SnWorkers *workers, const SinewAllocator *allocator,
                             SnGround **out_ground, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGround *ground = NULL;
    Job job = {.studio = studio, .height = height};
    *out_ground = NULL;

    SN_ALLOC_ZERO(ground, allocator, 1, error);
    SN_ALLOC(ground->kept, allocator, SIDE * SIDE, error);
    SN_ALLOC(job.planes[0], allocator, SIDE * SIDE, error);
    SN_ALLOC(job.planes[1], allocator, SIDE * SIDE, error);
    SN_ALLOC(job.other, allocator, SIDE * SIDE, error);
    // Wide enough for a shadow that leans over by the height it falls from.
    float half = 2.0f * radius + fabsf(centre.y - height);
    ground->corner[0] = centre.x - half;
    ground->corner[1] = centre.z - half;
    ground->texel = 2.0f * half / SIDE;
    ground->side = SIDE;
    job.ground = ground;
    sn_parallel_for(workers, SIDE, 4, light_rows, &job);
    blur(&job, job.planes[0], SKY_BLUR, workers);
    blur(&job, job.planes[1], KEY_BLUR, workers);
    mix_planes(&job, ground->kept);
    *out_ground = ground;
    ground = NULL;

done:
    sn_free(allocator, job.planes[0]);
    sn_free(allocator, job.planes[1]);
    sn_free(allocator, job.other);
    sn_ground_destroy(ground, allocator);
    return status;
}

void sn_ground_destroy(SnGround *ground, const SinewAllocator *allocator)
{
    if (ground == NULL) {
        return;
    }
    sn_free(allocator, ground->kept);
    sn_free(allocator, ground);
}

float sn_ground_at(const SnGround *ground, float x, float z)
{
    float u = (x - ground->corner[0]) / ground->texel - 0.5f;
    float v = (z - ground->corner[1]) / ground->texel - 0.5f;
    float most = (float)(ground->side - 1);
    if (!(u >= 0.0f && v >= 0.0f && u < most && v < most)) {
        return 1.0f;
    }
    int i = (int)u;
    int j = (int)v;
    float s = u - (float)i;
    const float *row = ground->kept + (size_t)j * (size_t)ground->side + i;
    const float *next = row + ground->side;
    float a = row[0] + s * (row[1] - row[0]);
    float b = next[0] + s * (next[1] - next[0]);
    return a + (v - (float)j) * (b - a);
}
