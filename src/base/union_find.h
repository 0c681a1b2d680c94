// Sets that are joined two at a time: each item has a parent, and the root stands for its set. The
// root is the lowest item of the set, so that the outcome does not depend on the order of joining.
#ifndef SN_BASE_UNION_FIND_H
#define SN_BASE_UNION_FIND_H

#include <stdbool.h>

// Each item a set of its own.
static inline void sn_union_find_reset(int *parents, int count)
{
    for (int i = 0; i < count; ++i) {
        parents[i] = i;
    }
}

// Paths are halved on the way.
static inline int sn_union_find_root(int *parents, int item)
{
    while (parents[item] != item) {
        parents[item] = parents[parents[item]];
        item = parents[item];
    }
    return item;
}

// Joins the sets of two items; false where they were one already.
static inline bool sn_union_find_join(int *parents, int a, int b)
{
    a = sn_union_find_root(parents, a);
    b = sn_union_find_root(parents, b);
    parents[a > b ? a : b] = a > b ? b : a;
    return a != b;
}

#endif
