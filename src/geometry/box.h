// Boxes along the axes: what the trees are built of and what bodies are bounded by.
#ifndef SN_GEOMETRY_BOX_H
#define SN_GEOMETRY_BOX_H

typedef struct SnBox {
    double min[3];
    double max[3];
} SnBox;

// Square of the distance from a point to a box; 0 inside.
static inline double sn_box_distance_squared(const SnBox *box, const double p[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double below = box->min[k] - p[k];
        double above = p[k] - box->max[k];
        double d = below > above ? below : above;
        d = d > 0.0 ? d : 0.0;
        sum += d * d;
    }
    return sum;
}

// A box that holds nothing yet, and the smallest one that holds another too.
static inline SnBox sn_box_empty(void)
{
    return (SnBox){{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
}

static inline void sn_box_add_point(SnBox *box, const double p[3])
{
    for (int k = 0; k < 3; ++k) {
        box->min[k] = p[k] < box->min[k] ? p[k] : box->min[k];
        box->max[k] = p[k] > box->max[k] ? p[k] : box->max[k];
    }
}

static inline void sn_box_add(SnBox *box, const SnBox *other)
{
    for (int k = 0; k < 3; ++k) {
        box->min[k] = other->min[k] < box->min[k] ? other->min[k] : box->min[k];
        box->max[k] = other->max[k] > box->max[k] ? other->max[k] : box->max[k];
    }
}

static inline double sn_box_longest_side(const SnBox *box)
{
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        double side = box->max[k] - box->min[k];
        longest = side > longest ? side : longest;
    }
    return longest;
}

// The largest size of a coordinate in it, which says how much its roundings are.
static inline double sn_box_reach(const SnBox *box)
{
    double most = 0.0;
    for (int k = 0; k < 3; ++k) {
        most = -box->min[k] > most ? -box->min[k] : most;
        most = box->max[k] > most ? box->max[k] : most;
    }
    return most;
}

#endif
