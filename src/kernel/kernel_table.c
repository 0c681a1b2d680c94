#include "kernel/kernel_table.h"

#include "kernel/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const SnKernels sn_kernels_ref;
// A build may leave variants of x86-64 out, see SINEW_KERNELS in CMakeLists.txt. A rung without its
// fast variant does not run. One without its portable variant takes the reference, which has the
// same bits.
#if defined(__x86_64__)
extern const SnKernels sn_kernels_sse2_portable;
extern const SnKernels sn_kernels_avx2_portable;
extern const SnKernels sn_kernels_avx2_fast;
extern const SnKernels sn_kernels_avx512_portable;
extern const SnKernels sn_kernels_avx512_fast;
#if defined(SN_WITHOUT_SSE2_PORTABLE)
#define SSE2_PORTABLE NULL
#else
#define SSE2_PORTABLE &sn_kernels_sse2_portable
#endif
#if defined(SN_WITHOUT_AVX2_PORTABLE)
#define AVX2_PORTABLE &sn_kernels_ref
#else
#define AVX2_PORTABLE &sn_kernels_avx2_portable
#endif
#if defined(SN_WITHOUT_AVX2_FAST)
#define AVX2_FAST NULL
#else
#define AVX2_FAST &sn_kernels_avx2_fast
#endif
#if defined(SN_WITHOUT_AVX512_PORTABLE)
#define AVX512_PORTABLE &sn_kernels_ref
#else
#define AVX512_PORTABLE &sn_kernels_avx512_portable
#endif
#if defined(SN_WITHOUT_AVX512_FAST)
#define AVX512_FAST NULL
#else
#define AVX512_FAST &sn_kernels_avx512_fast
#endif
#elif defined(__aarch64__)
extern const SnKernels sn_kernels_neon_portable;
extern const SnKernels sn_kernels_neon_fast;
#elif defined(__wasm_simd128__)
extern const SnKernels sn_kernels_wasm_portable;
#endif

typedef struct Row {
    const char *name;
    const SnKernels *fast; // NULL: this program was built without it
    const SnKernels *portable;
} Row;

static const Row rows[SN_ISA_COUNT] = {
    [SN_ISA_REF] = {"ref", &sn_kernels_ref, &sn_kernels_ref},
#if defined(__x86_64__)
    [SN_ISA_SSE2] = {"sse2", SSE2_PORTABLE, SSE2_PORTABLE},
    [SN_ISA_AVX2] = {"avx2", AVX2_FAST, AVX2_PORTABLE},
    [SN_ISA_AVX512] = {"avx512", AVX512_FAST, AVX512_PORTABLE},
#else
    [SN_ISA_SSE2] = {"sse2", NULL, NULL},
    [SN_ISA_AVX2] = {"avx2", NULL, NULL},
    [SN_ISA_AVX512] = {"avx512", NULL, NULL},
#endif
#if defined(__aarch64__)
    [SN_ISA_NEON] = {"neon", &sn_kernels_neon_fast, &sn_kernels_neon_portable},
#else
    [SN_ISA_NEON] = {"neon", NULL, NULL},
#endif
#if defined(__wasm_simd128__)
    [SN_ISA_WASM] = {"wasm", &sn_kernels_wasm_portable, &sn_kernels_wasm_portable},
#else
    [SN_ISA_WASM] = {"wasm", NULL, NULL},
#endif
};

bool sn_isa_runs(SnIsa isa)
{
    if (rows[isa].fast == NULL) {
        return false;
    }
    switch (isa) {
    case SN_ISA_AVX2:
        return sn_cpu_has_avx2();
    case SN_ISA_AVX512:
        return sn_cpu_has_avx512();
    default:
        return true;
    }
}

const char *sn_isa_name(SnIsa isa)
{
    return rows[isa].name;
}

const SnKernels *sn_kernels_of(SnIsa isa, SnDeterminism determinism)
{
    return determinism == SN_PORTABLE_BITS ? rows[isa].portable : rows[isa].fast;
}

// "ref, sse2, avx2", for the sentence that refuses a name.
static void list_runnable(char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa) && length < size) {
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       rows[isa].name);
        }
    }
}

SinewStatus sn_kernels_pick(SnDeterminism determinism, const SnKernels **out_kernels,
                            SinewError *error)
{
    *out_kernels = NULL;
    const char *wanted = getenv("SINEW_ISA");
    if (wanted != NULL && wanted[0] == '\0') {
        wanted = NULL;
    }
    for (int isa = SN_ISA_COUNT - 1; isa >= 0; --isa) {
        bool fits = wanted == NULL || strcmp(wanted, rows[isa].name) == 0;
        if (fits && sn_isa_runs((SnIsa)isa)) {
            *out_kernels = sn_kernels_of((SnIsa)isa, determinism);
            return SINEW_OK;
        }
    }
    char runnable[64];
    list_runnable(runnable, sizeof runnable);
    return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                   "SINEW_ISA is \"%.32s\", expected one that this machine runs: %s", wanted,
                   runnable);
}
