// What `sinew info` says of a tet mesh: counts, regions, angles, and what its reader met.
#ifndef SN_TOOL_INFO_TETS_H
#define SN_TOOL_INFO_TETS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

// Reads the file and prints a table for people, or one JSON document.
SinewStatus sn_info_tets_show(const char *path, bool json, FILE *file, SinewError *error);

#endif
