#include "tool/picture/cut.h"

int sn_cut_clip(const SnCut *cut, const SnVec3 corners[3], SnVec3 out_corners[6])
{
    SnVec3 kept[4];
    int count = 0;
    for (int c = 0; c < 3; ++c) {
        SnVec3 from = corners[c];
        SnVec3 to = corners[(c + 1) % 3];
        float a = sn_cut_height(cut, from);
        float b = sn_cut_height(cut, to);
        if (!(a > 0.0f)) {
            kept[count++] = from;
        }
        if ((a > 0.0f) != (b > 0.0f)) {
            kept[count++] = sn_vec3_mix(from, to, a / (a - b));
        }
    }
    if (count < 3) {
        return 0;
    }
    for (int c = 0; c < 3; ++c) {
        out_corners[c] = kept[c];
        out_corners[3 + c] = kept[count == 4 ? (c + 2) % 4 : c];
    }
    return count - 2;
}
