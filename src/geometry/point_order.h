// An order of points that keeps neighbours together: by Morton code on a grid of 64^3 over their
// bounds. Searching for a million points in this order meets what it needs in the caches.
#ifndef SN_GEOMETRY_POINT_ORDER_H
#define SN_GEOMETRY_POINT_ORDER_H

#include "base/workers.h"

// `out_order` lists the indices of the points; those with equal codes in rising order. The caller
// frees it with sn_free. Points are xyz packed and finite.
SinewStatus sn_point_order_create(const double *points, int count, SnWorkers *workers,
                                  const SinewAllocator *allocator, int **out_order,
                                  SinewError *error);

#endif
