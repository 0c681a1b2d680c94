// TetGen: both files of the pair. Regions are the attribute of the tets where there are several;
// the format has no place for their names.
#include "io/tet_files.h"
#include "io/whole_file.h"

#include <string.h>

static void put_nodes(SnWholeFile *file, const SnTetMesh *mesh, int first)
{
    sn_whole_file_printf(file, "%d 3 0 0\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *x = mesh->positions + 3 * (size_t)v;
        sn_whole_file_printf(file, "%d %.17g %.17g %.17g\n", v + first, x[0], x[1], x[2]);
    }
}

static void put_tets(SnWholeFile *file, const SnTetMesh *mesh, int first)
{
    bool has_regions = mesh->names.count > 1;
    sn_whole_file_printf(file, "%d 4 %d\n", mesh->tet_count, has_regions);
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int *corner = mesh->tets + 4 * (size_t)t;
        sn_whole_file_printf(file, "%d %d %d %d %d", t + first, corner[0] + first,
                             corner[1] + first, corner[2] + first, corner[3] + first);
        if (has_regions) {
            sn_whole_file_printf(file, " %d", mesh->regions[t]);
        }
        sn_whole_file_printf(file, "\n");
    }
}

SinewStatus sn_write_tetgen(const SnTetMesh *mesh, const SnTetWriteOptions *options,
                            const char *path, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile nodes = {0};
    SnWholeFile tets = {0};
    char *node_path = NULL;
    char *ele_path = NULL;
    size_t length = strlen(path);
    const char *dot = strrchr(path, '.');
    size_t stem = dot != NULL ? (size_t)(dot - path) : length;
    if (options->first_index < 0 || options->first_index > 1) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "first_index is %d, expected 0 or 1",
                       options->first_index));
    }
    SN_ALLOC(node_path, allocator, length + 8, error);
    SN_ALLOC(ele_path, allocator, length + 8, error);
    snprintf(node_path, length + 8, "%.*s.node", (int)stem, path);
    snprintf(ele_path, length + 8, "%.*s.ele", (int)stem, path);
    SN_TRY(sn_whole_file_begin(&nodes, node_path, allocator, error));
    SN_TRY(sn_whole_file_begin(&tets, ele_path, allocator, error));
    put_nodes(&nodes, mesh, options->first_index);
    put_tets(&tets, mesh, options->first_index);
    SN_TRY(sn_whole_file_commit(&nodes, error));
    SN_TRY(sn_whole_file_commit(&tets, error));
done:
    sn_whole_file_abandon(&nodes);
    sn_whole_file_abandon(&tets);
    sn_free(allocator, node_path);
    sn_free(allocator, ele_path);
    return status;
}
