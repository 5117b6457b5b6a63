/*
 * information.h -- mutual information of the attributes of an exact two-way table, in rows times
 * nats, as an integer for private selection. SECRET: it serves private choices and nothing else.
 */
#ifndef DP_INFORMATION_H
#define DP_INFORMATION_H

#include "core/accounting/privacy_unit.h"
#include "core/exact/marginal.h"

#define DP_INFORMATION_UNIT 1024 /* scores are in 1/1024 row nats */

/* Sets *score to n I of a two-way table in 1/DP_INFORMATION_UNIT, rounded down; information.c has
 * the proof of its sensitivity. 0 for an empty table. DP_ERR_ARGUMENT: it is not two-way. */
extern DpStatus dp_marginal_information(const DpMarginal *pair, int64_t *score,
										DpArena *arena) DP_MUST_USE;
/* The sensitivity of that score, in its unit, for a privacy unit. */
extern int64_t dp_information_sensitivity(const DpUnit *unit);

#endif
