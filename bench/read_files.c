#include "bench/read_files.h"

#include "base/clock.h"
#include "geometry/box_tets.h"
#include "io/surface_files.h"
#include "io/tet_files.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MB 1e6

enum { PATH_SIZE = 500, BLOCK_SIZE = 1 << 20 };

// Bytes of a file: of a PLY a vertex (three floats and two triangles of 13 bytes), of an MSH a cube
// of five tets (40 bytes each) and one node (32).
#define PLY_VERTEX_SIZE 38.0
#define MSH_CUBE_SIZE 232.0

typedef struct Reading {
    SnReadFile kind;
    char folder[PATH_SIZE];
    char path[PATH_SIZE + 20];
    double size; // bytes of the file
    SnSurface *surface;
    SnTetMesh *mesh;
    unsigned char *block;
    SinewStatus status; // of the last run
    SinewError error;
} Reading;

// Room ------------------------------------------------------------------------------------------

// Bytes of memory that could be had, the system's caches among them; 0: the system does not tell.
static double free_memory(void)
{
    double kilobytes = 0.0;
    char line[200];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return 1024.0 * kilobytes;
}

// Bytes of the file to write: what is wanted, halved until the disk could hold it twice and memory
// the file, the mesh it is written from and the one read, each at most twice as large.
static double choose_size(const SnBench *bench, const char *folder)
{
    struct statvfs disk;
    double memory = free_memory();
    double room = statvfs(folder, &disk) == 0 ? (double)disk.f_bavail * (double)disk.f_frsize : 0.0;
    double size = bench->quick ? 64.0 * MB : 512.0 * MB;
    while (size >= 16.0 * MB && (2.0 * size > room || (memory > 0.0 && 6.0 * size > memory))) {
        size *= 0.5;
    }
    return size;
}

// The file --------------------------------------------------------------------------------------

// A sheet of hills, its heights rounded to floats so that the file has floats.
static SinewStatus write_ply(const char *path, double size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    int side = (int)sqrt(size / PLY_VERTEX_SIZE);
    SN_TRY(
        sn_surface_create(side * side, 2 * (side - 1) * (side - 1), 0, 1, NULL, &surface, error));
    double *x = surface->positions;
    int *triangle = surface->triangles;
    for (int i = 0; i < side; ++i) {
        for (int j = 0; j < side; ++j, x += 3) {
            x[0] = i;
            x[1] = (double)(float)(0.001 * (i % 97) * (j % 89));
            x[2] = j;
        }
    }
    for (int i = 0; i + 1 < side; ++i) {
        for (int j = 0; j + 1 < side; ++j, triangle += 6) {
            int corner = i * side + j;
            const int two[6] = {corner,     corner + 1,        corner + side,
                                corner + 1, corner + side + 1, corner + side};
            memcpy(triangle, two, sizeof two);
        }
    }
    SN_TRY(sn_surface_write(surface, path, NULL, error));
done:
    sn_surface_destroy(surface, NULL);
    return status;
}

static SinewStatus write_msh(const char *path, double size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    int side = (int)cbrt(size / MSH_CUBE_SIZE);
    SnBoxTetsDef def = {.max = {1.0, 1.0, 1.0}, .cells = {side, side, side}};
    SN_TRY(sn_box_tets_create(&def, NULL, &mesh, error));
    SN_TRY(sn_tet_mesh_write(mesh, path, NULL, error));
done:
    sn_tet_mesh_destroy(mesh, NULL);
    return status;
}

static SinewStatus write_file(Reading *reading, double size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    struct stat about;
    bool is_ply = reading->kind == SN_READ_PLY;
    snprintf(reading->path, sizeof reading->path, "%s/%s", reading->folder,
             is_ply ? "large.ply" : "large.msh");
    SN_TRY(is_ply ? write_ply(reading->path, size, error) : write_msh(reading->path, size, error));
    if (stat(reading->path, &about) != 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_FILE, "%.160s: %s", reading->path, strerror(errno)));
    }
    reading->size = (double)about.st_size;
