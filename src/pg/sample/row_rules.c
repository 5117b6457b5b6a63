/*
 * row_rules.c -- rows that keep the CHECKs of their table, and generated columns.
 *
 * Structural zeros (pg/domain/relation_rules.c) have ruled out the combinations of levels that
 * surely break a rule. What is left are bins of which some values keep the rule and some break it.
 * There the values inside the bins are drawn again, those of all columns that rules connect, until
 * the rules hold. Such a row has the distribution of the bins given that the rules hold: for
 * uniform bins it is uniform over the part that keeps them.
 *
 * That can take long where the part is a small corner. So after some tries the bins are cut to the
 * smallest box around the corner that the linear rules show (dp_rule_tighten). Of two columns in
 * one inequality at least about half of that box keeps it.
 *
 * A rule that has no value, because evaluating it fails, is broken: PostgreSQL would refuse the
 * row. So is the rule, which every generated column makes, that its expression has a value.
 *
 * A column that is filled (placeholder_rows.h) has a value, but one that cannot be drawn again. A
 * rule that such a column is part of is kept where it can be, and named before the release. So is
 * that which a distance is from, where it stands in a row of another table.
 */
#include "pg/sample/row_rules.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "pg/server/subtransaction.h"
#include "pg/sample/rule_state.h"

/* ---- how long rows are looked for that keep a soft rule ---- */

#define MISSES_FEW 10
#define BUDGET_MISSES 200 /* rows without success after which a rule is given up */
#define ROWS_SHORT 10     /* draws of a row after these few */
#define TRIES_FIRST UINT64CONST(10000000)
#define TRIES_LATER UINT64CONST(2000000)
#define TRIES_A_ROW 4

static bool
is_given_up(const DpRetryBudget *retry_budget)
{
	return retry_budget->misses >= BUDGET_MISSES || retry_budget->left == 0;
}

static void
retry_budget_begin(DpRetryBudget *retry_budget, bool first)
{
	bool hopeless = retry_budget->in_first ? !retry_budget->found && is_given_up(retry_budget)
										   : retry_budget->hopeless;

	*retry_budget = (DpRetryBudget){.in_first = first,
									.hopeless = hopeless,
									.left = first      ? TRIES_FIRST
											: hopeless ? 0
													   : TRIES_LATER};
}

/* Counts a draw of a row or its values because of the rule. */
static void
retry_budget_try(DpRetryBudget *retry_budget)
{
	retry_budget->tried = true;
	retry_budget->tries++;
}

/* How often a row is drawn again. */
static int
retry_budget_rows(const DpRetryBudget *retry_budget, int most)
{
	return retry_budget->misses < MISSES_FEW && retry_budget->tries < retry_budget->left
			   ? most
			   : ROWS_SHORT;
}

/* No row was found that keeps the rule. */
static void
retry_budget_miss(DpRetryBudget *retry_budget)
{
	retry_budget->misses++;
	retry_budget->left -= Min(retry_budget->left, retry_budget->tries);
	if (is_given_up(retry_budget))
		retry_budget->suspended = retry_budget->tries / TRIES_A_ROW + 1;
	retry_budget->tried = false;
	retry_budget->tries = 0;
}

/* The next row is drawn. */
static void
retry_budget_next(DpRetryBudget *retry_budget)
{
	if (retry_budget->tried)
	{
		if (retry_budget->hopeless && !retry_budget->found)
			retry_budget->left = TRIES_LATER;
		retry_budget->found = true;
		retry_budget->misses = 0;
	}
	retry_budget->tried = false;
	retry_budget->tries = 0;
	if (retry_budget->suspended > 0)
		retry_budget->suspended--;
}

#define TRIES_IN_BINS 4      /* of whole bins */
#define TRIES_IN_BOX 300     /* of what the linear rules leave of them */
#define TRIES_ONE_BY_ONE 100 /* of what they leave of each column, given the values drawn before */
#define TRIES_HOPELESS 10    /* of each, where rows of the block have not been found */
#define MISSES_MAX 3         /* rows that are not found one after the other, until few are tried */

