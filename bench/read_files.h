// geometry.read_ply and geometry.read_msh: how fast large binary files are read once the system has
// them in memory. The bench writes each file itself, into a folder of its own for temporary files,
// and removes it.
#ifndef SN_BENCH_READ_FILES_H
#define SN_BENCH_READ_FILES_H

#include "bench/bench.h"

typedef enum SnReadFile { SN_READ_PLY, SN_READ_MSH } SnReadFile;

// MB (10^6 bytes of the file) a second, with one thread. The limit is that of memory: the file is
// read and the mesh written once, at the bandwidths that were measured. Beside it stands
// `page_cache`, MB a second of plain read() calls of the same file. The file has 512 MB, 64 where
// the bench is quick, less where memory or disk are short (`file_mb` says how many), and the entry
// is skipped where there is not even room for 16.
SinewStatus sn_bench_read_file(const SnBench *bench, const SnBenchEntry *entry, SnReadFile kind,
                               SnBenchResult *out_result, SinewError *error);

#endif
