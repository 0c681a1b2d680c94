#include "world/warning.h"

#include "geometry/tet_thickness.h"
#include "world/body_solid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 720, WARNING_SIZE = 2 * TEXT_SIZE };

// Bodies outside of these are more often in another unit than of that size.
#define LENGTH_LEAST 1e-3 // m
#define LENGTH_MOST 10.0  // m
#define MASS_MOST 1e4     // kg

// From this many on, bending is right to about 10 %.
#define ACROSS_ENOUGH 3.5

// A bar of linear tets, ten times as long as thick and clamped at an end, bends too little by the
// share c / (n^2 + c) with n tets across. Measured for n = 1, 2, 3, 4, 6 with Poisson's ratio 0.3:
// c = 1.4 for tets of the mesher, 1.9 for boxes of five tets per cell, 4.2 for six (Kuhn).
#define BENDING_BEST 1.4
#define BENDING_WORST 4.2

typedef struct Text {
    char text[TEXT_SIZE];
    size_t used;
} Text;

// Adds a clause; the first one gets the body's name.
static void SN_PRINTF(3, 4) say(Text *text, const SnBody *body, const char *format, ...)
{
    va_list arguments;
    size_t room = sizeof text->text - text->used;
    int length = text->used == 0 ? snprintf(text->text, room, "body \"%s\": ", body->name)
                                 : snprintf(text->text + text->used, room, "; ");
    text->used += (size_t)length;
    room = text->used < sizeof text->text ? sizeof text->text - text->used : 0;
    if (room == 0) {
        return;
    }
    va_start(arguments, format);
    length = vsnprintf(text->text + text->used, room, format, arguments);
    va_end(arguments);
    text->used += (size_t)length < room ? (size_t)length : room - 1;
}

bool sn_unusual_size(double length, double mass, char *out_text, size_t size)
{
    bool is_large = length > LENGTH_MOST || mass > MASS_MOST;
    out_text[0] = '\0';
    if (!(length > 0.0) || (!is_large && length >= LENGTH_LEAST)) {
        return false;
    }
    // Centimetres where that makes it 3 m at most, else millimetres.
    double scale = !is_large ? 1000.0 : length <= 300.0 ? 0.01 : 0.001;
    const char *unit = !is_large ? "metres" : length <= 300.0 ? "centimetres" : "millimetres";
    const char *was = is_large ? "is" : "was";
    snprintf(
        out_text, size,
        "is %.3g m long and weighs %.3g kg; if its file %s in %s, scale %g makes it %.3g m and "
        "%.3g kg",
        length, mass, was, unit, scale, scale * length, scale * scale * scale * mass);
    return true;
}

// Of linear tets, found once for bodies that share a solid.
static SinewStatus find_thickness(SinewWorld *world, SnBody *body, SnTetThickness *out_thickness,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewBodyMesh mesh = body->model->mesh(body->state);
    SnBodySolid *solid = body->solid;
    *out_thickness = solid != NULL ? solid->thickness : (SnTetThickness){0};
    if (mesh.corners == 4 && out_thickness->across == 0.0) {
        SN_TRY(sn_tet_thickness_find(mesh.elements, mesh.element_count, mesh.vertex_count,
                                     mesh.rest, &world->allocator, out_thickness, error));
        if (solid != NULL) {
            solid->thickness = *out_thickness;
        }
    }
    if (mesh.corners != 4) {
        *out_thickness = (SnTetThickness){.across = INFINITY};
    }
done:
    return status;
}

static int percent_lost(double across, double c)
{
    return (int)(100.0 * c / (across * across + c) + 0.5);
}

// Cells that are not those that were asked for.
static void say_cells(Text *text, const SnBody *body, const SnSolid *solid)
{
    char covered[160];
    bool cubes = body->model == &sn_lattice_model || body->model == &sn_voxel_model ||
                 body->model == &sn_frames_model;
    if (cubes && sn_solid_cover_note(solid, covered, sizeof covered)) {
        say(text, body, "%s takes cubes: %s", body->model->name, covered);
    }
}

static SinewStatus say_thickness(SinewWorld *world, Text *text, SnBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetThickness thickness;
    SN_TRY(find_thickness(world, body, &thickness, error));
    if (thickness.across < ACROSS_ENOUGH) {
        say(text, body,
            "about %.2g tets are across its thinnest part, where linear tets bend %d to %d %% too "
            "little; a finer resolution or the model lattice bends right",
            thickness.across, percent_lost(thickness.across, BENDING_BEST),
            percent_lost(thickness.across, BENDING_WORST));
    }
done:
    return status;
}

SinewStatus sn_body_make_warning(SinewWorld *world, const SinewBodyDef *def, const SnSolid *solid,
                                 SnBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Text text = {.used = 0};
    double mass = 0.0;
    char unusual[200];

    say_cells(&text, body, solid);
    SN_TRY(say_thickness(world, &text, body, error));
    for (int v = 0; v < body->vertex_count; ++v) {
        mass += body->vertex_mass[v];
    }
    bool is_from_file = def->surface != NULL || def->tets != NULL;
    if (is_from_file && sn_unusual_size(body->longest, mass, unusual, sizeof unusual)) {
        say(&text, body, "it %s", unusual);
    }
    if (text.used > 0) {
        SN_ALLOC(body->clauses, &world->allocator, text.used + 1, error);
        memcpy(body->clauses, text.text, text.used + 1);
    }
    if (body->clauses != NULL || body->model->warning != NULL) {
        SN_ALLOC_ZERO(body->warning, &world->allocator, WARNING_SIZE, error);
        sn_body_renew_warning(body);
    }

done:
    return status;
}

void sn_body_renew_warning(SnBody *body)
{
    const char *own = body->model->warning != NULL ? body->model->warning(body->state) : NULL;
    const char *clauses = body->clauses != NULL ? body->clauses : "";
    const char *named = own != NULL ? strstr(clauses, "\": ") : NULL;
    clauses = named != NULL ? named + 3 : clauses; // once is enough
    if (body->warning != NULL) {
        snprintf(body->warning, WARNING_SIZE, "%s%s%s", own != NULL ? own : "",
                 own != NULL && clauses[0] != '\0' ? "; " : "", clauses);
    }
}

const char *sn_body_warning(const SnBody *body)
{
    return body->warning != NULL && body->warning[0] != '\0' ? body->warning : NULL;
}
