/*
 * rule_state.h -- the rules of the rows of one table, as row_rules_create.c makes them and
 * row_rules.c keeps them.
 */
#ifndef DPSYN_RULE_STATE_H
#define DPSYN_RULE_STATE_H

#include "pg/server/compat.h"

#include "pg/domain/checks.h"
#include "pg/domain/rules.h"
#include "pg/sample/decode.h"
#include "pg/sample/expression.h"
#include "pg/sample/placeholder_rows.h"
#include "pg/sample/retry_budget.h"

/* What a combination of levels says of a rule. */
enum
{
	DP_FATE_UNKNOWN,
	DP_FATE_KEPT, /* by all values */
	DP_FATE_OPEN  /* it depends on the values */
};

typedef struct DpRowRule
{
	const DpCheck *check;
	DpExpression *expression;
	bool is_computed; /* it gives a column its value: a generated one, or one of the release's */
	bool is_modelled; /* that column also has a value of its own, or is NULL by its own */
	bool is_late;     /* it reads columns that are computed before */
	bool failed;      /* of a generated column: its expression has no value in this row */
	bool soft;        /* it has a column whose values cannot be drawn again */
	DpRetryBudget retry_budget; /* with it, if it is soft */
	uint64 tries;               /* of rows and values because of it, if it is not */
	DpRule rule;                /* what the levels tell; root NULL: it is not known */
	unsigned char *fate; /* [combinations of its levels]; NULL: too many, or rule is not known */
	Bitmapset *drawn;    /* columns whose values inside bins decide it, through computed ones too */
	struct DpRowRule **together; /* rules that share such columns, and so on; NULL at the end */
	Bitmapset *group;            /* the columns of all of these */
} DpRowRule;

/* What rows that were drawn before change in the rules. */
typedef struct DpRulesCourse
{
	DpRetryBudget *retry_budget; /* [rules] */
	uint64 tries_left;
	bool lenient;
	bool forgiven;
	bool hopeless;
} DpRulesCourse;

/* A filled column is to the rules an attribute of its own, behind those of the domain, and so is,
 * with a column of its own behind those of the row, what distances are from in another row. */
struct DpRowRules
{
	const DpDecoder *decoder;
	const DpPlaceholders *placeholders;
	uint32 attributes; /* of the release; place has more */
	DpRulePlace place;
	DpRuleAxis *axis;
	TupleDesc row;
	int computed; /* the first rules: that computed columns have values */
	int rules;
	DpRowRule *rule;
	DpEvaluator *evaluator;
	MemoryContext tries; /* values of one try */
	uint64 tries_left;
	double longest;   /* of the values that a row can have, in bytes */
	uint32 *codes;    /* [place.domain->attributes] */
	DpInterval *box;  /* the same */
	bool warned;      /* that rows break a rule which is not soft */
	bool warned_even; /* that rows which keep one are not those of the release */
	bool lenient;     /* soft rules do not count */
	bool forgiven;    /* they were broken in this row */
	bool hopeless;    /* for a row of this block none was found that keeps the rules */
	DpRowRule *broken;
	DpRulesCourse at_block; /* as it was when the block began */
	DpRulesCourse at_mark;
	DpRulesCourse at_start; /* before the first block that is wanted */
};

#endif
