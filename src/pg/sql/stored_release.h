/*
 * stored_release.h -- counts that a stored release of the relation answers at least as well as a release
 * of their own would. Post-processing, in the caller's backend.
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
	DpGroupAnswer *count;  /* by the groups in that order, row-major */
} DpReleasedCounts;

/* The newest such release that the current user may read, and that is not too old; NULL: there is
 * none. */
extern DpReleasedCounts *dp_released_counts(const DpQuestionPlan *plan, const DpAskFor *ask);
/* The place of a group in count, by its codes. */
extern uint64 dp_released_cell(const DpReleasedCounts *counts, const uint32 *codes);

#endif
