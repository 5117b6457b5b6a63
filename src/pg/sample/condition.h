/*
 * condition.h -- a predicate as a condition on the columns of a model.
 *
 * Post-processing: it reads the caller's words and the public domain of a release.
 */
#ifndef DPSYN_CONDITION_H
#define DPSYN_CONDITION_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

#include "core/domain/given.h"

typedef struct DpCondition
{
	const DpDomain *domain;
	DpGiven given;     /* its weights are NULL for columns that are not named */
	bool any;          /* whether a column is named */
	bool *prorated;    /* [attributes] whether a range cuts a bin */
	const char **low;  /* [attributes] of a range: its ends as texts of the column's type; */
	const char **high; /* NULL: it has none */
	bool *closed;      /* [attributes] whether the upper end belongs to the range */
	int64 *first;      /* [attributes] of bins that were found on a grid: the coordinates that */
	int64 *last;       /* belong to the range */
} DpCondition;

/* Reads a predicate (predicate.h); NULL: none. ERROR for a column that is not modelled and for what is
 * no level of its column. */
extern void dp_condition_read(const DpDomain *domain, Jsonb *json, DpCondition *condition);
/* The same with nothing said yet, and one column's level given. */
extern void dp_condition_start(const DpDomain *domain, DpCondition *condition);
extern void dp_condition_fix(DpCondition *condition, uint32 attribute, uint32 level);
/* The number of a column of a release by its name. ERROR if it has none that is called so. */
extern uint32 dp_released_column(const DpDomain *domain, const char *name);
/* What the core takes: NULL where no column is named. */
extern const DpGiven *dp_condition_given(const DpCondition *condition);
/* The level of a value, as its type prints it; "other" if it has one; -1: there is
 * none. */
extern int64 dp_level_of_value(const DpAttribute *attribute, const char *text);

#endif