/* ---- one row ---- */

/* Whether every value of these levels keeps the rule. A value that the caller gave may lie outside
 * of its level. */
static bool
is_kept_by_levels(const DpRowRules *rules, const DpRowRule *rule, const uint32 *codes)
{
	const DpDomain *domain = rules->place.domain;
	uint32 own[DP_ZEROS_WIDTH_MAX];
	uint64 cell = 0;

	if (rule->fate == NULL || dp_decoder_is_fixed(rules->decoder))
		return false;
	for (uint32 p = 0; p < rule->rule.n; p++)
	{
		own[p] = codes[rule->rule.attribute[p]];
		cell = cell * domain->attribute[rule->rule.attribute[p]].levels + own[p];
	}
	if (rule->fate[cell] == DP_FATE_UNKNOWN)
		rule->fate[cell] = dp_rule_truth(&rule->rule, domain, rules->axis, own) & DP_CAN_BE_FALSE
							   ? DP_FATE_OPEN
							   : DP_FATE_KEPT;
	return rule->fate[cell] == DP_FATE_KEPT;
}

/* Gives a computed column its value. One that is modelled is NULL where its level is, and keeps its
 * value where one of those that it is computed from is NULL. */
static void
compute(DpRowRules *rules, DpRowRule *rule, Datum *value, bool *isnull)
{
	Datum found = 0;
	bool is_missing = true;

	rule->failed = false;
	if (rule->is_modelled && *isnull)
		return;
	rule->failed = !dp_expression_value(rules->evaluator, rule->expression, &found, &is_missing);
	if (rule->is_modelled && !rule->failed && is_missing)
		return;
	*value = found;
	*isnull = rule->failed || is_missing;
	rule->failed |= *isnull && rule->check->not_null;
}

/* Computes columns, and shows the row to the rules. */
static void
row_complete(DpRowRules *rules, Datum *values, bool *nulls)
{
	dp_evaluator_show(rules->evaluator, values, nulls);
	for (int i = 0; i < rules->computed; i++)
	{
		DpRowRule *rule = &rules->rule[i];
		int at = rule->check->column - 1;

		if (rule->is_late)
			dp_evaluator_show(rules->evaluator, values, nulls);
		compute(rules, rule, &values[at], &nulls[at]);
	}
	if (rules->computed > 0)
		dp_evaluator_show(rules->evaluator, values, nulls);
}

void
dp_row_rules_compute_again(DpRowRules *rules, Datum *values, bool *nulls)
{
	if (rules->computed > 0)
		row_complete(rules, values, nulls);
}

/* A CHECK that is NULL passes. */
static bool
rule_holds(DpRowRules *rules, const DpRowRule *rule)
{
	bool isnull = true;
	Datum value = 0;

	if (rule->soft && (rules->course.now.lenient || rule->retry_budget->suspended > 0))
		return true;
	if (rule->is_computed)
		return !rule->failed;
	return dp_expression_value(rules->evaluator, rule->expression, &value, &isnull) &&
		   (isnull || DatumGetBool(value));
}

static bool
all_hold(DpRowRules *rules, DpRowRule *const *among)
{
	for (; *among != NULL; among++)
		if (!rule_holds(rules, *among))
			return false;
	return true;
}

/* ---- values inside bins ---- */

static bool
tighten_one(DpRowRules *rules, const DpRule *rule, const uint32 *codes)
{
	uint32 own[DP_ZEROS_WIDTH_MAX];
	DpInterval box[DP_ZEROS_WIDTH_MAX];

	if (rule->root == NULL)
		return true;
	for (uint32 p = 0; p < rule->n; p++)
	{
		own[p] = codes[rule->attribute[p]];
		box[p] = rules->scratch.box[rule->attribute[p]];
	}
	if (!dp_rule_tighten(rule, rules->place.domain, rules->axis, own, box))
		return false;
	for (uint32 p = 0; p < rule->n; p++)
		rules->scratch.box[rule->attribute[p]] = box[p];
	return true;
}

