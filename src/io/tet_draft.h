// A tet mesh while it is being read: vertices, tets and region tags as the file has them. Finishing
// it turns the tets right side out, drops what is not used and orders the regions by their tags.
#ifndef SN_IO_TET_DRAFT_H
#define SN_IO_TET_DRAFT_H

#include "base/array.h"
#include "io/tag_map.h"
#include "io/tet_files.h"

typedef struct SnTetDraftRegion {
    int64_t tag;
    int64_t shown_tag; // what a region without a name is called by, where there are several
    char *name;        // NULL: none was given
} SnTetDraftRegion;

typedef struct SnTetDraft {
    const SinewAllocator *allocator;
    const char *path;
    SnArray positions;   // double, three a vertex
    SnArray tets;        // int, four a tet
    SnArray tet_regions; // int, an index into `regions` for each tet
    SnArray regions;     // SnTetDraftRegion, in the order of their appearance
    SnTagMap region_map; // from tag to index in `regions`
    int64_t skipped;     // elements that are no tets
} SnTetDraft;

SnTetDraft sn_tet_draft_of(const char *path, const SinewAllocator *allocator);

// Room for `count` vertices or tets more, uninitialised. A count that no index could hold is
// refused; the caller has checked it against the bytes of the file.
SinewStatus sn_tet_draft_add_vertices(SnTetDraft *draft, int64_t count, double **out_positions,
                                      SinewError *error);
SinewStatus sn_tet_draft_add_tets(SnTetDraft *draft, int64_t count, int **out_tets,
                                  int **out_regions, SinewError *error);

static inline int sn_tet_draft_vertex_count(const SnTetDraft *draft)
{
    return (int)(draft->positions.count / 3);
}

// The region of a tag, made when it is new.
SinewStatus sn_tet_draft_region(SnTetDraft *draft, int64_t tag, int64_t shown_tag, int *out_region,
                                SinewError *error);

// Names the region of a tag, which is made when it is new. The first name stays.
SinewStatus sn_tet_draft_name(SnTetDraft *draft, int64_t tag, const char *text, size_t length,
                              SinewError *error);

// Makes the mesh. A file without a single tet is refused.
SinewStatus sn_tet_draft_finish(SnTetDraft *draft, SnTetMesh **out_mesh, SnTetReport *out_report,
                                SinewError *error);

void sn_tet_draft_release(SnTetDraft *draft);

#endif
