// The swinging armadillo S1 of the validation set by `split`, against two other codes. Built where
// its mesh is, see SINEW_MESHES in test/CMakeLists.txt.
#include "support/split_checks.h"
#include "support/test.h"

static void swings_as_the_reference(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    sn_split_check_swing(&def);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(swings_as_the_reference),
};

SN_TEST_GROUP(model_split_swing, tests);
