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

#define TRIES_IN_BINS 4   /* of whole bins */
#define TRIES_IN_BOX 1000 /* of what the linear rules leave of them */
#define TRIES_HOPELESS 10 /* the same, where the block has a row that breaks a rule */

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

	if (rule->soft && (rules->lenient || rule->retry_budget.suspended > 0))
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
		box[p] = rules->box[rule->attribute[p]];
	}
	if (!dp_rule_tighten(rule, rules->place.domain, rules->axis, own, box))
		return false;
	for (uint32 p = 0; p < rule->n; p++)
		rules->box[rule->attribute[p]] = box[p];
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
		rules->box[attribute] = (DpInterval){number, number};
	else
		rules->box[attribute] = (DpInterval){-INFINITY, INFINITY};
}

/* The number that distances are from, in another row. */
static void
box_of_base(DpRowRules *rules, int k)
{
	uint32 attribute = (uint32) rules->place.column[rules->row->natts + k].attribute;
	NullableDatum base = dp_decoder_given_base(rules->decoder, k);
	double number;

	rules->box[attribute] = (DpInterval){-INFINITY, INFINITY};
	if (!base.isnull && dp_rule_number(base.value, rules->place.type[attribute], &number))
		rules->box[attribute] = (DpInterval){number, number};
}

/* Cuts the bins of the codes to what the linear rules leave; false: nothing. */
static bool
tighten(DpRowRules *rules, const DpRowRule *rule, const uint32 *codes, const Datum *values)
{
	for (uint32 a = 0; a < rules->attributes; a++)
	{
		const DpRuleAxis *axis = &rules->axis[a];

		rules->box[a] = axis->level == NULL || codes[a] == axis->missing
							? (DpInterval){-INFINITY, INFINITY}
							: axis->level[codes[a]];
	}
	for (int i = 0; i < rules->row->natts; i++)
		box_of_filled(rules, i, values[i]);
	for (int k = 0; k < dp_decoder_bases_above(rules->decoder); k++)
		box_of_base(rules, k);
	memcpy(rules->codes, codes, sizeof(uint32) * rules->attributes);
	/* what one rule cuts, another may cut further */
	for (int round = 0; round < 2; round++)
		for (int k = 0; rule->together[k] != NULL; k++)
			if (!tighten_one(rules, &rule->together[k]->rule, rules->codes))
				return false;
	return true;
}

