#include "base/share.h"

SnShared *sn_share_find(SnShare *store, const SnSharedKind *kind, uint64_t hash, const void *key)
{
    for (SnShared *thing = store != NULL ? store->first : NULL; thing != NULL;
         thing = thing->after) {
        if (thing->kind == kind && thing->hash == hash && kind->is(thing, key)) {
            return sn_share_join(thing);
        }
    }
    return NULL;
}

void sn_share_add(SnShare *store, const SnSharedKind *kind, uint64_t hash, SnShared *thing)
{
    *thing = (SnShared){.kind = kind, .hash = hash, .users = 1, .store = store};
    if (store != NULL) {
        thing->after = store->first;
        if (store->first != NULL) {
            store->first->before = thing;
        }
        store->first = thing;
        store->count += 1;
    }
}

SnShared *sn_share_join(SnShared *thing)
{
    thing->users += 1;
    return thing;
}

void sn_share_leave(SnShared *thing)
{
    if (thing == NULL || --thing->users > 0) {
        return;
    }
    if (thing->store != NULL) {
        SnShared **link = thing->before != NULL ? &thing->before->after : &thing->store->first;
        *link = thing->after;
        if (thing->after != NULL) {
            thing->after->before = thing->before;
        }
        thing->store->count -= 1;
    }
    thing->kind->destroy(thing);
}
