// Angles without libm, whose last bits differ between machines: the angle of a plane vector, and
// points on the unit circle at whole fractions of a turn or at any angle in degrees. All are within
// 4e-16 of the true value.
#ifndef SN_MATH_ANGLE_H
#define SN_MATH_ANGLE_H

#define SN_PI 3.14159265358979323846

// The angle of (x, y) against the x axis, in (-pi, pi]; 0 for the zero vector.
double sn_angle_of(double x, double y);

// Cosine and sine of 2 pi index / count. Points that mirror each other do so to the last bit, and
// quarters of a turn are exact. `count` is positive, `index` in [0, count].
void sn_circle_point(int index, int count, double out[2]);

// Cosine and sine of an angle in degrees, each within one unit in its last place; multiples of 90
// are exact, and so is the sine of 30. Sizes up to SN_DEGREES_MAX: beyond, quarters of a turn
// cannot be taken off without rounding.
void sn_circle_degrees(double degrees, double out[2]);

#define SN_DEGREES_MAX 1e15

#endif