/* Draws the values of the group anew; false: there are none in the box. */
static bool
draw_group(DpRowRules *rules, const DpRowRule *rule, const uint32 *codes, bool in_box, DpPrng *prng,
		   Datum *values, bool *nulls)
{
	const int *order = dp_decoder_order(rules->decoder);

	for (int k = 0; k < rules->row->natts; k++)
	{
		int i = order[k];
		int attribute = rules->place.column[i].attribute;

		if (!bms_is_member(i + 1, rule->group))
			continue;
		if (!in_box || attribute < 0)
			dp_decode_column(rules->decoder, i, codes, prng, values, nulls);
		else if (!dp_decode_column_within(rules->decoder, i, codes, rules->box[attribute], prng,
										  values, nulls))
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
	if (rules->tries_left == 0)
		return false;
	rules->tries_left--;
	rule->tries++;
	return true;
}

/* Keeps a rule that is broken, and those that share columns with it. */
static bool
keep_group(DpRowRules *rules, DpRowRule *rule, const uint32 *codes, DpPrng *prng, Datum *values,
		   bool *nulls)
{
	int tries = TRIES_IN_BINS + (rules->hopeless ? TRIES_HOPELESS : TRIES_IN_BOX);

	if (bms_is_empty(rule->group))
		return false;
	for (int try = 0; try < tries; try++)
	{
		MemoryContext caller;
		bool drawn;
		bool kept;

		CHECK_FOR_INTERRUPTS();
		if (rule->soft)
			dp_retry_budget_try(&rule->retry_budget);
		else if (!hard_try(rules, rule))
			return false;
		if (try == TRIES_IN_BINS && !tighten(rules, rule, codes, values))
			return false;
		dp_evaluator_reset(rules->evaluator);
		MemoryContextReset(rules->tries);
		caller = MemoryContextSwitchTo(rules->tries);
		drawn = draw_group(rules, rule, codes, try >= TRIES_IN_BINS, prng, values, nulls);
		kept = drawn && all_hold(rules, rule->together);
		MemoryContextSwitchTo(caller);
		if (!drawn)
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
			dp_retry_budget_try(&rule->retry_budget);
		else
			(void) hard_try(rules, rule);
		return false;
	}
	return true;
}

void
dp_row_rules_try(DpRowRules *rules, uint64 most)
{
	rules->lenient = true;
	rules->tries_left = most;
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
	rules->warned_even = rules->warned = true;
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
dp_row_rules_warn(DpRowRules *rules, bool kept)
{
	bool *warned = kept ? &rules->warned_even : &rules->warned;
	const DpCheck *broken = rules->broken->check;

	rules->hopeless |= !kept;
	if (*warned)
		return;
	*warned = true;
	if (kept)
		warn_of_even_rows(broken);
	else
		warn_of_broken_rows(broken);
}

bool
dp_row_rules_exhausted(const DpRowRules *rules)
{
	return rules->tries_left == 0;
}

/* ---- expressions that fail ---- */

static void
course_save(const DpRowRules *rules, DpRulesCourse *course)
{
	for (int i = 0; i < rules->rules; i++)
		course->retry_budget[i] = rules->rule[i].retry_budget;
	course->tries_left = rules->tries_left;
	course->lenient = rules->lenient;
	course->forgiven = rules->forgiven;
	course->hopeless = rules->hopeless;
}

static void
course_back(DpRowRules *rules, const DpRulesCourse *course)
{
	for (int i = 0; i < rules->rules; i++)
		rules->rule[i].retry_budget = course->retry_budget[i];
	rules->tries_left = course->tries_left;
	rules->lenient = course->lenient;
	rules->forgiven = course->forgiven;
	rules->hopeless = course->hopeless;
}

bool
dp_row_rules_can_fail(const DpRowRules *rules)
{
	return rules != NULL && dp_evaluator_can_fail(rules->evaluator);
}

void
dp_row_rules_mark(DpRowRules *rules)
{
	course_save(rules, &rules->at_mark);
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
	course_back(rules, &rules->at_mark);
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
	course_back(rules, &rules->at_mark);
	return false;
}

bool
dp_row_rules_blocks_together(DpRowRules *rules, void (*call)(void *), void *argument)
{
	if (dp_evaluate_together(rules->evaluator, call, argument))
		return true;
	course_back(rules, &rules->at_block);
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
	course_save(rules, &rules->at_start);
}

void
dp_row_rules_start_again(DpRowRules *rules)
{
	course_back(rules, &rules->at_start);
}

void
dp_row_rules_learn_by(DpRowRules *rules, void (*call)(void *), void *argument)
{
	course_save(rules, &rules->at_block);
	if (!dp_run_in_subtransaction(call, argument))
		course_back(rules, &rules->at_block);
}

void
dp_row_rules_begin(DpRowRules *rules, uint64 block)
{
	dp_row_rules_next(rules);
	rules->hopeless = false;
	for (int i = 0; i < rules->rules; i++)
		dp_retry_budget_begin(&rules->rule[i].retry_budget, block == 0);
	course_save(rules, &rules->at_block);
}

void
dp_row_rules_next(DpRowRules *rules)
{
	for (int i = 0; i < rules->rules; i++)
	{
		/* what a row that was forgiven broke besides was not found */
		rules->rule[i].retry_budget.tried &= !rules->forgiven;
		dp_retry_budget_next(&rules->rule[i].retry_budget);
	}
	rules->forgiven = false;
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
		return rules->hopeless || rules->tries_left == 0 ? DP_ROW_TRIES_FEW : DP_ROW_TRIES_MAX;
	return dp_retry_budget_rows(&rules->broken->retry_budget, DP_ROW_TRIES_MAX);
}

bool
dp_row_rules_forgive(DpRowRules *rules, bool lenient)
{
	if (lenient && !rules->broken->soft)
		return false;
	if (lenient)
		dp_retry_budget_miss(&rules->broken->retry_budget);
	rules->forgiven |= lenient;
	rules->lenient = lenient;
	return true;
}