/* The number that a filled column has in this row. */
static void
box_of_filled(DpRowRules *rules, int i, Datum value)
{
	uint32 attribute = (uint32) rules->place.column[i].attribute;
	double number;

	if (!dp_placeholders_cover(rules->placeholders, i))
		return;
	if (!dp_placeholders_is_null(rules->placeholders, i) &&
		dp_rule_number(value, rules->place.type[attribute], &number))
		rules->scratch.box[attribute] = (DpInterval){number, number};
	else
		rules->scratch.box[attribute] = (DpInterval){-INFINITY, INFINITY};
}

/* The number that distances are from, in another row. */
static void
box_of_base(DpRowRules *rules, int k)
{
	uint32 attribute = (uint32) rules->place.column[rules->row->natts + k].attribute;
	NullableDatum base = dp_decoder_given_base(rules->decoder, k);
	double number;

	rules->scratch.box[attribute] = (DpInterval){-INFINITY, INFINITY};
	if (!base.isnull && dp_rule_number(base.value, rules->place.type[attribute], &number))
		rules->scratch.box[attribute] = (DpInterval){number, number};
}

/* Cuts the boxes to what the linear rules leave; false: nothing. What one rule cuts, another may cut
 * further. */
static bool
tighten_together(DpRowRules *rules, const DpRowRule *rule)
{
	for (int round = 0; round < 2; round++)
		for (int k = 0; rule->together[k] != NULL; k++)
			if (!tighten_one(rules, &rule->together[k]->rule, rules->scratch.codes))
				return false;
	return true;
}

/* Cuts the bins of the codes to what the linear rules leave; false: nothing. */
static bool
tighten(DpRowRules *rules, const DpRowRule *rule, const uint32 *codes, const Datum *values)
{
	for (uint32 a = 0; a < rules->attributes; a++)
	{
		const DpRuleAxis *axis = &rules->axis[a];

		rules->scratch.box[a] = axis->level == NULL || codes[a] == axis->missing
									? (DpInterval){-INFINITY, INFINITY}
									: axis->level[codes[a]];
	}
	for (int i = 0; i < rules->row->natts; i++)
		box_of_filled(rules, i, values[i]);
	for (int k = 0; k < dp_decoder_bases_above(rules->decoder); k++)
		box_of_base(rules, k);
	memcpy(rules->scratch.codes, codes, sizeof(uint32) * rules->attributes);
	return tighten_together(rules, rule);
}

/* Cuts the boxes of the others to what is left of them beside a value that was drawn. */
static bool
tighten_beside(DpRowRules *rules, const DpRowRule *rule, int attribute, Datum value)
{
	double number;

	if (!dp_rule_number(value, rules->place.type[attribute], &number))
		return true;
	rules->scratch.box[attribute] = (DpInterval){number, number};
	return tighten_together(rules, rule);
}

/* How values inside bins are drawn anew. */
typedef enum Within
{
	WITHIN_BINS,
	WITHIN_BOX,
	WITHIN_ONE_BY_ONE
} Within;

/* Whether the attribute of a column is another value than the column's. */
static bool
is_distance(const DpRowRules *rules, int i)
{
	DpDecoded decoded = dp_decoded(rules->decoder, i);

	return decoded.base >= 0 || decoded.base_above >= 0;
}

