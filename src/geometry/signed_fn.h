// A signed function of space that describes a body: negative inside, positive outside.
#ifndef SN_GEOMETRY_SIGNED_FN_H
#define SN_GEOMETRY_SIGNED_FN_H

// Called from several threads at once.
typedef double SnSignedFn(void *context, const double p[3]);

#endif
