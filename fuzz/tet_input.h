// What the fuzzers of the tet readers share: a mesh that was read must be a mesh.
#ifndef SN_FUZZ_TET_INPUT_H
#define SN_FUZZ_TET_INPUT_H

#include "io/tet_files.h"

#include <math.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

typedef SinewStatus ReadFn(const SnBytes *bytes, const SinewAllocator *allocator,
                           SnTetMesh **out_mesh, SnTetReport *out_report, SinewError *error);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Indices inside, coordinates finite, every vertex in use, no tet inside out; or else a sentence.
static inline void expect_mesh(SinewStatus status, SnTetMesh *mesh, const SinewError *error)
{
    EXPECT((status == SINEW_OK) == (mesh != NULL));
    if (mesh == NULL) {
        EXPECT(status == SINEW_ERROR_FILE && error->text[0] != '\0');
        return;
    }
    EXPECT(mesh->tet_count > 0 && mesh->names.count > 0);
    unsigned char *used = sn_alloc_zero(NULL, (size_t)mesh->vertex_count, 1);
    EXPECT(used != NULL);
    for (int t = 0; t < mesh->tet_count; ++t) {
        for (int c = 0; c < 4; ++c) {
            int vertex = mesh->tets[4 * t + c];
            EXPECT(vertex >= 0 && vertex < mesh->vertex_count);
            used[vertex] = 1;
        }
        EXPECT(mesh->regions[t] >= 0 && mesh->regions[t] < mesh->names.count);
        EXPECT(!(sn_tet_mesh_volume(mesh, t) < 0.0));
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        EXPECT(used[v] == 1);
        for (int c = 0; c < 3; ++c) {
            EXPECT(isfinite(mesh->positions[3 * v + c]));
        }
    }
    sn_free(NULL, used);
    sn_tet_mesh_destroy(mesh, NULL);
}

static inline int run_reader(ReadFn *read, const uint8_t *data, size_t size)
{
    SnBytes bytes = sn_bytes_of(data, size, "input");
    SnTetMesh *mesh = NULL;
    SnTetReport report;
    SinewError error = {.text = ""};
    SinewStatus status = read(&bytes, NULL, &mesh, &report, &error);
    expect_mesh(status, mesh, &error);
    return 0;
}

#endif