/* Draws the values of the group anew; false: there are none in the box. */
static bool
draw_group(DpRowRules *rules, const DpRowRule *rule, const uint32 *codes, Within within,
		   DpPrng *prng, Datum *values, bool *nulls)
{
	const int *order = dp_decoder_order(rules->decoder);

	for (int k = 0; k < rules->row->natts; k++)
	{
		int i = order[k];
		int attribute = rules->place.column[i].attribute;

		if (!bms_is_member(i + 1, rule->group))
			continue;
		if (within == WITHIN_BINS || attribute < 0)
			dp_decode_column(rules->decoder, i, codes, prng, values, nulls);
		else if (!dp_decode_column_within(rules->decoder, i, codes, rules->scratch.box[attribute],
										  prng, values, nulls))
			return false;
		else if (within == WITHIN_ONE_BY_ONE && !nulls[i] && !is_distance(rules, i) &&
				 !tighten_beside(rules, rule, attribute, values[i]))
			return false;
	}
	row_complete(rules, values, nulls);
	return true;
}

/* What was drawn in a try, kept for as long as the other values of the row. */
static void
keep_values(const DpRowRules *rules, const DpRowRule *rule, Datum *values, const bool *nulls)
{
	for (int i = 0; i < rules->row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(rules->row, i);

		if (!nulls[i] && !form->attbyval &&
			(bms_is_member(i + 1, rule->group) || dp_row_rules_compute(rules, i + 1)))
			values[i] = datumCopy(values[i], form->attbyval, form->attlen);
	}
}

/* Counts a try of a rule that is not soft; false: there are no more for all rows together. */
static bool
hard_try(DpRowRules *rules, DpRowRule *rule)
{
	if (rules->course.now.tries_left == 0)
		return false;
	rules->course.now.tries_left--;
	rule->tries++;
	return true;
}

/* Whether so few tries are left for a row as for one that is not found. */
static bool
is_hopeless(const DpRowRules *rules)
{
	return rules->course.now.hopeless || (!rules->even && rules->course.now.missed >= MISSES_MAX);
}

/* Whether the values of the group can be others for these codes. */
static bool
group_varies(const DpRowRules *rules, const DpRowRule *rule, const uint32 *codes)
{
	int i = -1;

	while ((i = bms_next_member(rule->group, i)) >= 0)
		if (dp_decoder_varies(rules->decoder, i - 1, codes))
			return true;
	return false;
}

/* Keeps a rule that is broken, and those that share columns with it. */
static bool
keep_group(DpRowRules *rules, DpRowRule *rule, const uint32 *codes, DpPrng *prng, Datum *values,
		   bool *nulls)
{
	bool hopeless = is_hopeless(rules);
	int in_box = TRIES_IN_BINS + (hopeless ? TRIES_HOPELESS : TRIES_IN_BOX);
	int tries = in_box + (hopeless ? TRIES_HOPELESS : TRIES_ONE_BY_ONE);

	if (!group_varies(rules, rule, codes))
		return false;
	for (int try = 0; try < tries; try++)
	{
		Within within = try < TRIES_IN_BINS ? WITHIN_BINS
						: try < in_box      ? WITHIN_BOX
											: WITHIN_ONE_BY_ONE;
		MemoryContext caller;
		bool drawn;
		bool kept;

		CHECK_FOR_INTERRUPTS();
		if (rule->soft)
			retry_budget_try(rule->retry_budget);
		else if (!hard_try(rules, rule))
			return false;
		if ((try == TRIES_IN_BINS || within == WITHIN_ONE_BY_ONE) &&
			!tighten(rules, rule, codes, values))
			return false;
		dp_evaluator_reset(rules->evaluator);
		MemoryContextReset(rules->scratch.values);
		caller = MemoryContextSwitchTo(rules->scratch.values);
		drawn = draw_group(rules, rule, codes, within, prng, values, nulls);
		kept = drawn && all_hold(rules, rule->together);
		MemoryContextSwitchTo(caller);
		if (!drawn && within != WITHIN_ONE_BY_ONE)
			return false;
		if (!kept)
			continue;
		keep_values(rules, rule, values, nulls);
		dp_evaluator_show(rules->evaluator, values, nulls);
		return true;
	}
	return false;
}

