// The inputs that the fuzzers of the tet readers start from, and those that once broke a reader.
#include "support/test.h"

#include "io/tet_files.h"

#include <dirent.h>

typedef SinewStatus ReadFn(const SnBytes *bytes, const SinewAllocator *allocator,
                           SnTetMesh **out_mesh, SnTetReport *out_report, SinewError *error);

// The .node file, a zero, and the .ele file.
static SinewStatus read_pair(const SnBytes *bytes, const SinewAllocator *allocator,
                             SnTetMesh **out_mesh, SnTetReport *out_report, SinewError *error)
{
    const unsigned char *zero = memchr(bytes->data, 0, bytes->size);
    size_t node_size = zero != NULL ? (size_t)(zero - bytes->data) : bytes->size;
    size_t skipped = zero != NULL ? node_size + 1 : bytes->size;
    SnBytes nodes = sn_bytes_of(bytes->data, node_size, "input.node");
    SnBytes tets = sn_bytes_of(bytes->data + skipped, bytes->size - skipped, "input.ele");
    return sn_read_tetgen(&nodes, &tets, allocator, out_mesh, out_report, error);
}

// Returns 1 if the file gave a mesh.
static int replay_file(ReadFn *read, const char *path)
{
    SnBytes bytes;
    SinewError error = {.text = ""};
    SnTetMesh *mesh = NULL;
    assert_int_equal(sn_bytes_open(path, NULL, &bytes, &error), SINEW_OK);
    SinewStatus status = read(&bytes, NULL, &mesh, NULL, &error);
    assert_true((status == SINEW_OK) == (mesh != NULL));
    if (status != SINEW_OK && error.text[0] == '\0') {
        fail_msg("%s was refused without a sentence", path);
    }
    sn_tet_mesh_destroy(mesh, NULL);
    sn_bytes_close(&bytes);
    return status == SINEW_OK;
}

// Every file of a folder; at least `least` of them are meshes.
static void replay_folder(const char *name, ReadFn *read, int least)
{
    char path[600];
    snprintf(path, sizeof path, SINEW_CORPUS_DIR "/%s", name);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    int meshes = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, SINEW_CORPUS_DIR "/%s/%.200s", name, entry->d_name);
            meshes += replay_file(read, path);
        }
    }
    closedir(folder);
    assert_true(meshes >= least);
}

static void corpora_are_replayed(void **state)
{
    (void)state;
    replay_folder("msh", sn_read_msh, 5);
    replay_folder("tetgen", read_pair, 2);
    replay_folder("veg", sn_read_veg, 2);
    replay_folder("vtk", sn_read_vtk, 3);
    // Three of the seven are packed, and read only where there is zlib.
    replay_folder("vtu", sn_read_vtu, 4);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(corpora_are_replayed)};
SN_TEST_GROUP(io_tet_corpus, tests);
