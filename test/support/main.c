// sinew_test [GROUP]: runs the named group of tests, or all; with --list prints their names, with
// --isa those of the instruction sets that this machine runs.
#include "support/test.h"

#include "kernel/kernel_table.h"

static SnTestGroup *groups;

void sn_test_register(SnTestGroup *group)
{
    SnTestGroup **place = &groups;
    while (*place != NULL && strcmp((*place)->name, group->name) < 0) {
        place = &(*place)->next;
    }
    group->next = *place;
    *place = group;
}

int sn_test_share(int count)
{
    const char *text = getenv("SINEW_TEST_SHARE");
    int share = text == NULL ? 1 : atoi(text);
    int cases = share > 1 ? count / share : count;
    return cases > 0 ? cases : 1;
}

bool sn_test_is_slow(void)
{
    return sn_test_share(10) == 1;
}

static void list_instruction_sets(void)
{
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            puts(sn_isa_name((SnIsa)isa));
        }
    }
}

int main(int argument_count, char **arguments)
{
    const char *wanted = argument_count > 1 ? arguments[1] : NULL;
    if (wanted != NULL && strcmp(wanted, "--isa") == 0) {
        list_instruction_sets();
        return 0;
    }
    int failures = 0;
    bool found = false;
    for (SnTestGroup *group = groups; group != NULL; group = group->next) {
        if (wanted != NULL && strcmp(wanted, "--list") == 0) {
            puts(group->name);
            found = true;
        } else if (wanted == NULL || strcmp(wanted, group->name) == 0) {
            failures +=
                _cmocka_run_group_tests(group->name, group->tests, group->count, NULL, NULL);
            found = true;
        }
    }
    if (!found) {
        fprintf(stderr, "sinew_test: no group \"%s\"; sinew_test --list names them\n",
                wanted == NULL ? "" : wanted);
        return 2;
    }
    return failures == 0 ? 0 : 1;
}
