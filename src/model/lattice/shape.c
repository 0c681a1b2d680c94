#include "model/lattice/shape.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

// A cell has at least this share of its mass, half of what its 64 points tell apart, and at least
// that of its stiffness: emptier ones would be loose, and multigrid needs more iterations.
#define LEAST_FILL (1.0 / 128.0)
#define LEAST_STIFFNESS 0.05

static SinewStatus check_materials(const SnModelDef *def, SinewError *error)
{
    for (int m = 0; m <= def->materials->region_count; ++m) {
        const SnMaterial *material = &def->materials->materials[m];
        if (material->law.kind != SN_LAW_COROTATED) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, m,
                              "body \"%s\": the law of material %d is %s, expected corotated for "
                              "lattice; newton and frames take every law",
                              def->name, m, sn_law_name(material->law.kind));
        }
    }
    return SINEW_OK;
}

// The longest axis of the grid is its own last one, so that blocks are full; the others follow in a
// circle, which keeps cells right-handed.
static SinewStatus make_grid(SnLattice *body, const SnSolidCubes *cubes, SnLatticeGrid *out_grid,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    uint16_t *masks = NULL;
    int size[3], last = 0;

    for (int k = 1; k < 3; ++k) {
        last = cubes->size[k] >= cubes->size[last] ? k : last;
    }
    body->last_axis = last;
    for (int k = 0; k < 3; ++k) {
        size[k] = cubes->size[(last + 1 + k) % 3];
    }
    size_t row = (size_t)sn_lattice_row_blocks(size);
    SN_ALLOC(body->places, &body->allocator, 3 * (size_t)cubes->mesh->hex_count, error);
    SN_ALLOC_ZERO(masks, &body->allocator, (size_t)size[0] * (size_t)size[1] * row, error);
    for (int e = 0; e < cubes->mesh->hex_count; ++e) {
        int *at = body->places + 3 * (size_t)e;
        for (int k = 0; k < 3; ++k) {
            at[k] = cubes->places[3 * e + (last + 1 + k) % 3];
        }
        uint16_t *mask = masks + ((size_t)at[0] * (size_t)size[1] + (size_t)at[1]) * row +
                         (size_t)(at[2] / SN_LATTICE_BLOCK);
        *mask = (uint16_t)(*mask | 1u << at[2] % SN_LATTICE_BLOCK);
    }
    SN_TRY(sn_lattice_grid_create(size, body->h, masks, &body->allocator, out_grid, error));

done:
    sn_free(&body->allocator, masks);
    return status;
}

