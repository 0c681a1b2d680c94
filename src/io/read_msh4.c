// Entities, nodes and elements of MSH 4.1, in blocks that belong to an entity each. The physical
// groups of the volumes make the regions.
#include "io/msh.h"

#include <inttypes.h>

// Bytes that a node and an element of one node at least take: tag and coordinates, tag and node.
enum { NODE_SIZE = 32, NODE_TEXT = 8, ELEMENT_SIZE = 16, ELEMENT_TEXT = 4 };

// A list of ints after its count; `out_first` is the first of them, or 0.
static SinewStatus read_list(SnMsh *msh, const char *what, int64_t *out_first, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count;
    *out_first = 0;
    SN_TRY(sn_msh_size(msh, what, &count, error));
    SN_TRY(sn_msh_expect_room(msh, count, 4, 2, what, error));
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag;
        SN_TRY(sn_msh_int(msh, what, &tag, error));
        *out_first = i == 0 ? tag : *out_first;
    }
done:
    return status;
}

// An entity of a partitioned mesh says in addition of which entity it is a part, and in which
// partitions.
static SinewStatus read_entity(SnMsh *msh, int dimension, bool is_partitioned, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t tag;
    int64_t physical;
    int64_t ignored;
    SN_TRY(sn_msh_int(msh, "an entity's tag", &tag, error));
    if (is_partitioned) {
        SN_TRY(sn_msh_int(msh, "a parent's dimension", &ignored, error));
        SN_TRY(sn_msh_int(msh, "a parent's tag", &ignored, error));
        SN_TRY(read_list(msh, "partitions of an entity", &ignored, error));
    }
    for (int c = 0; c < (dimension == 0 ? 3 : 6); ++c) {
        // Bounds are not used, and Gmsh itself writes infinities for what is empty.
        double bound;
        if (msh->is_binary) {
            SN_TRY(sn_msh_double(msh, "an entity's bounds", &bound, error));
        } else if (sn_scan_word(&msh->scan).length == 0) {
            SN_TRY(sn_msh_fail(msh, error, "the file ends inside an entity's bounds"));
        }
    }
    SN_TRY(read_list(msh, "physical groups of an entity", &physical, error));
    if (dimension > 0) {
        SN_TRY(read_list(msh, "boundaries of an entity", &ignored, error));
    }
    if (dimension == 3 && sn_tag_map_find(&msh->volumes, tag) < 0) {
        int group = (int)physical;
        SN_TRY(sn_array_push(&msh->volume_physicals, &group, error));
        SN_TRY(sn_tag_map_add(&msh->volumes, tag, error));
    }
done:
    return status;
}

// The partitions and the ghost entities, which are of no use here.
static SinewStatus skip_ghosts(SnMsh *msh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count;
    int64_t ignored;
    SN_TRY(sn_msh_size(msh, "the number of partitions", &count, error));
    SN_TRY(sn_msh_size(msh, "the number of ghosts", &count, error));
    for (int64_t i = 0; i / 2 < count; ++i) {
        SN_TRY(sn_msh_int(msh, "a ghost", &ignored, error));
    }
done:
    return status;
}

SinewStatus sn_msh4_entities(SnMsh *msh, bool is_partitioned, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count[4];
    if (is_partitioned) {
        SN_TRY(skip_ghosts(msh, error));
    }
    for (int d = 0; d < 4; ++d) {
        SN_TRY(sn_msh_size(msh, "the number of entities", &count[d], error));
    }
    for (int d = 0; d < 4; ++d) {
        SN_TRY(sn_msh_expect_room(msh, count[d], 36, 8, "entities", error));
        for (int64_t i = 0; i < count[d]; ++i) {
            SN_TRY(read_entity(msh, d, is_partitioned, error));
        }
    }
done:
    return status;
}

// A section of blocks; `fn` reads one and takes its items off those left.
typedef struct Section {
    const char *items;
    const char *number; // of items, in words
    size_t binary_size; // bytes that an item takes at least
    size_t text_size;
    SinewStatus (*fn)(SnMsh *msh, int64_t *left, SinewError *error);
} Section;

