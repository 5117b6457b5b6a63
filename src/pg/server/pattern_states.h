/*
 * pattern_states.h -- the size of a regular expression, by its words alone.
 */
#ifndef DPSYN_PATTERN_STATES_H
#define DPSYN_PATTERN_STATES_H

#include "pg/server/compat.h"

/*
 * How many states a regular expression has: one for each thing that it names, as often as a count
 * behind it says. Of groups in one another the counts multiply. INFINITY: a back reference makes
 * PostgreSQL try each way to match, whose number nothing bounds. looks: how many groups that look
 * ahead or behind are in one another, each of which reads the text again from every place.
 */
extern double dp_pattern_states(const char *words, int *looks);

#endif
