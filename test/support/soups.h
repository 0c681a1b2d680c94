// Triangle soups to measure distances from. All own their arrays; sn_test_soup_free gives them
// back.
#ifndef SN_TEST_SUPPORT_SOUPS_H
#define SN_TEST_SUPPORT_SOUPS_H

#include "geometry/distance.h"

typedef struct SnTestSoup {
    SnSoup soup;
    double *positions;
    int *triangles;
} SnTestSoup;

// An octahedron whose faces are cut n times along each edge, blown up to a sphere of radius 1
// around `centre`, facing out: 8 n^2 triangles. Vertices are not shared.
SnTestSoup sn_test_sphere(int n, const double centre[3]);

// The cube [-1, 1]^3 facing out, 12 triangles.
SnTestSoup sn_test_cube(void);

// Triangles with corners anywhere in the unit cube and edges of about `size`.
SnTestSoup sn_test_random_soup(int count, double size, uint64_t seed);

// Both, one after the other; the second turned inside out where asked. Frees neither.
SnTestSoup sn_test_soup_join(const SnTestSoup *a, const SnTestSoup *b, int turn_second);

void sn_test_soup_free(SnTestSoup *soup);

#endif