static SinewStatus read_section(SnMsh *msh, const Section *section, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t blocks;
    int64_t left;
    int64_t tag;
    SN_TRY(sn_msh_size(msh, "the number of blocks", &blocks, error));
    SN_TRY(sn_msh_size(msh, section->number, &left, error));
    SN_TRY(sn_msh_size(msh, "the smallest tag", &tag, error));
    SN_TRY(sn_msh_size(msh, "the largest tag", &tag, error));
    SN_TRY(sn_msh_expect_room(msh, left, section->binary_size, section->text_size, section->items,
                              error));
    for (int64_t b = 0; b < blocks; ++b) {
        SN_TRY(section->fn(msh, &left, error));
    }
    if (left != 0) {
        SN_TRY(sn_msh_fail(msh, error, "%" PRId64 " %s are missing from the blocks", left,
                           section->items));
    }
done:
    return status;
}

// Coordinates of `count` nodes; `extra` parameters follow each.
static SinewStatus read_positions(SnMsh *msh, int64_t count, int extra, double *x,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (msh->is_binary && !msh->swap && extra == 0) {
        if ((uint64_t)count > sn_msh_left(msh) / 24) {
            SN_TRY(sn_msh_fail(msh, error, "the file ends inside the coordinates"));
        }
        memcpy(x, msh->scan.at, 24 * (size_t)count);
        msh->scan.at += 24 * (size_t)count;
    } else {
        for (int64_t i = 0; i < count; ++i) {
            for (int c = 0; c < 3 + extra; ++c) {
                double parameter;
                SN_TRY(
                    sn_msh_double(msh, "a coordinate", c < 3 ? &x[3 * i + c] : &parameter, error));
            }
        }
    }
    SN_TRY(sn_msh_expect_finite(msh, x, (size_t)count, error));
done:
    return status;
}

static SinewStatus read_node_block(SnMsh *msh, int64_t *left, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t dimension;
    int64_t entity;
    int64_t is_parametric;
    int64_t count;
    double *x;
    SN_TRY(sn_msh_int(msh, "a dimension", &dimension, error));
    SN_TRY(sn_msh_int(msh, "an entity's tag", &entity, error));
    SN_TRY(sn_msh_int(msh, "0 or 1 for parameters", &is_parametric, error));
    SN_TRY(sn_msh_size(msh, "the number of nodes in a block", &count, error));
    if (dimension < 0 || dimension > 3 || is_parametric < 0 || is_parametric > 1 || count > *left) {
        SN_TRY(sn_msh_fail(msh, error,
                           "a block has dimension %" PRId64 " and %" PRId64
                           " nodes, expected 0 to 3 and at most %" PRId64,
                           dimension, count, *left));
    }
    SN_TRY(sn_msh_expect_room(msh, count, NODE_SIZE, NODE_TEXT, "nodes", error));
    *left -= count;
    SN_TRY(sn_tet_draft_add_vertices(&msh->draft, count, &x, error));
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag;
        SN_TRY(sn_msh_size(msh, "a node's tag", &tag, error));
        SN_TRY(sn_msh_add_node(msh, tag, error));
    }
    SN_TRY(read_positions(msh, count, is_parametric != 0 ? (int)dimension : 0, x, error));
done:
    return status;
}

SinewStatus sn_msh4_nodes(SnMsh *msh, SinewError *error)
{
    static const Section section = {
        .items = "nodes",
        .number = "the number of nodes",
        .binary_size = NODE_SIZE,
        .text_size = NODE_TEXT,
        .fn = read_node_block,
    };
    return read_section(msh, &section, error);
}

