#include "model/voxel/cache.h"

#include "base/hash.h"
#include "io/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// FORMAT goes up with every change of the bytes, or of how cells are made.
enum { FORMAT = 2, ORDER = 0x01020304, PATH_LENGTH = 4096 };

// Numbers are as the machine has them; `order` tells another machine's apart.
typedef struct Header {
    char magic[8];
    uint32_t format, order;
    uint64_t content; // hash of what the cells were made from
    uint64_t size;    // bytes that follow
    uint64_t check;   // hash of those
} Header;

static const char magic[8] = {'S', 'N', 'V', 'O', 'X', 'E', 'L', '\n'};

// Doubles of a cell that are always there: from `stiffness` up to the arrays.
typedef struct Fixed {
    double stiffness[SN_VOXEL_MATRIX], mass[SN_VOXEL_MATRIX];
    double weight[3 * SN_VOXEL_DOFS], moment[3], omega[3 * SN_VOXEL_DOFS], total, volume;
    int node_count, is_damped;
} Fixed;

static uint64_t hash_content(const SnVoxelGridDef *def, const SnVoxelGrid *grid)
{
    size_t cube = (size_t)(grid->division * grid->division * grid->division);
    const int choices[] = {(int)def->kind, grid->division, grid->kind_count};
    uint64_t hash = sn_hash(SN_HASH_START, choices, sizeof choices);
    hash = sn_hash(hash, &grid->edge, sizeof grid->edge);
    // Kernels decide the last bits.
    hash = sn_hash(hash, def->kernels->isa, strlen(def->kernels->isa));
    hash = sn_hash(hash, def->kernels->variant, strlen(def->kernels->variant));
    hash = sn_hash(hash, grid->materials,
                   ((size_t)def->materials->region_count + 1) * sizeof *grid->materials);
    return sn_hash(hash, grid->content, (size_t)grid->kind_count * cube * sizeof *grid->content);
}

// False where the name is too long to be one.
static bool name_file(const char *folder, uint64_t content, char path[PATH_LENGTH])
{
    int length =
        snprintf(path, PATH_LENGTH, "%s/voxel-%016llx.cells", folder, (unsigned long long)content);
    return length > 0 && length < PATH_LENGTH;
}

static size_t numbers_of(const SnVoxelGrid *grid)
{
    size_t side = (size_t)grid->shown + 1;
    return side * side * side;
}

// Reading ----------------------------------------------------------------------------------------

// Bytes that are read in order.
typedef struct Bytes {
    const unsigned char *at;
    size_t left;
} Bytes;

static bool take(Bytes *bytes, void *out, size_t size)
{
    if (size > bytes->left) {
        return false;
    }
    memcpy(out, bytes->at, size);
    bytes->at += size;
    bytes->left -= size;
    return true;
}

static SinewStatus read_cell(const SnVoxelGrid *grid, const SinewAllocator *allocator, Bytes *bytes,
                             SnVoxelCell *cell, bool *out_good, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Fixed fixed;
    *out_good = take(bytes, &fixed, sizeof fixed) && fixed.node_count > 0 &&
                (size_t)fixed.node_count <= numbers_of(grid);
    if (!*out_good) {
        return SINEW_OK;
    }
    memcpy(cell->stiffness, fixed.stiffness, sizeof cell->stiffness);
    memcpy(cell->mass, fixed.mass, sizeof cell->mass);
    memcpy(cell->weight, fixed.weight, sizeof cell->weight);
    memcpy(cell->moment, fixed.moment, sizeof cell->moment);
    memcpy(cell->omega, fixed.omega, sizeof cell->omega);
    cell->total = fixed.total;
    cell->volume = fixed.volume;
    cell->node_count = fixed.node_count;
    size_t shapes = 3 * SN_VOXEL_DOFS * (size_t)fixed.node_count;
    SN_ALLOC(cell->numbers, allocator, numbers_of(grid), error);
    SN_ALLOC(cell->shapes, allocator, shapes, error);
    if (fixed.is_damped) {
        SN_ALLOC(cell->damping, allocator, SN_VOXEL_MATRIX, error);
        *out_good = take(bytes, cell->damping, SN_VOXEL_MATRIX * sizeof *cell->damping);
    }
    *out_good = *out_good && take(bytes, cell->numbers, numbers_of(grid) * sizeof *cell->numbers) &&
                take(bytes, cell->shapes, shapes * sizeof *cell->shapes);
    for (size_t n = 0; n < numbers_of(grid) && *out_good; ++n) {
        *out_good = cell->numbers[n] >= -1 && cell->numbers[n] < cell->node_count;
    }

done:
    return status;
}

static SinewStatus read_cells(const SnVoxelGrid *grid, const SinewAllocator *allocator, Bytes bytes,
                              bool *out_good, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_good = true;
    for (int k = 0; k < grid->kind_count && *out_good; ++k) {
        SN_TRY(read_cell(grid, allocator, &bytes, &grid->cells[k], out_good, error));
    }
    *out_good = *out_good && bytes.left == 0;

done:
    for (int k = 0; k < grid->kind_count && (status < 0 || !*out_good); ++k) {
        sn_voxel_cell_release(&grid->cells[k], allocator);
    }
    return status;
}

