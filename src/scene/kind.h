// Which keys and words a kind takes, of tables whose first field is a kind. The schema's fields say
// it; here a mapping is held against them.
#ifndef SN_SCENE_KIND_H
#define SN_SCENE_KIND_H

#include "scene/schema.h"

#include <stdbool.h>

// Whether a value of a mapping counts as left out: an override changed the kind, and the value,
// which stands in the file, is of other kinds alone. So one word changes the method.
bool sn_kind_leaves_out(const SnTable *table, const SnYaml *yaml, int node, int kind, int value);

// Fails for the first key or word of a mapping that the kind does not take and that is not left
// out. All keys are the table's.
SinewStatus sn_kind_check(const SnTable *table, const SnYaml *yaml, int node, int kind,
                          SinewError *error);

#endif
