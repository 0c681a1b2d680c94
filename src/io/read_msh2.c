// Nodes and elements of MSH 2.2. In text every element says its type; in bytes a run of elements
// shares one.
#include "io/msh.h"

#include <inttypes.h>

enum { NODE_SIZE = 28, NODE_TEXT = 8, ELEMENT_TEXT = 8, TAGS_MAX = 1000 };

SinewStatus sn_msh2_nodes(SnMsh *msh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count;
    double *x;
    SN_TRY(sn_msh_count_line(msh, "the number of nodes", &count, error));
    SN_TRY(sn_msh_expect_room(msh, count, NODE_SIZE, NODE_TEXT, "nodes", error));
    SN_TRY(sn_tet_draft_add_vertices(&msh->draft, count, &x, error));
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag;
        SN_TRY(sn_msh_int(msh, "a node's tag", &tag, error));
        SN_TRY(sn_msh_add_node(msh, tag, error));
        for (int c = 0; c < 3; ++c) {
            SN_TRY(sn_msh_double(msh, "a coordinate", &x[3 * i + c], error));
        }
    }
    SN_TRY(sn_msh_expect_finite(msh, x, (size_t)count, error));
done:
    return status;
}

// The first two tags of an element are its physical group and its entity; the rest are partitions.
static SinewStatus read_tags(SnMsh *msh, int64_t tag_count, int64_t tags[2], SinewError *error)
{
    SinewStatus status = SINEW_OK;
    tags[0] = 0;
    tags[1] = 0;
    for (int64_t i = 0; i < tag_count; ++i) {
        int64_t tag;
        SN_TRY(sn_msh_int(msh, "a tag of an element", &tag, error));
        if (i < 2) {
            tags[i] = tag;
        }
    }
done:
    return status;
}

// Four corners and the nodes that follow them in tets of higher order.
static SinewStatus read_corners(SnMsh *msh, int node_count, int *tet, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < node_count; ++i) {
        int64_t tag;
        int vertex;
        SN_TRY(sn_msh_int(msh, "a node of an element", &tag, error));
        SN_TRY(sn_msh_corner(msh, tag, i < 4 ? &tet[i] : &vertex, error));
    }
done:
    return status;
}

static SinewStatus read_text(SnMsh *msh, int64_t count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int64_t i = 0; i < count; ++i) {
        int64_t element;
        int64_t type;
        int64_t tag_count;
        SN_TRY(sn_msh_int(msh, "an element's tag", &element, error));
        SN_TRY(sn_msh_int(msh, "an element's type", &type, error));
        SN_TRY(sn_msh_int(msh, "the number of tags", &tag_count, error));
        if (!sn_msh_type_is_tet(type)) {
            msh->draft.skipped++;
            sn_scan_next_line(&msh->scan);
            continue;
        }
        int64_t tags[2];
        int *tet;
        int *region;
        SN_TRY(read_tags(msh, tag_count, tags, error));
        SN_TRY(sn_tet_draft_add_tets(&msh->draft, 1, &tet, &region, error));
        SN_TRY(read_corners(msh, sn_msh_type_nodes(type), tet, error));
        SN_TRY(sn_msh_region(msh, tags[0], tags[1], region, error));
    }
done:
    return status;
}

// A run of `count` tets, each with its tag in front.
static SinewStatus read_tets(SnMsh *msh, int64_t count, int64_t tag_count, int node_count,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *tets;
    int *regions;
    SN_TRY(sn_tet_draft_add_tets(&msh->draft, count, &tets, &regions, error));
    for (int64_t i = 0; i < count; ++i) {
        int64_t element;
        int64_t tags[2];
        SN_TRY(sn_msh_int(msh, "an element's tag", &element, error));
        SN_TRY(read_tags(msh, tag_count, tags, error));
        SN_TRY(read_corners(msh, node_count, tets + 4 * i, error));
        SN_TRY(sn_msh_region(msh, tags[0], tags[1], &regions[i], error));
    }
done:
    return status;
}

static SinewStatus read_binary(SnMsh *msh, int64_t count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    while (count > 0) {
        int64_t type;
        int64_t run;
        int64_t tag_count;
        SN_TRY(sn_msh_int(msh, "an element's type", &type, error));
        SN_TRY(sn_msh_int(msh, "the number of elements in a run", &run, error));
        SN_TRY(sn_msh_int(msh, "the number of tags", &tag_count, error));
        int node_count = sn_msh_type_nodes(type);
        if (node_count == 0 || tag_count < 0 || tag_count > TAGS_MAX || run < 1 || run > count) {
            SN_TRY(sn_msh_fail(msh, error,
                               "a run of %" PRId64 " elements of type %" PRId64 " with %" PRId64
                               " tags, expected 1 to %" PRId64 " of a known type",
                               run, type, tag_count, count));
        }
        size_t size = 4 * (1 + (size_t)tag_count + (size_t)node_count);
        SN_TRY(sn_msh_expect_room(msh, run, size, size, "elements", error));
        // Room is rounded up for the sake of text; bytes are exact.
        if ((size_t)run * size > sn_msh_left(msh)) {
            SN_TRY(sn_msh_fail(msh, error, "the file ends inside $Elements"));
        }
        if (sn_msh_type_is_tet(type)) {
            SN_TRY(read_tets(msh, run, tag_count, node_count, error));
        } else {
            msh->scan.at += (size_t)run * size;
            msh->draft.skipped += run;
        }
        count -= run;
    }
done:
    return status;
}

SinewStatus sn_msh2_elements(SnMsh *msh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count;
    SN_TRY(sn_msh_count_line(msh, "the number of elements", &count, error));
    SN_TRY(sn_msh_expect_room(msh, count, 8, ELEMENT_TEXT, "elements", error));
    SN_TRY(msh->is_binary ? read_binary(msh, count, error) : read_text(msh, count, error));
done:
    return status;
}
