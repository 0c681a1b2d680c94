// Vega veg: a set, a material and a region for each region of the mesh. Vega wants a material,
// which a tet mesh has not, so one that suits soft tissue stands in for it.
#include "io/tet_files.h"
#include "io/whole_file.h"

#include <string.h>

static const char material[] = "ENU, 1000, 1000000, 0.45";

// A word of the file: what would end it becomes '_', and what has no name gets its number.
static void put_name(SnWholeFile *file, const SnTetMesh *mesh, int region)
{
    const char *name = mesh->names.text[region];
    if (*name == '\0') {
        sn_whole_file_printf(file, "region_%d", region + 1);
    }
    for (; *name != '\0'; ++name) {
        char shown = strchr(" \t\r\n\v\f,#*", *name) != NULL ? '_' : *name;
        sn_whole_file_write(file, &shown, 1);
    }
}

static void put_mesh(SnWholeFile *file, const SnTetMesh *mesh)
{
    sn_whole_file_printf(file, "*VERTICES\n%d 3 0 0\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *x = mesh->positions + 3 * (size_t)v;
        sn_whole_file_printf(file, "%d %.17g %.17g %.17g\n", v + 1, x[0], x[1], x[2]);
    }
    sn_whole_file_printf(file, "\n*ELEMENTS\nTET\n%d 4 0\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int *corner = mesh->tets + 4 * (size_t)t;
        sn_whole_file_printf(file, "%d %d %d %d %d\n", t + 1, corner[0] + 1, corner[1] + 1,
                             corner[2] + 1, corner[3] + 1);
    }
}

static void put_members(SnWholeFile *file, const SnTetMesh *mesh, int region)
{
    int on_line = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        if (mesh->regions[t] == region) {
            sn_whole_file_printf(file, "%d,%s", t + 1, ++on_line % 8 == 0 ? "\n" : " ");
        }
    }
    sn_whole_file_printf(file, "\n");
}

static void put_regions(SnWholeFile *file, const SnTetMesh *mesh)
{
    for (int r = 0; r < mesh->names.count; ++r) {
        sn_whole_file_printf(file, "\n*MATERIAL ");
        put_name(file, mesh, r);
        sn_whole_file_printf(file, "\n%s\n\n*SET ", material);
        put_name(file, mesh, r);
        sn_whole_file_printf(file, "\n");
        put_members(file, mesh, r);
        sn_whole_file_printf(file, "\n*REGION\n");
        put_name(file, mesh, r);
        sn_whole_file_printf(file, ", ");
        put_name(file, mesh, r);
        sn_whole_file_printf(file, "\n");
    }
}

SinewStatus sn_write_veg(const SnTetMesh *mesh, const char *path, const SinewAllocator *allocator,
                         SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    put_mesh(&file, mesh);
    if (mesh->names.count == 1 && mesh->names.text[0][0] == '\0') {
        sn_whole_file_printf(&file,
                             "\n*MATERIAL defaultMaterial\n%s\n\n*REGION\n"
                             "allElements, defaultMaterial\n",
                             material);
    } else {
        put_regions(&file, mesh);
    }
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}
