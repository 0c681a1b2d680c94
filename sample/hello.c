// sample_hello: a chain of three masses hangs by springs of 1 N/m; how far does each sink under a
// weight of 1 N? Answers 3, 5 and 6 m.
#include <sinew/sinew.h>

#include <stdio.h>

int main(void)
{
    // The stiffness matrix by rows, and a right-hand side xyz a mass, which the solution replaces.
    int row_start[] = {0, 2, 5, 7};
    int column[] = {0, 1, 0, 1, 2, 1, 2};
    double value[] = {2, -1, -1, 2, -1, -1, 1};
    float x[] = {0, -1, 0, 0, -1, 0, 0, -1, 0};

    SinewFactorDef def = sinew_factor_def_default();
    def.row_count = 3;
    def.row_start = row_start;
    def.column = column;
    def.value = value;
    SinewFactor *factor = NULL;
    SinewError error;
    if (sinew_factor_create(&def, &factor, &error) < 0 || // once
        sinew_factor_solve(factor, x, &error) < 0) {      // as often as you like
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("the masses sink by %g, %g and %g m\n", -(double)x[1], -(double)x[4], -(double)x[7]);
    sinew_factor_destroy(factor);
    return 0;
}