// The header of an open file, if it is of these cells and the file is as long as it says.
static bool read_header(FILE *file, uint64_t content, Header *out)
{
    if (fread(out, sizeof *out, 1, file) != 1 || memcmp(out->magic, magic, sizeof magic) != 0 ||
        out->format != FORMAT || out->order != ORDER || out->content != content ||
        fseek(file, 0, SEEK_END) != 0) {
        return false;
    }
    long end = ftell(file);
    return end > 0 && (uint64_t)end == sizeof *out + out->size &&
           fseek(file, (long)sizeof *out, SEEK_SET) == 0;
}

SinewStatus sn_voxel_cache_read(const SnVoxelGridDef *def, const SinewAllocator *allocator,
                                SnVoxelGrid *grid, bool *out_found, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char path[PATH_LENGTH];
    uint64_t content = hash_content(def, grid);
    unsigned char *bytes = NULL;
    size_t size;
    Header header;
    FILE *file = NULL;

    *out_found = false;
    if (!name_file(def->cache, content, path) || (file = fopen(path, "rb")) == NULL ||
        !read_header(file, content, &header)) {
        goto done;
    }
    size = (size_t)header.size; // of a file, which is on this machine
    SN_ALLOC(bytes, allocator, size, error);
    if (fread(bytes, 1, size, file) == size &&
        sn_hash(SN_HASH_START, bytes, size) == header.check) {
        SN_TRY(read_cells(grid, allocator, (Bytes){bytes, size}, out_found, error));
    }

done:
    if (file != NULL) {
        fclose(file);
    }
    sn_free(allocator, bytes);
    return status;
}

// Writing ----------------------------------------------------------------------------------------

static size_t cell_size(const SnVoxelGrid *grid, const SnVoxelCell *cell)
{
    return sizeof(Fixed) + (cell->damping != NULL ? SN_VOXEL_MATRIX * sizeof(double) : 0) +
           numbers_of(grid) * sizeof(short) +
           3 * SN_VOXEL_DOFS * (size_t)cell->node_count * sizeof(float);
}

static unsigned char *put(unsigned char *at, const void *data, size_t size)
{
    memcpy(at, data, size);
    return at + size;
}

static unsigned char *put_cell(const SnVoxelGrid *grid, const SnVoxelCell *cell, unsigned char *at)
{
    Fixed fixed;
    memset(&fixed, 0, sizeof fixed);
    memcpy(fixed.stiffness, cell->stiffness, sizeof fixed.stiffness);
    memcpy(fixed.mass, cell->mass, sizeof fixed.mass);
    memcpy(fixed.weight, cell->weight, sizeof fixed.weight);
    memcpy(fixed.moment, cell->moment, sizeof fixed.moment);
    memcpy(fixed.omega, cell->omega, sizeof fixed.omega);
    fixed.total = cell->total;
    fixed.volume = cell->volume;
    fixed.node_count = cell->node_count;
    fixed.is_damped = cell->damping != NULL;
    at = put(at, &fixed, sizeof fixed);
    if (cell->damping != NULL) {
        at = put(at, cell->damping, SN_VOXEL_MATRIX * sizeof *cell->damping);
    }
    at = put(at, cell->numbers, numbers_of(grid) * sizeof *cell->numbers);
    return put(at, cell->shapes,
               3 * SN_VOXEL_DOFS * (size_t)cell->node_count * sizeof *cell->shapes);
}

SinewStatus sn_voxel_cache_write(const SnVoxelGridDef *def, const SinewAllocator *allocator,
                                 const SnVoxelGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char path[PATH_LENGTH];
    SnWholeFile file = {0};
    Header header = {.format = FORMAT, .order = ORDER, .content = hash_content(def, grid)};
    unsigned char *bytes = NULL, *at;

    memcpy(header.magic, magic, sizeof magic);
    if (!name_file(def->cache, header.content, path)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the cache folder's name has %zu letters, expected fewer than %d",
                       strlen(def->cache), PATH_LENGTH - 40));
    }
    if (mkdir(def->cache, 0777) != 0 && errno != EEXIST) {
        SN_TRY(sn_write_fail(error, def->cache, errno));
    }
    for (int k = 0; k < grid->kind_count; ++k) {
        header.size += cell_size(grid, &grid->cells[k]);
    }
    SN_ALLOC(bytes, allocator, (size_t)header.size, error);
    at = bytes;
    for (int k = 0; k < grid->kind_count; ++k) {
        at = put_cell(grid, &grid->cells[k], at);
    }
    header.check = sn_hash(SN_HASH_START, bytes, (size_t)header.size);
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    sn_whole_file_write(&file, &header, sizeof header);
    sn_whole_file_write(&file, bytes, (size_t)header.size);
    SN_TRY(sn_whole_file_commit(&file, error));

done:
    sn_whole_file_abandon(&file);
    sn_free(allocator, bytes);
    return status;
}
