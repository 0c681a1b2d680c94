#include "solve/ordering.h"

#if defined(SN_ORDERINGS)
#include <amd.h>
#include <metis.h>
#if !defined(SN_NO_THREADS)
#include <pthread.h>
#endif
#endif

bool sn_ordering_available(void)
{
#if defined(SN_ORDERINGS)
    return true;
#else
    return false;
#endif
}

static void order_naturally(const SnSparse *pattern, int *order)
{
    for (int i = 0; i < pattern->count; ++i) {
        order[i] = i;
    }
}

#if defined(SN_ORDERINGS)

// METIS draws from the process' one rand(): two threads that order at the same time would each get
// a part of the other's numbers, and an order that changes from run to run. One at a time, then,
// since each begins with its seed.
static int dissect(idx_t *count, idx_t *start, idx_t *neighbour, idx_t *order, idx_t *place)
{
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1; // the same order on every run
#if !defined(SN_NO_THREADS)
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&turn);
#endif
    int answer = METIS_NodeND(count, start, neighbour, NULL, options, order, place);
#if !defined(SN_NO_THREADS)
    pthread_mutex_unlock(&turn);
#endif
    return answer;
}

// METIS wants the graph without its diagonal.
static SinewStatus order_by_metis(const SnSparse *pattern, const SinewAllocator *allocator,
                                  int *order, SinewError *error)
{
    static_assert(sizeof(idx_t) == sizeof(int), "METIS counts in int");
    SinewStatus status = SINEW_OK;
    int count = pattern->count;
    int *start = NULL;
    int *neighbour = NULL;
    int *place = NULL;
    SN_ALLOC(start, allocator, count + 1, error);
    SN_ALLOC(neighbour, allocator, pattern->row_start[count], error);
    SN_ALLOC(place, allocator, count, error);
    int used = 0;
    for (int i = 0; i < count; ++i) {
        start[i] = used;
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; ++e) {
            if (pattern->column[e] != i) {
                neighbour[used++] = pattern->column[e];
            }
        }
    }
    start[count] = used;
    if (used == 0) {
        order_naturally(pattern, order); // METIS refuses a graph without edges
        goto done;
    }
    int answer = dissect(&count, start, neighbour, order, place);
    if (answer != METIS_OK) {
        status =
            sn_fail(error, answer == METIS_ERROR_MEMORY ? SINEW_ERROR_MEMORY : SINEW_ERROR_ARGUMENT,
                    "METIS could not order %d rows (code %d)", count, answer);
    }
done:
    sn_free(allocator, start);
    sn_free(allocator, neighbour);
    sn_free(allocator, place);
    return status;
}

static SinewStatus order_by_amd(const SnSparse *pattern, int *order, SinewError *error)
{
    int answer = amd_order(pattern->count, pattern->row_start, pattern->column, order, NULL, NULL);
    if (answer != AMD_OK && answer != AMD_OK_BUT_JUMBLED) {
        return sn_fail(error,
                       answer == AMD_OUT_OF_MEMORY ? SINEW_ERROR_MEMORY : SINEW_ERROR_ARGUMENT,
                       "AMD could not order %d rows (code %d)", pattern->count, answer);
    }
    return SINEW_OK;
}

#endif

SinewStatus sn_ordering_compute(const SnSparse *pattern, SnOrdering ordering,
                                const SinewAllocator *allocator, int *order, SinewError *error)
{
    if (ordering == SN_ORDERING_NATURAL) {
        order_naturally(pattern, order);
        return SINEW_OK;
    }
#if defined(SN_ORDERINGS)
    if (ordering == SN_ORDERING_AMD) {
        return order_by_amd(pattern, order, error);
    }
    return order_by_metis(pattern, allocator, order, error);
#else
    (void)allocator;
    return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                   "this build holds neither METIS nor AMD; give a permutation or take the natural "
                   "order");
#endif
}
