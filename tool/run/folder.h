// The folder of a run and the names in it:
//
//     probes.csv  contact_sheet.png  animation.glb  checkpoint  plots/PROBE.svg
//     BODY.pvd  BODY.pc2  frames/BODY.000012.vtu|obj|ply  frames/000012.png
//     BODY.cut1.pc2  BODY.topology.obj  BODY.cut1.topology.obj of bodies that are cut
//
// Only files with such names are ever removed.
#ifndef SN_TOOL_RUN_FOLDER_H
#define SN_TOOL_RUN_FOLDER_H

#include "base/status.h"

#include <stdbool.h>

// The longest path that a run may need.
#define SN_RUN_PATH_MAX 4096

typedef struct SnRunFolder {
    char path[SN_RUN_PATH_MAX / 2];
} SnRunFolder;

// Makes the folder and those in it, parents included. A new run (`is_new`) removes what an earlier
// one left; a resumed one removes only half-written files of a killed one.
SinewStatus sn_run_folder_open(SnRunFolder *folder, const char *path, bool is_new,
                               SinewError *error);

// FOLDER/NAME.SUFFIX into `out`; characters of `name` that file systems do not like become "_".
void sn_run_folder_name(const SnRunFolder *folder, const char *name, const char *suffix,
                        char out[SN_RUN_PATH_MAX]);

// FOLDER/frames/NAME.FRAME.SUFFIX; without a name FOLDER/frames/FRAME.SUFFIX.
void sn_run_folder_frame(const SnRunFolder *folder, const char *name, int frame, const char *suffix,
                         char out[SN_RUN_PATH_MAX]);

// FOLDER/plots/NAME.svg.
void sn_run_folder_plot(const SnRunFolder *folder, const char *name, char out[SN_RUN_PATH_MAX]);

#endif
