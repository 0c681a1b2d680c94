#include "base/nearest.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { LENGTH_MAX = 63 };

static int length_of(const char *word)
{
    size_t length = strlen(word);
    return length > LENGTH_MAX ? LENGTH_MAX : (int)length;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int sn_word_distance(const char *a, const char *b)
{
    int rows = length_of(a);
    int columns = length_of(b);
    // cost[i][j]: from the first i letters of a to the first j of b.
    int cost[LENGTH_MAX + 1][LENGTH_MAX + 1];
    for (int i = 0; i <= rows; ++i) {
        cost[i][0] = i;
    }
    for (int j = 0; j <= columns; ++j) {
        cost[0][j] = j;
    }
    for (int i = 1; i <= rows; ++i) {
        for (int j = 1; j <= columns; ++j) {
            int replaced = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            int skipped = least(cost[i - 1][j], cost[i][j - 1]) + 1;
            cost[i][j] = least(replaced, skipped);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[rows][columns];
}

// True when a typing error may lead from one word to the other.
static bool resembles(const char *a, const char *b)
{
    int shorter = least(length_of(a), length_of(b)), longer = length_of(a) + length_of(b) - shorter;
    bool begins = shorter >= 3 && strncmp(a, b, (size_t)shorter) == 0;
    int distance = sn_word_distance(a, b);
    return begins || 3 * distance <= longer || (distance == 1 && longer >= 2 && shorter == longer);
}

int sn_resembling_word(const char *word, const char *const *known, int count)
{
    int nearest = -1;
    int shortest = INT_MAX;
    for (int k = 0; k < count; ++k) {
        int distance = sn_word_distance(word, known[k]);
        if (distance < shortest && resembles(word, known[k])) {
            shortest = distance;
            nearest = k;
        }
    }
    return nearest;
}
