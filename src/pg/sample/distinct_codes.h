/*
 * distinct_codes.h -- levels by which the rows of one parent differ: what is left of them for the
 * next row.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 *
 * A level has capacity for as many rows as it has values: a category for one, a bin of three years for
 * three. What is used up is removed when a row is drawn (conditional_sampler.h), so that the other
 * levels keep their proportions. Values inside bins are looked at when they are (distinct_rows.h).
 */
#ifndef DPSYN_DISTINCT_CODES_H
#define DPSYN_DISTINCT_CODES_H

#include "pg/server/compat.h"

#include "core/sample/conditional_sampler.h"
#include "pg/sample/store.h"

typedef struct DpDistinctCodes DpDistinctCodes;

/* How many different values a level has; UINT32_MAX: more than rows can use up. */
extern uint32 dp_level_capacity(const DpAttribute *attribute, uint32 code, bool nulls_equal);

/* Of a part of a release. */
extern DpDistinctCodes *dp_distinct_codes_create(const DpStored *stored);
/* How many rows one parent can have. */
extern uint32 dp_distinct_codes_most(const DpDistinctCodes *distinct);
/* Before a row is drawn: removes what is used up by the `before` rows of the parent that stand
 * right before these codes. */
extern void dp_distinct_codes_remove(DpDistinctCodes *distinct, DpConditionalSampler *sampler,
									 const uint32 *codes, uint32 before);
/* After it is drawn: any level may come again. */
extern void dp_distinct_codes_restore(DpDistinctCodes *distinct, DpConditionalSampler *sampler);
/* Whether a row that was drawn takes what is used up. */
extern bool dp_distinct_codes_repeat(const DpDistinctCodes *distinct, const uint32 *codes,
									 uint32 before);
/* Gives such a row any levels that are left. */
extern void dp_distinct_codes_choose(const DpDistinctCodes *distinct, uint32 *codes, uint32 before,
									 DpPrng *prng);

#endif