// Tets as bytes: the element's tag, then its nodes, all of 8 bytes.
static SinewStatus read_tet_bytes(SnMsh *msh, int64_t count, int node_count, int *tets,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t size = 8 * (1 + (size_t)node_count);
    const unsigned char *at = (const unsigned char *)msh->scan.at;
    for (int64_t i = 0; i < count; ++i, at += size) {
        for (int c = 0; c < 4; ++c) {
            uint64_t tag = sn_load_u64(at + 8 * (c + 1), msh->swap);
            int vertex = sn_tag_map_find(&msh->nodes, (int64_t)tag);
            if (vertex < 0) {
                msh->scan.at = (const char *)at;
                SN_TRY(sn_msh_corner(msh, (int64_t)tag, &vertex, error));
            }
            tets[4 * i + c] = vertex;
        }
    }
    msh->scan.at = (const char *)at;
done:
    return status;
}

static SinewStatus read_tet_words(SnMsh *msh, int64_t count, int node_count, int *tets,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag;
        int vertex;
        SN_TRY(sn_msh_size(msh, "an element's tag", &tag, error));
        for (int c = 0; c < node_count; ++c) {
            SN_TRY(sn_msh_size(msh, "a node of an element", &tag, error));
            SN_TRY(sn_msh_corner(msh, tag, c < 4 ? &tets[4 * i + c] : &vertex, error));
        }
    }
done:
    return status;
}

// The tets of a volume, all of one region.
static SinewStatus read_tets(SnMsh *msh, int64_t volume, int64_t count, int node_count,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *tets;
    int *regions;
    int region;
    int known = sn_tag_map_find(&msh->volumes, volume);
    int physical = known >= 0 ? SN_ITEMS(msh->volume_physicals, int)[known] : 0;
    SN_TRY(sn_msh_region(msh, physical, volume, &region, error));
    SN_TRY(sn_tet_draft_add_tets(&msh->draft, count, &tets, &regions, error));
    for (int64_t i = 0; i < count; ++i) {
        regions[i] = region;
    }
    SN_TRY(msh->is_binary ? read_tet_bytes(msh, count, node_count, tets, error)
                          : read_tet_words(msh, count, node_count, tets, error));
done:
    return status;
}

static SinewStatus read_element_block(SnMsh *msh, int64_t *left, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t dimension;
    int64_t entity;
    int64_t type;
    int64_t count;
    SN_TRY(sn_msh_int(msh, "a dimension", &dimension, error));
    SN_TRY(sn_msh_int(msh, "an entity's tag", &entity, error));
    SN_TRY(sn_msh_int(msh, "an element's type", &type, error));
    SN_TRY(sn_msh_size(msh, "the number of elements in a block", &count, error));
    int node_count = sn_msh_type_nodes(type);
    if (node_count == 0 || count > *left) {
        SN_TRY(sn_msh_fail(msh, error,
                           "a block has %" PRId64 " elements of type %" PRId64
                           ", expected at most %" PRId64 " of a known type",
                           count, type, *left));
    }
    size_t size = 8 * (1 + (size_t)node_count);
    SN_TRY(sn_msh_expect_room(msh, count, size, ELEMENT_TEXT, "elements", error));
    if (msh->is_binary && (size_t)count * size > sn_msh_left(msh)) {
        SN_TRY(sn_msh_fail(msh, error, "the file ends inside $Elements"));
    }
    *left -= count;
    if (sn_msh_type_is_tet(type)) {
        SN_TRY(read_tets(msh, entity, count, node_count, error));
        goto done;
    }
    msh->draft.skipped += count;
    if (msh->is_binary) {
        msh->scan.at += (size_t)count * size;
    } else {
        // Each on a line of its own; the last keeps its break for what follows.
        for (int64_t i = 0; i < count && sn_scan_word(&msh->scan).length > 0; ++i) {
            sn_scan_next_line(&msh->scan);
        }
    }
done:
    return status;
}

SinewStatus sn_msh4_elements(SnMsh *msh, SinewError *error)
{
    static const Section section = {
        .items = "elements",
        .number = "the number of elements",
        .binary_size = ELEMENT_SIZE,
        .text_size = ELEMENT_TEXT,
        .fn = read_element_block,
    };
    return read_section(msh, &section, error);
}
