// Rotations of 3x3 matrices in double precision: the truth that the float kernels are measured
// against, by other algorithms than theirs.
#ifndef SN_MATH_ROTATION_REFERENCE_H
#define SN_MATH_ROTATION_REFERENCE_H

// F = U diag(sigma) V^T, row-major, U and V rotations, |sigma| decreasing, the last one negative
// where det F < 0. One-sided Jacobi: columns of F are turned against each other until they are
// orthogonal to rounding. F must be finite.
void sn_svd_reference(const double F[9], double out_U[9], double out_sigma[3], double out_V[9]);

// The rotation closest to F, U V^T of the above.
void sn_rotation_reference(const double F[9], double out_R[9]);

// How strongly the closest rotation answers to a change of F, relative: |dR| / |R| over |dF| / |F|
// is at most this, infinite where the rotation is not unique.
double sn_rotation_condition(const double sigma[3]);

// The rotation of an element by energy as [D sec 3] finds it: Newton on (q, l), where l is the
// multiplier of |q|^2 = 1, a 5x5 system, from the unit quaternion q, for the element's A = F M.
// Returns the number of steps taken until the change was below 1e-12, or -1 when `most` steps were
// not enough or the system was singular.
int sn_rotation_energy_reference(const double A[9], int most, double q[4]);

#endif