done:
    return status;
}

// Reading ---------------------------------------------------------------------------------------

// Giving back the last mesh is no part of reading the next.
static void release_meshes(void *context)
{
    Reading *reading = context;
    sn_surface_destroy(reading->surface, NULL);
    sn_tet_mesh_destroy(reading->mesh, NULL);
    reading->surface = NULL;
    reading->mesh = NULL;
}

static void run_reading(void *context, SnWorkers *workers)
{
    (void)workers;
    Reading *reading = context;
    reading->status = reading->kind == SN_READ_PLY
                          ? sn_surface_read(reading->path, NULL, &reading->surface, &reading->error)
                          : sn_tet_mesh_read(reading->path, NULL, &reading->mesh, &reading->error);
}

// The file block by block, by the system's own call.
static void run_plain_reading(void *context, SnWorkers *workers)
{
    (void)workers;
    Reading *reading = context;
    int file = open(reading->path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && read(file, reading->block, BLOCK_SIZE) > 0) {
    }
    if (file >= 0) {
        close(file);
    }
}

static double mesh_size(const Reading *reading)
{
    return reading->kind == SN_READ_PLY
               ? 24.0 * reading->surface->vertex_count + 16.0 * reading->surface->triangle_count
               : 24.0 * reading->mesh->vertex_count + 20.0 * reading->mesh->tet_count;
}

static SinewStatus measure(const SnBench *bench, const SnBenchEntry *entry, Reading *reading,
                           SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBenchTask task = {.prepare = release_meshes, .run = run_reading, .context = reading};
    SnBenchTask plain = {.prepare = release_meshes, .run = run_plain_reading, .context = reading};
    SN_ALLOC(reading->block, NULL, BLOCK_SIZE, error);
    SnBenchTime cache_time = sn_bench_time(bench, entry, &plain);
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    if (reading->status < 0) {
        SN_TRY(sn_fail(error, reading->status, "%s", reading->error.text));
    }
    double megabytes = reading->size / MB;
    double written = mesh_size(reading);
    SnBenchWork work = {.items = 1.0,
                        .bytes_read = reading->size,
                        .bytes_written = written,
                        .working_set = reading->size + written};
    out_result->unit = "MB/s";
    out_result->value = megabytes / time.least;
    out_result->median = megabytes / time.median;
    out_result->limit =
        megabytes / sn_machine_limit(&bench->machine, &work, entry->kernels, entry->threading);
    out_result->fraction = out_result->value / out_result->limit;
    out_result->runs = time.runs;
    sn_bench_figure(out_result, "file_mb", megabytes);
    sn_bench_figure(out_result, "page_cache", megabytes / cache_time.least);
done:
    return status;
}

SinewStatus sn_bench_read_file(const SnBench *bench, const SnBenchEntry *entry, SnReadFile kind,
                               SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Reading reading = {.kind = kind};
    const char *parent = getenv("TMPDIR");
    parent = parent != NULL && parent[0] != '\0' ? parent : P_tmpdir;
    int length = snprintf(reading.folder, PATH_SIZE, "%s/sinew_bench_XXXXXX", parent);
    if (length >= PATH_SIZE || mkdtemp(reading.folder) == NULL) {
        sn_bench_skip(out_result, "no folder could be made in %.120s", parent);
        return SINEW_OK;
    }
    double size = choose_size(bench, reading.folder);
    if (size < 16.0 * MB) {
        sn_bench_skip(out_result, "no room for a file of 16 MB in %.80s or for its mesh", parent);
        goto done;
    }
    SN_TRY(write_file(&reading, size, error));
    SN_TRY(measure(bench, entry, &reading, out_result, error));
done:
    release_meshes(&reading);
    sn_free(NULL, reading.block);
    unlink(reading.path);
    rmdir(reading.folder);
    return status;
}