bool
dp_row_rules_keep(DpRowRules *rules, const uint32 *codes, DpPrng *prng, Datum *values, bool *nulls)
{
	bool shown = rules->computed > 0;

	dp_evaluator_reset(rules->evaluator);
	if (shown)
		row_complete(rules, values, nulls);
	for (int i = 0; i < rules->rules; i++)
	{
		DpRowRule *rule = &rules->rule[i];

		if (is_kept_by_levels(rules, rule, codes))
			continue;
		if (!shown)
			dp_evaluator_show(rules->evaluator, values, nulls);
		shown = true;
		if (rule_holds(rules, rule) || keep_group(rules, rule, codes, prng, values, nulls))
			continue;
		rules->broken = rule;
		if (rule->soft)
			retry_budget_try(rule->retry_budget);
		else
			(void) hard_try(rules, rule);
		return false;
	}
	return true;
}

void
dp_row_rules_try(DpRowRules *rules, uint64 most)
{
	rules->course.now.lenient = true;
	rules->course.now.tries_left = most;
}

const DpCheck *
dp_row_rules_tried(const DpRowRules *rules, uint64 *tries)
{
	const DpRowRule *most = NULL;

	*tries = 0;
	for (int i = 0; i < rules->rules; i++)
	{
		*tries += rules->rule[i].tries;
		if (rules->rule[i].tries > 0 && (most == NULL || rules->rule[i].tries > most->tries))
			most = &rules->rule[i];
	}
	return most == NULL ? NULL : most->check;
}

void
dp_row_rules_quiet(DpRowRules *rules)
{
	rules->warned.of_even = rules->warned.of_broken = true;
}

static void
warn_of_even_rows(const DpCheck *broken)
{
	ereport(
		WARNING,
		(errcode(ERRCODE_CHECK_VIOLATION),
		 broken->column == 0
			 ? errmsg("rows that keep the rule \"%s\" are not those of the release", broken->name)
			 : errmsg("rows with a value of the generated column \"%s\" are not those of the "
					  "release",
					  broken->name),
		 errdetail("None was found in %d draws of the release for some rows. In these each "
				   "level is as probable as any other.",
				   DP_ROW_TRIES_MAX)));
}

static void
warn_of_broken_rows(const DpCheck *broken)
{
	ereport(WARNING,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 broken->column == 0
				 ? errmsg("rows break the rule \"%s\"", broken->name)
				 : errmsg("rows have no value of the generated column \"%s\"", broken->name),
			 errdetail("No row that keeps it was found, neither of the release nor of all "
					   "levels."),
			 errhint("Its custodian can declare columns so that it holds by itself: as computed, "
					 "as a distance, or with a narrower range. If it is a rule of a table of your "
					 "own, draw into one without it.")));
}

void
dp_row_rules_found(DpRowRules *rules, bool found)
{
	rules->course.now.missed = found ? 0 : rules->course.now.missed + 1;
}

void
dp_row_rules_even(DpRowRules *rules, bool even)
{
	rules->even = even;
}

void
dp_row_rules_warn(DpRowRules *rules, bool kept)
{
	bool *warned = kept ? &rules->warned.of_even : &rules->warned.of_broken;
	const DpCheck *broken = rules->broken->check;

	rules->course.now.hopeless |= !kept;
	if (*warned)
		return;
	*warned = true;
	if (kept)
		warn_of_even_rows(broken);
	else
		warn_of_broken_rows(broken);
}

uint64
dp_row_rules_tries_left(const DpRowRules *rules)
{
	return rules->course.now.tries_left;
}

/* ---- expressions that fail ---- */

static void
course_copy(const DpRowRules *rules, const DpRulesCourse *from, DpRulesCourse *to)
{
	DpRetryBudget *retry_budget = to->retry_budget;

	memcpy(retry_budget, from->retry_budget, sizeof(*retry_budget) * rules->rules);
	*to = *from;
	to->retry_budget = retry_budget;
}

