// A triangle seen from a point: its closest point, and the solid angle it covers. Corners are nine
// doubles, xyz each. Triangles without area are fine: a segment, or a point, that covers nothing.
#ifndef SN_GEOMETRY_TRIANGLE_POINT_H
#define SN_GEOMETRY_TRIANGLE_POINT_H

// Square of the distance from p to the triangle, and the three weights of its nearest point, which
// add up to one. Roundings are those of the way from p to the corners, however far both are from
// the origin; where a corner is nearest, the square is that of p minus the corner.
double sn_triangle_closest(const double corners[9], const double p[3], double out_weights[3]);

// The point of given weights.
static inline void sn_triangle_point(const double corners[9], const double weights[3],
                                     double out_point[3])
{
    for (int k = 0; k < 3; ++k) {
        out_point[k] =
            weights[0] * corners[k] + weights[1] * corners[3 + k] + weights[2] * corners[6 + k];
    }
}

// A sum of many angles that takes one arctangent in all: angles are multiplied up as complex
// numbers, and whole turns are counted as the product passes the negative real axis.
typedef struct SnTurn {
    double re;
    double im;
    int turns;
} SnTurn;

static inline SnTurn sn_turn_zero(void)
{
    return (SnTurn){1.0, 0.0, 0};
}

// Adds half the solid angle under which p sees the triangle, positive from behind: where its
// corners run clockwise. A point on the triangle itself may see either half.
void sn_turn_add_triangle(SnTurn *turn, const double corners[9], const double p[3]);

// The sum, in whole turns of 2 pi.
double sn_turn_value(const SnTurn *turn);

#endif
