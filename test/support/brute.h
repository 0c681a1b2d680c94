// Distances by other formulas than the library's, for tests that compare with brute force in
// double.
#ifndef SN_TEST_SUPPORT_BRUTE_H
#define SN_TEST_SUPPORT_BRUTE_H

double sn_test_segment_distance(const double a[3], const double b[3], const double p[3]);

// From the triangle's plane where p projects into it, else from its edges. Corners are nine
// doubles.
double sn_test_triangle_distance(const double corners[9], const double p[3]);

#endif