bool
dp_row_rules_can_fail(const DpRowRules *rules)
{
	return rules != NULL && dp_evaluator_can_fail(rules->evaluator);
}

void
dp_row_rules_mark(DpRowRules *rules)
{
	course_copy(rules, &rules->course.now, &rules->course.at_mark);
}

bool
dp_row_rules_together(DpRowRules *rules, void (*call)(void *), void *argument)
{
	if (dp_evaluates_together(rules->evaluator))
	{
		call(argument);
		return true;
	}
	if (dp_evaluate_together(rules->evaluator, call, argument))
		return true;
	course_copy(rules, &rules->course.at_mark, &rules->course.now);
	return false;
}

bool
dp_row_rules_ahead(DpRowRules *rules, void (*call)(void *), void *argument)
{
	if (dp_evaluates_together(rules->evaluator))
	{
		call(argument);
		return true;
	}
	if (dp_evaluate_ahead(rules->evaluator, call, argument))
		return true;
	course_copy(rules, &rules->course.at_mark, &rules->course.now);
	return false;
}

bool
dp_row_rules_blocks_together(DpRowRules *rules, void (*call)(void *), void *argument)
{
	if (dp_evaluate_together(rules->evaluator, call, argument))
		return true;
	course_copy(rules, &rules->course.at_block, &rules->course.now);
	return false;
}

/* ---- blocks and rows ---- */

bool
dp_row_rules_learn(const DpRowRules *rules)
{
	for (int i = 0; i < rules->rules; i++)
		if (rules->rule[i].soft)
			return true;
	return false;
}

void
dp_row_rules_start(DpRowRules *rules)
{
	course_copy(rules, &rules->course.now, &rules->course.at_start);
}

void
dp_row_rules_start_again(DpRowRules *rules)
{
	course_copy(rules, &rules->course.at_start, &rules->course.now);
}

void
dp_row_rules_learn_by(DpRowRules *rules, void (*call)(void *), void *argument)
{
	course_copy(rules, &rules->course.now, &rules->course.at_block);
	if (!dp_run_in_subtransaction(call, argument))
		course_copy(rules, &rules->course.at_block, &rules->course.now);
}

void
dp_row_rules_begin(DpRowRules *rules, uint64 block)
{
	dp_row_rules_next(rules);
	rules->course.now.missed = 0;
	rules->course.now.hopeless = false;
	for (int i = 0; i < rules->rules; i++)
		retry_budget_begin(&rules->course.now.retry_budget[i], block == 0);
	course_copy(rules, &rules->course.now, &rules->course.at_block);
}

void
dp_row_rules_next(DpRowRules *rules)
{
	for (int i = 0; i < rules->rules; i++)
	{
		/* what a row that was forgiven broke besides was not found */
		rules->course.now.retry_budget[i].tried &= !rules->course.now.forgiven;
		retry_budget_next(&rules->course.now.retry_budget[i]);
	}
	rules->course.now.forgiven = false;
}

const DpCheck *
dp_row_rules_broken(const DpRowRules *rules)
{
	return rules->broken->check;
}

int
dp_row_rules_retry_budget(const DpRowRules *rules)
{
	if (!rules->broken->soft)
		return is_hopeless(rules) || rules->course.now.tries_left == 0 ? DP_ROW_TRIES_FEW
																	   : DP_ROW_TRIES_MAX;
	return retry_budget_rows(rules->broken->retry_budget, DP_ROW_TRIES_MAX);
}

bool
dp_row_rules_forgive(DpRowRules *rules, bool lenient)
{
	if (lenient && !rules->broken->soft)
		return false;
	if (lenient)
		retry_budget_miss(rules->broken->retry_budget);
	rules->course.now.forgiven |= lenient;
	rules->course.now.lenient = lenient;
	return true;
}