// Where vertices and cells are in the grid, and where the grid is before the body is placed.
static SinewStatus map_mesh(SnLattice *body, const SnLatticeGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->mesh;
    const double *first = mesh->positions + 3 * (size_t)mesh->hexes[0];

    SN_ALLOC(body->nodes, &body->allocator, mesh->vertex_count, error);
    SN_ALLOC(body->cells, &body->allocator, mesh->hex_count, error);
    for (int e = 0; e < mesh->hex_count; ++e) {
        const int *at = body->places + 3 * (size_t)e;
        body->cells[e] = sn_lattice_grid_cell(grid, at[0], at[1], at[2]);
        for (int c = 0; c < 8; ++c) {
            int bits[3] = {c >> 2 & 1, c >> 1 & 1, c & 1}; // along the body's axes
            int last = body->last_axis;
            body->nodes[mesh->hexes[8 * e + c]] =
                sn_lattice_grid_node(grid, at[0] + bits[(last + 1) % 3],
                                     at[1] + bits[(last + 2) % 3], at[2] + bits[last]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        int axis = (body->last_axis + 1 + k) % 3;
        body->origin[axis] = first[axis] - body->places[k] * body->h;
    }

done:
    return status;
}

// Shares of the cells that are inside the shape, where some count in part.
static SinewStatus find_fills(SnLattice *body, const SnSolidCubes *cubes, const SnLatticeGrid *grid,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool partly = false;

    for (int e = 0; e < body->mesh->hex_count; ++e) {
        partly = partly || cubes->fills[e] < 1.0;
    }
    if (partly && body->options.fill == SINEW_LATTICE_WEIGHTED) {
        SN_ALLOC_ZERO(body->fills, &body->allocator, grid->cell_blocks * SN_LATTICE_BLOCK, error);
        for (int e = 0; e < body->mesh->hex_count; ++e) {
            body->fills[body->cells[e]] = fmax(cubes->fills[e], LEAST_FILL);
        }
    }

done:
    return status;
}

static double largest_poisson(const SnMaterials *materials)
{
    double largest = -1.0;
    for (int m = 0; m <= materials->region_count; ++m) {
        const SnLaw *law = &materials->materials[m].law;
        largest = fmax(largest, 0.5 * law->lambda / (law->lambda + law->mu));
    }
    return largest;
}

// Stiffness, mass and damping of one cell.
static void take_cell(SnLattice *body, const SnMaterial *material, int cell)
{
    SnLatticeLevel *fine = &body->multigrid.levels[0];
    const int *corners = body->mesh->hexes + 8 * (size_t)cell;
    size_t place = (size_t)body->cells[cell];
    size_t at = place / SN_LATTICE_BLOCK * 2 * SN_LATTICE_BLOCK + place % SN_LATTICE_BLOCK;
    double fill = body->fills != NULL ? body->fills[place] : 1.0;
    double share = fill * material->density * body->h * body->h * body->h / 8.0;
    double stiff = fmax(fill, LEAST_STIFFNESS);
    body->lame[at] = stiff * material->law.mu;
    body->lame[at + SN_LATTICE_BLOCK] = stiff * material->law.lambda;
    for (size_t k = at; k <= at + SN_LATTICE_BLOCK; k += SN_LATTICE_BLOCK) {
        fine->lame[k] = (float)(body->lame[k] * body->h / 16.0);
    }
    if (body->betas != NULL) {
        body->betas[place] = material->damping_stiffness;
    }
    for (int c = 0; c < 8; ++c) {
        body->masses[corners[c]] += share;
        if (body->damp_masses != NULL) {
            body->damp_masses[corners[c]] += share * material->damping_mass;
        }
    }
}

static SinewStatus take_materials(SnLattice *body, const SnLatticeShape *shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->mesh;
    SnLatticeLevel *fine = &body->multigrid.levels[0];
    size_t cells = (size_t)fine->grid.cell_blocks * SN_LATTICE_BLOCK;
    bool damped = false, stiffly = false;

    SN_ALLOC_ZERO(body->lame, &body->allocator, 2 * cells, error);
    SN_ALLOC_ZERO(body->masses, &body->allocator, mesh->vertex_count, error);
    for (int m = 0; m < shape->material_count; ++m) {
        damped = damped || shape->materials[m].damping_mass > 0.0;
        stiffly = stiffly || shape->materials[m].damping_stiffness > 0.0;
    }
    if (stiffly) {
        SN_ALLOC_ZERO(body->betas, &body->allocator, cells, error);
    }
    if (damped) {
        SN_ALLOC_ZERO(body->damp_masses, &body->allocator, mesh->vertex_count, error);
    }
    for (int e = 0; e < mesh->hex_count; ++e) {
        take_cell(body, &shape->materials[shape->indices[e]], e);
    }

done:
    return status;
}

// The stiffness of the whole at rest, N/m.
static void find_scale(SnLattice *body)
{
    const SnLatticeLevel *fine = &body->multigrid.levels[0];
    double square = 0.0;
    for (int i = 0; i < 3 * body->mesh->vertex_count; ++i) {
        float d = fine->d_inverse[body->nodes[i / 3] + SN_LATTICE_BLOCK * (i % 3)];
        square += d > 0.0f ? 1.0 / ((double)d * (double)d) : 0.0;
    }
    body->stiffness_scale = sqrt(square);
}

static SinewStatus make_multigrid(SnLattice *body, const SnLatticeShape *shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeGrid grid = {0};
    SnMaterials materials = {shape->materials, NULL, shape->material_count - 1};
    SnLatticeMultigridDef multigrid = {.kernels = body->kernels,
                                       .element = body->options.element,
                                       .differential = body->options.differential,
                                       .smoother = body->options.smoother,
                                       .corrects = body->options.cycle == SINEW_LATTICE_FAS,
                                       .poisson = largest_poisson(&materials),
                                       .worker_count = sn_workers_count(body->workers)};

    SN_TRY(make_grid(body, &shape->cubes, &grid, error));
    SN_TRY(map_mesh(body, &grid, error));
    SN_TRY(find_fills(body, &shape->cubes, &grid, error));
    SN_TRY(
        sn_lattice_multigrid_create(&multigrid, &grid, &body->allocator, &body->multigrid, error));
    SN_TRY(take_materials(body, shape, error));
    SN_TRY(sn_lattice_multigrid_mix(&body->multigrid, &body->allocator, error));

done:
    sn_lattice_grid_release(&grid, &body->allocator);
    return status;
}

// What no pin holds, and the eigenvalues at rest. What is worked with on the way is not kept.
static SinewStatus measure(SnLattice *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeMultigrid *multigrid = &body->multigrid;
    size_t numbers = (size_t)sn_lattice_grid_numbers(&multigrid->levels[0].grid);
    unsigned char *held = NULL;
    double *x = NULL;

    SN_ALLOC(held, &body->allocator, numbers, error);
    SN_ALLOC_ZERO(x, &body->allocator, numbers, error);
    memset(held, SN_LATTICE_NOTHING, numbers);
    for (int i = 0; i < 3 * body->mesh->vertex_count; ++i) {
        int at = body->nodes[i / 3] + SN_LATTICE_BLOCK * (i % 3);
        held[at] = SN_LATTICE_FREE;
        x[at] = body->mesh->positions[i];
    }
    SN_TRY(sn_lattice_multigrid_hold(multigrid, held, &body->allocator, error));
    held = NULL;
    sn_lattice_multigrid_measure(multigrid, body->workers, x);
    find_scale(body);
    sn_lattice_multigrid_shrink(multigrid, &body->allocator);

done:
    sn_free(&body->allocator, held);
    sn_free(&body->allocator, x);
    return status;
}

// Content ----------------------------------------------------------------------------------------

static bool same_material(const SnMaterial *a, const SnMaterial *b)
{
    return a->law.kind == b->law.kind && a->law.mu == b->law.mu && a->law.lambda == b->law.lambda &&
           a->density == b->density && a->damping_mass == b->damping_mass &&
           a->damping_stiffness == b->damping_stiffness;
}

static bool same_options(const SinewLatticeDef *a, const SinewLatticeDef *b)
{
    return a->element == b->element && a->differential == b->differential &&
           a->smoother == b->smoother && a->fill == b->fill &&
           (a->cycle == SINEW_LATTICE_FAS) == (b->cycle == SINEW_LATTICE_FAS);
}

// `key` is a shape of which nothing but cubes, materials and options is made.
static bool is_shape(const SnShared *thing, const void *key)
{
    const SnLatticeShape *a = (const SnLatticeShape *)thing, *b = key;
    const SnHexMesh *mesh = a->cubes.mesh, *other = b->cubes.mesh;
    size_t cells = (size_t)mesh->hex_count;
    if (mesh->vertex_count != other->vertex_count || mesh->hex_count != other->hex_count ||
        a->material_count != b->material_count || a->cubes.edge != b->cubes.edge ||
        !same_options(&a->body.options, &b->body.options) ||
        memcmp(a->cubes.size, b->cubes.size, sizeof a->cubes.size) != 0) {
        return false;
    }
    for (int m = 0; m < a->material_count; ++m) {
        if (!same_material(&a->materials[m], &b->materials[m])) {
            return false;
        }
    }
    return memcmp(mesh->positions, other->positions,
                  3 * (size_t)mesh->vertex_count * sizeof(double)) == 0 &&
           memcmp(mesh->hexes, other->hexes, 8 * cells * sizeof(int)) == 0 &&
           memcmp(a->cubes.places, b->cubes.places, 3 * cells * sizeof(int)) == 0 &&
           memcmp(a->cubes.fills, b->cubes.fills, cells * sizeof(double)) == 0 &&
           memcmp(a->indices, b->indices, cells * sizeof(int)) == 0;
}

static uint64_t hash_of(const SnLatticeShape *shape)
{
    const SnHexMesh *mesh = shape->cubes.mesh;
    uint64_t hash = sn_hash(SN_HASH_START, &shape->cubes.edge, sizeof shape->cubes.edge);
    for (int m = 0; m < shape->material_count; ++m) {
        const SnMaterial *material = &shape->materials[m];
        const double numbers[] = {material->law.mu, material->law.lambda, material->density};
        hash = sn_hash(hash, numbers, sizeof numbers);
    }
    hash = sn_hash(hash, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
    hash = sn_hash(hash, shape->cubes.fills, (size_t)mesh->hex_count * sizeof(double));
    return sn_hash(hash, shape->indices, (size_t)mesh->hex_count * sizeof(int));
}

static void destroy_shape(SnShared *thing)
{
    SnLatticeShape *shape = (SnLatticeShape *)thing;
    SnLattice *body = &shape->body;
    SinewAllocator allocator = body->allocator;
    sn_lattice_multigrid_release(&body->multigrid, &allocator);
    sn_element_tree_destroy(body->tree, &allocator);
    sn_free(&allocator, body->places);
    sn_free(&allocator, body->nodes);
    sn_free(&allocator, body->cells);
    sn_free(&allocator, body->lame);
    sn_free(&allocator, body->masses);
    sn_free(&allocator, body->damp_masses);
    sn_free(&allocator, body->betas);
    sn_free(&allocator, body->fills);
    sn_solid_cubes_destroy(&shape->cubes, &allocator);
    sn_free(&allocator, shape->materials);
    sn_free(&allocator, shape->indices);
    sn_free(&allocator, shape);
}

static const SnSharedKind shape_kind = {is_shape, destroy_shape};

// Making -----------------------------------------------------------------------------------------

// The material of each cell, whose region is asked where the body is placed.
static SinewStatus find_materials(SnLatticeShape *shape, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = shape->cubes.mesh;
    const SinewAllocator *allocator = &shape->body.allocator;
    SnAffine placement = sn_solid_placement(def->solid);
    shape->material_count = 1 + def->materials->region_count;
    SN_ALLOC(shape->materials, allocator, shape->material_count, error);
    memcpy(shape->materials, def->materials->materials,
           (size_t)shape->material_count * sizeof *shape->materials);
    SN_ALLOC_ZERO(shape->indices, allocator, mesh->hex_count, error);
    for (int e = 0; e < mesh->hex_count && def->materials->region_count > 0; ++e) {
        double middle[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 24; ++i) {
            size_t corner = (size_t)mesh->hexes[8 * (size_t)e + (size_t)(i / 3)];
            middle[i % 3] += mesh->positions[3 * corner + (size_t)(i % 3)] / 8.0;
        }
        sn_affine_apply(&placement, middle, middle);
        shape->indices[e] = sn_materials_find(def->materials, middle);
    }

done:
    return status;
}

SinewStatus sn_lattice_shape_take(const SnModelDef *def, SnLatticeShape **out_shape,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewAllocator allocator = def->allocator != NULL ? *def->allocator : (SinewAllocator){0};
    SnLatticeShape *shape = NULL;

    *out_shape = NULL;
    SN_TRY(check_materials(def, error));
    SN_ALLOC_ZERO(shape, &allocator, 1, error);
    shape->body.allocator = allocator;
    shape->body.workers = def->workers;
    shape->body.kernels = def->kernels;
    shape->body.options = def->options->lattice;
    SN_TRY(
        sn_fail_body(error, sn_solid_unplaced_cubes(def->solid, &shape->cubes, error), def->name));
    SN_TRY(find_materials(shape, def, error));
    uint64_t hash = hash_of(shape);
    *out_shape = (SnLatticeShape *)sn_share_find(def->share, &shape_kind, hash, shape);
    if (*out_shape == NULL) {
        shape->body.h = shape->cubes.edge;
        shape->body.mesh = shape->cubes.mesh;
        SN_TRY(make_multigrid(&shape->body, shape, error));
        SN_TRY(sn_lattice_tree_create(&shape->body, error));
        SN_TRY(measure(&shape->body, error));
        sn_share_add(def->share, &shape_kind, hash, &shape->shared);
        *out_shape = shape;
        shape = NULL;
    }

done:
    if (shape != NULL) {
        destroy_shape(&shape->shared);
    }
    return status;
}

void sn_lattice_shape_lend(SnLatticeShape *shape, SnLattice *body)
{
    *body = shape->body;
    body->multigrid = (SnLatticeMultigrid){0};
    body->mesh = NULL;
    body->shape = shape;
}

void sn_lattice_shape_leave(SnLatticeShape *shape)
{
    if (shape != NULL) {
        sn_share_leave(&shape->shared);
    }
}
