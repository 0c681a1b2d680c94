// convert_tets IN OUT [ascii|binary|base64|appended64] [zlib] [22|41]: reads a tet mesh and writes
// it again, for the check against other programs; prints its counts, volume and regions.
#include "io/tet_files.h"

#include <stdio.h>
#include <string.h>

static void read_option(const char *text, SnTetWriteOptions *options)
{
    static const char *const encodings[] = {"default", "ascii", "binary", "base64", "appended64"};
    for (int i = 0; i < 5; ++i) {
        if (strcmp(text, encodings[i]) == 0) {
            options->encoding = (SnTetEncoding)i;
        }
    }
    options->is_compressed = options->is_compressed || strcmp(text, "zlib") == 0;
    options->msh_version = strcmp(text, "22") == 0 ? 22 : options->msh_version;
    options->first_index = strcmp(text, "one") == 0 ? 1 : options->first_index;
}

static void print_mesh(const SnTetMesh *mesh, const SnTetReport *report)
{
    double volume = 0.0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        volume += sn_tet_mesh_volume(mesh, t);
    }
    printf("vertices %d\ntets %d\nvolume %.17g\nskipped %lld\n", mesh->vertex_count,
           mesh->tet_count, volume, (long long)report->skipped_elements);
    for (int r = 0; r < mesh->names.count; ++r) {
        int count = 0;
        for (int t = 0; t < mesh->tet_count; ++t) {
            count += mesh->regions[t] == r;
        }
        printf("region %d %s\n", count, mesh->names.text[r]);
    }
}

int main(int argument_count, char **arguments)
{
    SnTetMesh *mesh = NULL;
    SnTetReport report;
    SinewError error;
    SnTetWriteOptions options = {0};
    if (argument_count < 2) {
        fprintf(stderr, "convert_tets IN [OUT [OPTION...]]\n");
        return 2;
    }
    for (int i = 3; i < argument_count; ++i) {
        read_option(arguments[i], &options);
    }
    SinewStatus status = sn_tet_mesh_read_report(arguments[1], NULL, &mesh, &report, &error);
    if (status == SINEW_OK) {
        print_mesh(mesh, &report);
    }
    if (status == SINEW_OK && argument_count > 2) {
        status = sn_tet_mesh_write_as(mesh, &options, arguments[2], NULL, &error);
    }
    if (status < 0) {
        fprintf(stderr, "%s\n", error.text);
    }
    sn_tet_mesh_destroy(mesh, NULL);
    return status < 0 ? 3 : 0;
}
