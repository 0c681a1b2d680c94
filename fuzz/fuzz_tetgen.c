// Fuzzes the reader of TetGen pairs: the input is the .node file, a zero, and the .ele file.
#include "tet_input.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    size_t node_size = zero != NULL ? (size_t)(zero - data) : size;
    size_t skipped = zero != NULL ? node_size + 1 : size;
    SnBytes nodes = sn_bytes_of(data, node_size, "input.node");
    SnBytes tets = sn_bytes_of(data + skipped, size - skipped, "input.ele");
    SnTetMesh *mesh = NULL;
    SnTetReport report;
    SinewError error = {.text = ""};
    SinewStatus status = sn_read_tetgen(&nodes, &tets, NULL, &mesh, &report, &error);
    expect_mesh(status, mesh, &error);
    return 0;
}
