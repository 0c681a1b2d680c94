// The known word nearest to one that was mistyped, for sentences that refuse it.
#ifndef SN_BASE_NEAREST_H
#define SN_BASE_NEAREST_H

// How many single-letter changes lead from one word to the other: a letter added, left out or
// replaced, or two neighbours exchanged. Of longer words the first 63 letters count.
int sn_word_distance(const char *a, const char *b);

// Index of the known word nearest to `word`, the first of equals, where it resembles it: at most a
// third of the letters of the longer one differ, or one of them begins with the other's three
// letters or more. -1: none does.
int sn_resembling_word(const char *word, const char *const *known, int count);

#endif
