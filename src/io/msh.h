// What the parts of the MSH reader share: a cursor that reads a number as text or as bytes, and
// what was read so far. MSH 4.1 has the same numbers in the same order either way, so one reader
// does both, with a fast path for blocks of bytes.
#ifndef SN_IO_MSH_H
#define SN_IO_MSH_H

#include "io/load.h"
#include "io/scan.h"
#include "io/tet_draft.h"

typedef struct SnMsh {
    SnBytes bytes;
    SnScan scan; // its `at` is the cursor of binary parts too
    bool is_binary;
    bool swap;
    SnTetDraft draft;
    bool has_nodes;
    SnTagMap nodes;           // vertex tag to vertex
    SnTagMap volumes;         // tag of a volume entity to its place in the next
    SnArray volume_physicals; // int: the physical group of each volume, 0: none
} SnMsh;

// Fails at the line or at the byte.
#define sn_msh_fail(msh, error, ...)                                                               \
    ((msh)->is_binary                                                                              \
         ? sn_bytes_fail(&(msh)->bytes,                                                            \
                         (size_t)((const unsigned char *)(msh)->scan.at - (msh)->bytes.data),      \
                         (error), __VA_ARGS__)                                                     \
         : sn_scan_fail(&(msh)->scan, (error), __VA_ARGS__))

static inline size_t sn_msh_left(const SnMsh *msh)
{
    return (size_t)(msh->scan.end - msh->scan.at);
}

// A number at the cursor: an int of 4 bytes, a size of 8, a double of 8, or a word of text.
SinewStatus sn_msh_int(SnMsh *msh, const char *what, int64_t *out_value, SinewError *error);
SinewStatus sn_msh_size(SnMsh *msh, const char *what, int64_t *out_value, SinewError *error);
SinewStatus sn_msh_double(SnMsh *msh, const char *what, double *out_value, SinewError *error);

// Whether `count` items fit into what is left: `binary_size` or at least `text_size` bytes each.
SinewStatus sn_msh_expect_room(const SnMsh *msh, int64_t count, size_t binary_size,
                               size_t text_size, const char *what, SinewError *error);

// A count in text, as a line of its own in front of binary data too; the cursor is after its line.
SinewStatus sn_msh_count_line(SnMsh *msh, const char *what, int64_t *out_count, SinewError *error);

// Gives the next vertex this tag; one that is there already is refused.
SinewStatus sn_msh_add_node(SnMsh *msh, int64_t tag, SinewError *error);

// Refuses the first of `count` vertices that is not finite.
SinewStatus sn_msh_expect_finite(const SnMsh *msh, const double *positions, size_t count,
                                 SinewError *error);

// The vertex of a tag that an element names.
SinewStatus sn_msh_corner(const SnMsh *msh, int64_t tag, int *out_vertex, SinewError *error);

// The region of tets in a physical group, or where that is 0, of an elementary entity.
SinewStatus sn_msh_region(SnMsh *msh, int64_t physical, int64_t elementary, int *out_region,
                          SinewError *error);

// How many nodes an element of this type has, 0 for a type that is not known.
int sn_msh_type_nodes(int64_t type);
// Tets of any order start with their four corners.
bool sn_msh_type_is_tet(int64_t type);

// The sections; the cursor is after the line that opens them.
SinewStatus sn_msh2_nodes(SnMsh *msh, SinewError *error);
SinewStatus sn_msh2_elements(SnMsh *msh, SinewError *error);
SinewStatus sn_msh4_entities(SnMsh *msh, SinewError *error);
SinewStatus sn_msh4_nodes(SnMsh *msh, SinewError *error);
SinewStatus sn_msh4_elements(SnMsh *msh, SinewError *error);

#endif
