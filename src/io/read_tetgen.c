// TetGen: a .node file with the vertices and an .ele file with the tets, numbered from 0 or 1. The
// first attribute of a tet is its region.
#include "io/scan.h"
#include "io/tet_draft.h"

#include <inttypes.h>
#include <math.h>

// An index, a coordinate or a corner takes a digit and a blank at least.
enum { NODE_TEXT = 8, ELE_TEXT = 10, HEAD_MAX = 4 };

// The first line: up to four whole numbers, of which those that are missing are 0.
static SinewStatus read_head(SnScan *scan, const char *what, size_t item_size, int64_t head[],
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_scan_int(scan, sn_scan_word(scan), what, 0, INT64_MAX, &head[0], error));
    for (int i = 1; i < HEAD_MAX; ++i) {
        SnWord word = sn_scan_word_in_line(scan);
        head[i] = 0;
        if (word.length > 0) {
            SN_TRY(sn_scan_int(scan, word, "a number of columns", 0, 1000, &head[i], error));
        }
    }
    SN_TRY(sn_scan_expect_room(scan, what, head[0], item_size, error));
    sn_scan_next_line(scan);
done:
    return status;
}

static SinewStatus read_nodes(SnTetDraft *draft, SnScan *scan, int64_t *first, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t head[HEAD_MAX];
    double *x;
    SN_TRY(read_head(scan, "the number of vertices", NODE_TEXT, head, error));
    if (head[1] != 3) {
        SN_TRY(sn_scan_fail(scan, error, "vertices have %" PRId64 " coordinates, expected 3",
                            head[1]));
    }
    SN_TRY(sn_tet_draft_add_vertices(draft, head[0], &x, error));
    for (int64_t i = 0; i < head[0]; ++i) {
        SN_TRY(sn_scan_item_number(scan, sn_scan_word(scan), i, first, error));
        for (int c = 0; c < 3; ++c) {
            SN_TRY(sn_scan_double(scan, sn_scan_word_in_line(scan), "a coordinate", &x[3 * i + c],
                                  error));
        }
        sn_scan_next_line(scan);
    }
done:
    return status;
}

// A region attribute is a whole number, though it may be written with a point.
static SinewStatus read_region(SnTetDraft *draft, SnScan *scan, int *out_region, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double value;
    SN_TRY(sn_scan_double(scan, sn_scan_word_in_line(scan), "a region", &value, error));
    if (value != floor(value) || fabs(value) > 0x1p53) {
        SN_TRY(sn_scan_fail(scan, error, "a region is %g, expected a whole number", value));
    }
    SN_TRY(sn_tet_draft_region(draft, (int64_t)value, (int64_t)value, out_region, error));
done:
    return status;
}

static SinewStatus read_tets(SnTetDraft *draft, SnScan *scan, int64_t first, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t head[HEAD_MAX];
    int64_t tet_first = 0;
    int *tets;
    int *regions;
    int whole = 0;
    SN_TRY(read_head(scan, "the number of tets", ELE_TEXT, head, error));
    if (head[1] != 4 && head[1] != 10) {
        SN_TRY(sn_scan_fail(scan, error, "tets have %" PRId64 " nodes, expected 4 or 10", head[1]));
    }
    int64_t last = first + sn_tet_draft_vertex_count(draft) - 1;
    SN_TRY(sn_tet_draft_add_tets(draft, head[0], &tets, &regions, error));
    if (head[2] == 0) {
        SN_TRY(sn_tet_draft_region(draft, 0, 0, &whole, error));
    }
    for (int64_t i = 0; i < head[0]; ++i) {
        SN_TRY(sn_scan_item_number(scan, sn_scan_word(scan), i, &tet_first, error));
        for (int64_t c = 0; c < head[1]; ++c) {
            int64_t corner;
            SN_TRY(sn_scan_int(scan, sn_scan_word_in_line(scan), "a vertex", first, last, &corner,
                               error));
            if (c < 4) {
                tets[4 * i + c] = (int)(corner - first);
            }
        }
        regions[i] = whole;
        if (head[2] > 0) {
            SN_TRY(read_region(draft, scan, &regions[i], error));
        }
        sn_scan_next_line(scan);
    }
done:
    return status;
}

SinewStatus sn_read_tetgen(const SnBytes *node_bytes, const SnBytes *ele_bytes,
                           const SinewAllocator *allocator, SnTetMesh **out_mesh,
                           SnTetReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetDraft draft = sn_tet_draft_of(ele_bytes->path, allocator);
    SnScan nodes = sn_scan_of(node_bytes, '#');
    SnScan tets = sn_scan_of(ele_bytes, '#');
    int64_t first = 0;
    *out_mesh = NULL;

    SN_TRY(read_nodes(&draft, &nodes, &first, error));
    SN_TRY(read_tets(&draft, &tets, first, error));
    SN_TRY(sn_tet_draft_finish(&draft, out_mesh, out_report, error));

done:
    sn_tet_draft_release(&draft);
    return status;
}
