/*
 * rule_state.h -- the rules of the rows of one table, as row_rules_create.c makes them and
 * row_rules.c keeps them.
 */
#ifndef DPSYN_RULE_STATE_H
#define DPSYN_RULE_STATE_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "nodes/execnodes.h"

#include "pg/domain/checks.h"
#include "pg/domain/rules.h"
#include "pg/sample/decode.h"
#include "pg/sample/placeholder_rows.h"
#include "pg/server/compat.h"

/*
 * How many draws may be rejected because they break a soft rule.
 *
 * A rule is soft if it has a column whose values cannot be drawn again, such as a generated value.
 * Possibly no row satisfies it, so the search must end. A try is one draw of a row, or of the
 * values inside its bins.
 *
 * As long as fewer than 10 rows in succession have failed, a row may take 1000 draws; after that,
 * 10. After 200 failed rows, or once failed rows have used up the tries of their block, checking
 * is suspended; each failed attempt suspends it for a quarter of a row. A row that satisfies the
 * rule resets the count of failed rows.
 *
 * Blocks are drawn independently: a block knows what the first block found and what it finds
 * itself. If the first block gave up a rule without finding a row for it, the other blocks start
 * without tries for it: they check it only between suspensions, until one of their own rows
 * satisfies it.
 *
 * So the work on failed rows is bounded. A block of 1024 rows spends at most its tries on them
 * (10,000,000 in the first block, 2,000,000 in another one, none if the rule is hopeless), the
 * tries of one row more (at most 10 draws of it), and 4 tries a row.
 */

/* Zeros: a rule that has not been looked at. */
typedef struct DpRetryBudget
{
	bool in_first;    /* the first block is drawn */
	bool hopeless;    /* no row of the first block could be found */
	bool found;       /* a row of this block was */
	bool tried;       /* this row broke the rule and was drawn again */
	uint32 misses;    /* rows one after the other that were not found */
	uint64 tries;     /* of this row */
	uint64 left;      /* tries that rows which are not found may take in this block */
	uint64 suspended; /* rows in which the rule is not checked */
} DpRetryBudget;

/*
 * Expressions of a table, evaluated on made-up rows.
 *
 * An expression that was true of every row of the table may fail on a row that was drawn: a
 * division by zero, a sum beyond its type. PostgreSQL would not take such a row, so it is no
 * reason to fail but one to draw another row. Such an error is caught in a subtransaction, as any
 * is (pg/server/subtransaction.h). A subtransaction takes as long as some rows, so many
 * expressions share one as long as none fails (dp_evaluate_together), and those that cannot fail
 * need none.
 */

typedef struct DpEvaluator DpEvaluator;
typedef struct DpExpression DpExpression;

extern DpEvaluator *dp_evaluator_create(TupleDesc row);
/* Adds a planned expression, in which untrusted_code.h found no obstacle. */
extern DpExpression *dp_evaluator_add(DpEvaluator *evaluator, Node *planned);
/* Whether one of its expressions can fail. */
extern bool dp_evaluator_can_fail(const DpEvaluator *evaluator);
extern bool dp_expression_can_fail(const DpExpression *expression);
/* The row that is evaluated on from now on. Its values must live as long. */
extern void dp_evaluator_show(DpEvaluator *evaluator, const Datum *values, const bool *nulls);
/* Frees what evaluating took, but for values. */
extern void dp_evaluator_reset(DpEvaluator *evaluator);
/*
 * The value of an expression; false: it fails. A cancel, and a lack of resources, are errors still.
 */
extern bool dp_expression_value(DpEvaluator *evaluator, DpExpression *expression, Datum *value,
								bool *isnull);
/*
 * Calls what evaluates many expressions, all in one subtransaction; false: one of them failed, and
 * the call ended there. Then the caller undoes what the call did, and makes it once more without
 * this. Within such a call dp_expression_value never returns false.
 */
extern bool dp_evaluate_together(DpEvaluator *evaluator, void (*call)(void *), void *argument);
/* The same for a call whose results nobody may ask for: false also where anything else of it failed
 * that would fail again. */
extern bool dp_evaluate_ahead(DpEvaluator *evaluator, void (*call)(void *), void *argument);
/* Whether that is so at the time. */
extern bool dp_evaluates_together(const DpEvaluator *evaluator);

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
	DpRetryBudget *retry_budget; /* with it, if it is soft; in the course of the rules */
	uint64 tries;                /* of rows and values because of it, if it is not */
	DpRule rule;                 /* what the levels tell; root NULL: it is not known */
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
	bool lenient;  /* soft rules do not count */
	bool forgiven; /* they were broken in this row */
	uint32 missed; /* rows of this block for which the release had none, one after the other */
	bool hopeless; /* nor had a model that says nothing */
} DpRulesCourse;

/* What rows change in the rules, and how that was at moments that are gone back to. */
typedef struct DpRulesCourses
{
	DpRulesCourse now;
	DpRulesCourse at_block; /* when the block began */
	DpRulesCourse at_mark;
	DpRulesCourse at_start; /* before the first block that is wanted */
} DpRulesCourses;

/* Of one try. */
typedef struct DpRulesScratch
{
	MemoryContext values;
	uint32 *codes;   /* [place.domain->attributes] */
	DpInterval *box; /* the same */
} DpRulesScratch;

/* What was said already. */
typedef struct DpRulesWarned
{
	bool of_broken; /* rows break a rule which is not soft */
	bool of_even;   /* rows which keep one are not those of the release */
} DpRulesWarned;

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
	DpRulesScratch scratch;
	double *longest; /* [columns] of the values that a row can have, in bytes */
	DpRulesWarned warned;
	bool even; /* rows of a model that says nothing are tried */
	DpRowRule *broken;
	DpRulesCourses course;
};

#endif
