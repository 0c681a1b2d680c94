#include "support/test.h"

#include "kernel/cpu.h"
#include "kernel/kernel_table.h"

// The environment that the program came with is put back after each test.
static int save_environment(void **state)
{
    const char *value = getenv("SINEW_ISA");
    *state = value == NULL ? NULL : strdup(value);
    return 0;
}

static int restore_environment(void **state)
{
    if (*state == NULL) {
        return unsetenv("SINEW_ISA");
    }
    int result = setenv("SINEW_ISA", *state, 1);
    free(*state);
    return result;
}

static SnIsa widest(void)
{
    for (int isa = SN_ISA_COUNT - 1; isa > 0; --isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            return (SnIsa)isa;
        }
    }
    return SN_ISA_REF;
}

static void the_reference_runs_everywhere(void **state)
{
    (void)state;
    assert_true(sn_isa_runs(SN_ISA_REF));
    assert_string_equal(sn_isa_name(SN_ISA_REF), "ref");
}

static void a_rung_runs_where_the_processor_does(void **state)
{
    (void)state;
#if defined(__x86_64__)
#if !defined(SN_WITHOUT_SSE2_PORTABLE)
    assert_true(sn_isa_runs(SN_ISA_SSE2));
#endif
#if !defined(SN_WITHOUT_AVX2_FAST)
    assert_int_equal(sn_isa_runs(SN_ISA_AVX2), sn_cpu_has_avx2());
#endif
#if !defined(SN_WITHOUT_AVX512_FAST)
    assert_int_equal(sn_isa_runs(SN_ISA_AVX512), sn_cpu_has_avx512());
#endif
    assert_false(sn_isa_runs(SN_ISA_NEON));
#elif defined(__aarch64__)
    assert_true(sn_isa_runs(SN_ISA_NEON));
    assert_false(sn_isa_runs(SN_ISA_SSE2));
#endif
    assert_true(sn_cpu_has_avx2() || !sn_cpu_has_avx512());
}

static void each_row_says_what_it_is(void **state)
{
    (void)state;
    for (int i = 0; i < SN_ISA_COUNT; ++i) {
        SnIsa isa = (SnIsa)i;
        if (!sn_isa_runs(isa)) {
            continue;
        }
        const SnKernels *portable = sn_kernels_of(isa, SN_PORTABLE_BITS);
        const SnKernels *fast = sn_kernels_of(isa, SN_FAST_BITS);
        assert_string_equal(fast->isa, sn_isa_name(isa));
        if (portable == sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS) && isa != SN_ISA_REF) {
#if !defined(SN_WITHOUT_AVX2_PORTABLE) && !defined(SN_WITHOUT_AVX512_PORTABLE)
            fail_msg("%s has no portable variant", sn_isa_name(isa));
#endif
            continue;
        }
        assert_string_equal(portable->isa, sn_isa_name(isa));
        assert_string_equal(portable->variant, "portable");
        assert_true(fast == portable || strcmp(fast->variant, "fast") == 0);
        assert_int_equal(fast->lanes, portable->lanes);
    }
}

static void the_widest_is_picked_by_default(void **state)
{
    (void)state;
    const SnDeterminism both[] = {SN_FAST_BITS, SN_PORTABLE_BITS};
    for (int i = 0; i < SN_COUNT(both); ++i) {
        const SnKernels *kernels = NULL;
        unsetenv("SINEW_ISA");
        assert_int_equal(sn_kernels_pick(both[i], &kernels, NULL), SINEW_OK);
        assert_ptr_equal(kernels, sn_kernels_of(widest(), both[i]));
        setenv("SINEW_ISA", "", 1); // as good as unset
        kernels = NULL;
        assert_int_equal(sn_kernels_pick(both[i], &kernels, NULL), SINEW_OK);
        assert_ptr_equal(kernels, sn_kernels_of(widest(), both[i]));
    }
}

// "expected one that this machine runs: ref, sse2" with each name that runs here and no other.
static void expect_refusal(const char *name)
{
    const SnKernels *kernels = sn_kernels_of(SN_ISA_REF, SN_FAST_BITS);
    SinewError error = {.status = SINEW_OK};
    setenv("SINEW_ISA", name, 1);
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, &error), SINEW_ERROR_UNSUPPORTED);
    assert_int_equal(error.status, SINEW_ERROR_UNSUPPORTED);
    assert_null(kernels);
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_ERROR_UNSUPPORTED);
    char expected[128] = "";
    snprintf(expected, sizeof expected, "SINEW_ISA is \"%.32s\", expected", name);
    assert_int_equal(strncmp(error.text, expected, strlen(expected)), 0);
    char *list = strrchr(error.text, ':');
    assert_non_null(list);
    expected[0] = '\0';
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            strcat(expected, expected[0] == '\0' ? ": " : ", ");
            strcat(expected, sn_isa_name((SnIsa)isa));
        }
    }
    assert_string_equal(list, expected);
}

static void each_rung_is_obeyed_or_refused(void **state)
{
    (void)state;
    int refused = 0;
    for (int i = 0; i < SN_ISA_COUNT; ++i) {
        SnIsa isa = (SnIsa)i;
        if (sn_isa_runs(isa)) {
            const SnKernels *kernels = NULL;
            setenv("SINEW_ISA", sn_isa_name(isa), 1);
            assert_int_equal(sn_kernels_pick(SN_PORTABLE_BITS, &kernels, NULL), SINEW_OK);
            assert_ptr_equal(kernels, sn_kernels_of(isa, SN_PORTABLE_BITS));
            assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
            assert_ptr_equal(kernels, sn_kernels_of(isa, SN_FAST_BITS));
        } else {
            expect_refusal(sn_isa_name(isa));
            ++refused;
        }
    }
    assert_true(refused > 0); // no machine is of two makers
}

static void an_unknown_name_is_refused(void **state)
{
    (void)state;
    expect_refusal("sse9");
    expect_refusal("AVX2");
    expect_refusal("avx");
    expect_refusal("ref ");
    expect_refusal("a name that is much longer than any name of an instruction set should be");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, save_environment, restore_environment)

static const struct CMUnitTest tests[] = {
    TEST(the_reference_runs_everywhere),  TEST(a_rung_runs_where_the_processor_does),
    TEST(each_row_says_what_it_is),       TEST(the_widest_is_picked_by_default),
    TEST(each_rung_is_obeyed_or_refused), TEST(an_unknown_name_is_refused),
};
SN_TEST_GROUP(kernel_table, tests);
