// A store of things that many may use at once: what does not change once it is made, kept one time
// however often it is asked for. Things are found by content, never by address: a hash narrows the
// search and the kind's own comparison decides. Each counts its users; the last to leave ends it.
//
// The store is a list through its things and allocates nothing, so adding cannot
// fail. One thread at a time may find, add and leave; any number may read what they hold.
#ifndef SN_BASE_SHARE_H
#define SN_BASE_SHARE_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct SnShared;

// What things of a kind have in common.
typedef struct SnSharedKind {
    // Whether the thing is what `key` describes, to the last bit.
    bool (*is)(const struct SnShared *thing, const void *key);
    void (*destroy)(struct SnShared *thing);
} SnSharedKind;

typedef struct SnShare {
    struct SnShared *first;
    int count;
} SnShare;

// The first member of every thing that is shared.
typedef struct SnShared {
    const SnSharedKind *kind;
    uint64_t hash;
    int users;
    SnShare *store; // NULL: in none
    struct SnShared *before, *after;
} SnShared;

// The thing that `key` describes, with one user more; NULL when there is none or no store.
SnShared *sn_share_find(SnShare *store, const SnSharedKind *kind, uint64_t hash, const void *key);

// Puts a thing into the store (nullable) with one user.
void sn_share_add(SnShare *store, const SnSharedKind *kind, uint64_t hash, SnShared *thing);

// One more user of a thing that is known.
SnShared *sn_share_join(SnShared *thing);

// One user less; the last ends it. NULL is fine.
void sn_share_leave(SnShared *thing);

#endif
