/*
 * choose.h -- which method a release takes when its caller names none. There is one
 * rule, which uses public facts alone and follows the measurements in docs/choosing.md.
 */
#ifndef DP_CHOOSE_H
#define DP_CHOOSE_H

#include "core/plan/method.h"

#define DP_CHOICES_MAX 16

/* The origin of a number of rows. It never comes from the relation itself. */
typedef enum DpRowsSource
{
	DP_ROWS_UNKNOWN = 0, /* rows is 0 */
	DP_ROWS_STATED,      /* by the caller */
	DP_ROWS_RELEASED     /* by an earlier release, with noise unless it is public */
} DpRowsSource;

typedef struct DpChoiceFacts
{
	const DpRequest *request; /* domain, unit, budget */
	uint64_t rows;            /* rows of the relation, to the order of magnitude */
	DpRowsSource source;
} DpChoiceFacts;

/* The rows that the rule reckons with: 10,000 where nothing tells. */
extern uint64_t dp_assumed_rows(const DpChoiceFacts *facts);

typedef struct DpChoice
{
	const DpMethod *method;
	bool
		last_resort; /* any facts suit it: it stands behind all whose facts say that they are good */
	char reason[320]; /* a sentence with the facts that decided */
} DpChoice;

/*
 * Lists the methods that suit, best first, among those that this library has. The caller
 * takes the first whose dp_plan succeeds and is not expected to take too long, and a last resort
 * only if no other's plan succeeds; a limit or an open column can make one fail.
 * choice[DP_CHOICES_MAX]; returns how many there are, >= 1.
 */
extern uint32_t dp_choose_methods(const DpChoiceFacts *facts, DpChoice *choice);

/* What is known of tables that are released together. */
typedef struct DpTreeChoiceFacts
{
	uint32_t tables;
	uint32_t columns; /* of the widest of their models, with those of ancestors; 0: not known */
	uint64_t rows;    /* of all; 0: nothing tells */
	bool delta;
} DpTreeChoiceFacts;

/* Whether aim is suitable: its expected time is not too long; mst always is. */
extern bool dp_aim_suits_tree(const DpTreeChoiceFacts *facts);
/* The reason for one of the two, as DpChoice has it. reason[size] */
extern void dp_tree_choice_reason(const DpMethod *method, const DpTreeChoiceFacts *facts,
								  char *reason, size_t size);

#endif
