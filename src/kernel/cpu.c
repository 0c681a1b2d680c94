#include "kernel/cpu.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdint.h>

typedef struct Cpu {
    uint32_t leaf1_ecx;
    uint32_t leaf7_ebx;
    uint32_t saved; // XCR0: register sets that the operating system saves
} Cpu;

enum {
    FMA = 1 << 12,
    OSXSAVE = 1 << 27,
    AVX2 = 1 << 5,
    AVX512_F = 1 << 16,
    AVX512_DQ = 1 << 17,
    AVX512_BW = 1 << 30,
    SAVES_YMM = 0x06, // xmm and the upper halves of ymm
    SAVES_ZMM = 0xe6  // those, the masks, the upper halves of zmm, and zmm16 to zmm31
};
static const uint32_t AVX512_VL = 1u << 31;

static bool has(uint32_t word, uint32_t bits)
{
    return (word & bits) == bits;
}

static Cpu read_cpu(void)
{
    Cpu cpu = {0};
    uint32_t a = 0;
    uint32_t b = 0;
    uint32_t c = 0;
    uint32_t d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
        cpu.leaf1_ecx = c;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
        cpu.leaf7_ebx = b;
    }
    if (has(cpu.leaf1_ecx, OSXSAVE)) {
        uint32_t high;
        __asm__("xgetbv" : "=a"(cpu.saved), "=d"(high) : "c"(0));
    }
    return cpu;
}

bool sn_cpu_has_avx2(void)
{
    Cpu cpu = read_cpu();
    return has(cpu.leaf1_ecx, FMA) && has(cpu.leaf7_ebx, AVX2) && has(cpu.saved, SAVES_YMM);
}

bool sn_cpu_has_avx512(void)
{
    Cpu cpu = read_cpu();
    return sn_cpu_has_avx2() && has(cpu.leaf7_ebx, AVX512_F | AVX512_DQ | AVX512_BW | AVX512_VL) &&
           has(cpu.saved, SAVES_ZMM);
}

#else

bool sn_cpu_has_avx2(void)
{
    return false;
}

bool sn_cpu_has_avx512(void)
{
    return false;
}

#endif
