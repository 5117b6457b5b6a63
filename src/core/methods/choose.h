/*
 * choose.h -- which method a release takes when its caller names none: one rule,
 * of public facts alone. docs/choosing.md has the measurements that it follows.
 */
#ifndef DP_CHOOSE_H
#define DP_CHOOSE_H

#include "method.h"

#define DP_CHOICES_MAX 16

/* Where a number of rows comes from. Never the relation itself. */
typedef enum DpRowsSource
{
	DP_ROWS_UNKNOWN = 0, /* rows is 0 */
	DP_ROWS_STATED,      /* by the caller */
	DP_ROWS_RELEASED     /* by an earlier release, with noise unless it is public */
} DpRowsSource;

typedef struct DpChoiceFacts
{
	const DpRequest *request; /* domain, unit, budget */
	uint64_t rows;            /* of the relation, to the order of magnitude */
	DpRowsSource source;
} DpChoiceFacts;

typedef struct DpChoice
{
	const DpMethod *method;
	char reason[320]; /* a sentence with the facts that decided */
} DpChoice;

/*
 * The methods that suit, best first, of those that this library has: the caller
 * takes the first whose dp_plan succeeds (a limit or an open column can stand
 * against one). choice[DP_CHOICES_MAX]; returns how many, >= 1.
 */
extern uint32_t dp_choose_methods(const DpChoiceFacts *facts, DpChoice *choice);

#endif
