/*
 * stored_release.h -- counts from a stored release of the relation that are at least as accurate as
 * those of a new release. Post-processing, in the caller's backend.
 */
#ifndef DPSYN_STORED_RELEASE_H
#define DPSYN_STORED_RELEASE_H

#include "pg/server/compat.h"

#include "core/estimate/measured.h"
#include "pg/sample/store.h"
#include "pg/sql/question_plan.h"

typedef struct DpReleasedCounts
{
	int64 release;
	TimestampTz at;
	DpStored *stored;
	uint32 *by;            /* [groups of the question] attribute of the release */
	DpAttributeSet sorted; /* the same, ascending */
	DpGroupAnswer *count;  /* in row-major order of the groups */
} DpReleasedCounts;

/* The newest matching release that the current user may read and that is not too old, or NULL. */
extern DpReleasedCounts *dp_released_counts(const DpQuestionPlan *plan, const DpAskFor *ask);
/* The index of a group in count, from its codes. */
extern uint64 dp_released_cell(const DpReleasedCounts *counts, const uint32 *codes);

#endif
