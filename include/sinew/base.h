// What every other header of Sinew uses: the version, how a call reports what went wrong, and the
// two things a host program may supply itself, its memory and its threads.
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SINEW_API __attribute__((visibility("default")))
#else
#define SINEW_API
#endif

// Semantic version of these headers. sinew_version() tells the version of the linked library.
#define SINEW_VERSION_MAJOR 0
#define SINEW_VERSION_MINOR 1
#define SINEW_VERSION_PATCH 0

// What a call answers. Zero is done. A positive status means that the result is usable but that the
// report deserves a look. A negative one means that nothing happened: outputs are NULL or
// untouched.
typedef enum SinewStatus {
    SINEW_OK = 0,
    SINEW_NOT_CONVERGED = 1,       // an iteration stopped before it reached its tolerance
    SINEW_INVERTED = 2,            // an equilibrium was found in which elements are inside out
    SINEW_ERROR_ARGUMENT = -1,     // a value given by the caller is out of its range
    SINEW_ERROR_MEMORY = -2,       // the allocator returned NULL, or a size does not fit
    SINEW_ERROR_FILE = -3,         // a file cannot be read or understood
    SINEW_ERROR_NOT_DEFINITE = -4, // a matrix that must be positive definite is not
    SINEW_ERROR_UNSUPPORTED = -5,  // this machine, this build or this model has no such thing
    SINEW_ERROR_DIVERGED = -6, // a simulation has no acceptable next state; the last one is kept
    SINEW_ERROR_WRITE = -7     // a file cannot be written: disk full, no such folder, no right
} SinewStatus;

// The sentence a person needs, filled by a call that fails or answers SINEW_INVERTED. It is left
// alone by all others.
typedef struct SinewError {
    SinewStatus status; // what the call returned
    int64_t index;      // the row, vertex or line that the text speaks of; -1 when it names none
    char text[240];     // one sentence, no line break, always terminated
} SinewError;

// Memory supplied by the host. All zero means aligned malloc and free.
// `allocate` returns `size` bytes aligned to `alignment` (a power of two, at most 64), or NULL.
// `release` gets back what `allocate` returned, with the same size. Both may be called from any
// thread that calls Sinew, never from inside a parallel loop.
typedef struct SinewAllocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} SinewAllocator;

// A task system supplied by the host. All zero means Sinew's own threads.
// `run` calls task(argument, i) once for each i in [0, count), on any threads in any order, and
// returns when all have returned. Results do not depend on how it spreads them.
typedef struct SinewTasks {
    void (*run)(void *context, int count, void (*task)(void *argument, int index), void *argument);
    void *context;
} SinewTasks;

// How far results repeat. They are the same bits for any number of threads and from run to run in
// either case.
typedef enum SinewDeterminism {
    SINEW_FAST = 0,    // the quickest instruction set of this machine; another set may differ in
                       // last bits, another processor with the same set does not
    SINEW_PORTABLE = 1 // the same bits on every instruction set and with every compiler, slower
} SinewDeterminism;

// Version of the linked library, such as "0.1.0". Never NULL, lives as long as the program.
SINEW_API const char *sinew_version(void);

// A short name for a status, such as "not positive definite". Never NULL, also for unknown values.
SINEW_API const char *sinew_status_text(SinewStatus status);

#ifdef __cplusplus
}
#endif

#endif
