// A body given by its signed distance: negative inside, positive outside, in metres. Meshers and
// grids take this callback with a box around the body; it is called from many threads at once.
#ifndef SN_GEOMETRY_SIGNED_FN_H
#define SN_GEOMETRY_SIGNED_FN_H

typedef double SnSignedFn(void *context, const double p[3]);

#endif
