#include "support/shapes.h"

#include "support/test.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

typedef void PlaceFn(double u, double v, double out[3]);

// A net of u x v squares over [0, 1]^2, each cut into two triangles.
static SnSurface *make_net(int u_count, int v_count, PlaceFn *place)
{
    SnSurface *s = NULL;
    assert_int_equal(sn_surface_create((u_count + 1) * (v_count + 1), 2 * u_count * v_count, 0, 1,
                                       NULL, &s, NULL),
                     SINEW_OK);
    int t = 0;
    for (int u = 0; u <= u_count; ++u) {
        for (int v = 0; v <= v_count; ++v) {
            int corner = u * (v_count + 1) + v;
            place((double)u / u_count, (double)v / v_count, s->positions + 3 * corner);
            if (u < u_count && v < v_count) {
                const int square[6] = {corner, corner + v_count + 1, corner + v_count + 2,
                                       corner, corner + v_count + 2, corner + 1};
                memcpy(s->triangles + 6 * t++, square, sizeof square);
            }
        }
    }
    return s;
}

static void place_on_sphere(double u, double v, double out[3])
{
    out[0] = sin(pi * u) * cos(2.0 * pi * v);
    out[1] = sin(pi * u) * sin(2.0 * pi * v);
    out[2] = cos(pi * u);
}

SnSurface *sn_test_sphere(int rings)
{
    return make_net(rings, 2 * rings, place_on_sphere);
}

double sn_test_sphere_distance(void *context, const double p[3])
{
    (void)context;
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 1.0;
}

static void place_on_torus(double u, double v, double out[3])
{
    double r = 1.0 + 0.4 * cos(2.0 * pi * v);
    out[0] = r * cos(2.0 * pi * u);
    out[1] = r * sin(2.0 * pi * u);
    out[2] = 0.4 * sin(2.0 * pi * v);
}

SnSurface *sn_test_torus(int rings)
{
    return make_net(2 * rings, rings, place_on_torus);
}

double sn_test_torus_distance(void *context, const double p[3])
{
    (void)context;
    double r = sqrt(p[0] * p[0] + p[1] * p[1]) - 1.0;
    return sqrt(r * r + p[2] * p[2]) - 0.4;
}

static void place_on_disc(double u, double v, double out[3])
{
    out[0] = u * cos(2.0 * pi * v);
    out[1] = u * sin(2.0 * pi * v);
    out[2] = 0.3;
}

SnSurface *sn_test_disc(int rings)
{
    return make_net(rings, 4 * rings, place_on_disc);
}

SnSurface *sn_test_spiral(int lines)
{
    SnSurface *s = NULL;
    assert_int_equal(sn_surface_create(lines + 1, 0, lines, 1, NULL, &s, NULL), SINEW_OK);
    for (int i = 0; i <= lines; ++i) {
        double t = (double)i / lines;
        s->positions[3 * i] = cos(9.0 * t);
        s->positions[3 * i + 1] = sin(9.0 * t);
        s->positions[3 * i + 2] = 2.0 * t;
        if (i < lines) {
            s->lines[2 * i] = i;
            s->lines[2 * i + 1] = i + 1;
        }
    }
    return s;
}

SnSurface *sn_test_boxes(const double *boxes, int count)
{
    // Counter-clockwise from outside; corner bits x 4, y 2, z 1.
    static const int faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5},
                                     {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
                                     {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    SnSurface *s = NULL;
    assert_int_equal(sn_surface_create(8 * count, 12 * count, 0, 1, NULL, &s, NULL), SINEW_OK);
    for (int b = 0; b < count; ++b) {
        for (int k = 0; k < 8; ++k) {
            double *x = s->positions + 3 * (8 * b + k);
            x[0] = boxes[6 * b + (k & 4 ? 3 : 0)];
            x[1] = boxes[6 * b + (k & 2 ? 4 : 1)];
            x[2] = boxes[6 * b + (k & 1 ? 5 : 2)];
        }
        for (int i = 0; i < 36; ++i) {
            s->triangles[36 * b + i] = 8 * b + faces[i / 3][i % 3];
        }
    }
    return s;
}

// Signs are exact, the distance is the largest along an axis.
double sn_test_boxes_distance(void *context, const double p[3])
{
    const SnTestBoxes *boxes = context;
    double least = INFINITY;
    for (int b = 0; b < boxes->count; ++b) {
        const double *box = boxes->boxes + 6 * b;
        double most = -INFINITY;
        for (int c = 0; c < 3; ++c) {
            most = box[c] - p[c] > most ? box[c] - p[c] : most;
            most = p[c] - box[3 + c] > most ? p[c] - box[3 + c] : most;
        }
        least = most < least ? most : least;
    }
    return least;
}
