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
#include "pg/sample/store.h"

typedef struct DpCondition
{
	const DpDomain *domain;
	Oid relation;   /* its columns have their collations; InvalidOid: it is not there any more */
	DpGiven given;  /* its weights are NULL for columns that are not named */
	bool any;       /* whether a column is named */
	bool *prorated; /* [attributes] whether a range cuts a bin */
	/* [attributes][levels] bins with rows between two values of their grid of which an end of the
	 * range takes a part, whatever their weight is; NULL: there are none */
	bool **between;
	const char **low;  /* [attributes] of a range: its ends as texts of the column's type; */
	const char **high; /* NULL: it has none */
	bool *closed;      /* [attributes] whether the upper end belongs to the range */
	int64 *first;      /* [attributes] of bins that were found on a grid: the coordinates that */
	int64 *last;       /* belong to the range */
} DpCondition;

/* Reads a predicate (predicate.h) on the columns of a release; NULL: none. ERROR for a column that is
 * not modelled and for what is no level of its column. */
extern void dp_condition_read(const DpStored *stored, Jsonb *json, DpCondition *condition);
/* The same with nothing said yet, and one column's level given. */
extern void dp_condition_start(const DpDomain *domain, DpCondition *condition);
extern void dp_condition_fix(DpCondition *condition, uint32 attribute, uint32 level);
/* The number of a column of a release by its name. ERROR if it has none that is called so. */
extern uint32 dp_released_column(const DpDomain *domain, const char *name);
/* What the core takes: NULL where no column is named. */
extern const DpGiven *dp_condition_given(const DpCondition *condition);
/* The level of a value, as its type prints it, under the collation of its column; "other" if it has
 * one; -1: there is none. */
extern int64 dp_level_of_value(const DpAttribute *attribute, Oid collation, const char *text);

#endif
