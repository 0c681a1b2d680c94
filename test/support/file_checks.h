// What tests of writers ask of files: their bytes, a folder of their own, and a disk that is full.
#ifndef SN_TEST_SUPPORT_FILE_CHECKS_H
#define SN_TEST_SUPPORT_FILE_CHECKS_H

#include <stddef.h>

// A fresh folder for a test, as cmocka's setup and teardown; the teardown fails when a temporary
// file (.part) was left behind, and removes all others.
int sn_test_folder_make(void **state);
int sn_test_folder_remove(void **state);

// The path of a file in that folder. Four of these can be in use at a time.
const char *sn_test_path(const char *name);

// All bytes of a file, terminated with a zero beyond its size; the test fails if there is none. To
// be freed with free().
char *sn_test_load(const char *path, size_t *out_size);

// The two files have the same bytes.
void sn_test_expect_same_file(const char *a, const char *b);

// From now on no file may grow beyond `size` bytes, as on a disk that is full; and no longer.
void sn_test_disk_full(long size);
void sn_test_disk_free(void);

#endif
