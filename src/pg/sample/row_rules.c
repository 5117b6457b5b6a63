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

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "pg/domain/checks.h"
#include "pg/domain/computed.h"
#include "pg/domain/derived.h"
#include "pg/domain/rules.h"
#include "pg/sample/expression.h"
#include "pg/sample/retry_budget.h"
#include "pg/server/subtransaction.h"

#define TRIES_IN_BINS 4   /* of whole bins */
#define TRIES_IN_BOX 1000 /* of what the linear rules leave of them */
/* Of all rows that are drawn together. A corner of 1 / 10,000 is found 10,000 times. */
#define TRIES_IN_ALL UINT64CONST(100000000)

/* What a combination of levels says of a rule. */
enum
{
	FATE_UNKNOWN,
	FATE_KEPT, /* by all values */
	FATE_OPEN  /* it depends on the values */
};

#define FATES_MAX 1000000

typedef struct RowRule
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
	struct RowRule **together; /* rules that share such columns, and so on; NULL at the end */
	Bitmapset *group;          /* the columns of all of these */
} RowRule;

/* What rows that were drawn before change in the rules. */
typedef struct Course
{
	DpRetryBudget *retry_budget; /* [rules] */
	uint64 tries_left;
	bool lenient;
	bool forgiven;
} Course;

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
	RowRule *rule;
	DpEvaluator *evaluator;
	MemoryContext tries; /* values of one try */
	uint64 tries_left;
	double longest;  /* of the values that a row can have, in bytes */
	uint32 *codes;   /* [place.domain->attributes] */
	DpInterval *box; /* the same */
	bool warned;     /* that rows break a rule which is not soft */
	bool lenient;    /* soft rules do not count */
	bool forgiven;   /* they were broken in this row */
	RowRule *broken;
	Course at_block; /* as it was when the block began */
	Course at_mark;
	Course at_start; /* before the first block that is wanted */
};

/* ---- making ---- */

/* The attributes of the domain, and one for each filled column and each base in another row. It has
 * any value. */
static DpDomain *
domain_create(const DpDomain *domain, const DpPlaceholders *placeholders, int columns, int bases)
{
	DpDomain *more = palloc(sizeof(DpDomain));

	*more = *domain;
	more->attribute = palloc0(sizeof(DpAttribute) * (domain->attributes + columns + bases + 1));
	memcpy(more->attribute, domain->attribute, sizeof(DpAttribute) * domain->attributes);
	for (int i = 0; i < columns; i++)
		if (dp_placeholders_cover(placeholders, i))
			more->attribute[more->attributes++].open = true;
	for (int i = 0; i < bases; i++)
		more->attribute[more->attributes++].open = true;
	return more;
}

static void
place_of(DpRowRules *rules, const DpDomain *domain)
{
	TupleDesc row = rules->row;
	int bases = dp_decoder_bases_above(rules->decoder);
	DpDomain *more = domain_create(domain, rules->placeholders, row->natts, bases);
	DpRuleColumn *column = palloc(sizeof(DpRuleColumn) * (row->natts + bases + 1));
	Oid *type = palloc0(sizeof(Oid) * Max(more->attributes, 1));
	int32 *typmod = palloc0(sizeof(int32) * Max(more->attributes, 1));
	int filled = (int) domain->attributes;

	/* an attribute that the row type lacks is in no rule */
	for (uint32 a = 0; a < more->attributes; a++)
		type[a] = TEXTOID;
	for (int i = 0; i < row->natts; i++)
	{
		DpDecoded decoded = dp_decoded(rules->decoder, i);

		column[i] = (DpRuleColumn){.attribute = -1};
		if (dp_placeholders_cover(rules->placeholders, i))
		{
			typmod[filled] = TupleDescAttr(row, i)->atttypmod;
			type[filled] = getBaseTypeAndTypmod(TupleDescAttr(row, i)->atttypid, &typmod[filled]);
			column[i].attribute = filled++;
		}
		else if (decoded.attribute >= 0 && !decoded.is_looked_up)
		{
			AttrNumber base = decoded.base_above >= 0 ? row->natts + decoded.base_above
													  : (AttrNumber) decoded.base;

			column[i] =
				(DpRuleColumn){.attribute = decoded.attribute, .base = (AttrNumber) (base + 1)};
			type[decoded.attribute] = decoded.type;
			typmod[decoded.attribute] = decoded.typmod;
		}
	}
	for (int k = 0; k < bases; k++)
	{
		typmod[filled] = -1;
		type[filled] = dp_decoder_base_above(rules->decoder, k)->type;
		column[row->natts + k] = (DpRuleColumn){.attribute = filled++};
	}
	rules->attributes = domain->attributes;
	rules->place = (DpRulePlace){more, type, typmod, row->natts + bases, column};
}

static RowRule *
computed_find(const DpRowRules *rules, int number)
{
	for (int i = 0; i < rules->computed; i++)
		if (rules->rule[i].check->column == number)
			return &rules->rule[i];
	return NULL;
}

bool
dp_row_rules_compute(const DpRowRules *rules, int number)
{
	return rules != NULL && computed_find(rules, number) != NULL;
}

/* What the columns of a rule are. */
typedef struct Parts
{
	Bitmapset *drawn; /* columns of bins that it depends on */
	bool modelled;    /* some are of the release */
	bool computed;    /* some are computed for each row, or looked up */
	bool filled;
	bool above; /* some are distances from columns of other rows */
	bool null;  /* some are NULL in every row */
} Parts;

static void
add_parts(const DpRowRules *rules, const Bitmapset *columns, Parts *parts)
{
	int number = -1;

	while ((number = bms_next_member(columns, number)) >= 0)
	{
		const RowRule *computed = computed_find(rules, number);
		DpDecoded decoded = dp_decoded(rules->decoder, number - 1);

		if (computed != NULL)
		{
			parts->computed = true;
			add_parts(rules, computed->check->columns, parts);
		}
		if (computed != NULL && !computed->is_modelled)
			continue;
		if (decoded.has_fields)
		{
			parts->modelled = parts->computed = true;
			parts->drawn = bms_add_member(parts->drawn, number);
			continue;
		}
		parts->filled |= dp_placeholders_cover(rules->placeholders, number - 1);
		parts->null |=
			decoded.attribute < 0 && !dp_placeholders_cover(rules->placeholders, number - 1);
		if (decoded.attribute < 0)
			continue;
		parts->modelled = true;
		parts->computed |= decoded.is_looked_up;
		parts->above |= decoded.base_above >= 0;
		if (decoded.base >= 0)
			add_parts(rules, bms_make_singleton(decoded.base + 1), parts);
		if (decoded.has_bins || decoded.base >= 0 || decoded.base_above >= 0)
			parts->drawn = bms_add_member(parts->drawn, number);
	}
}

/* In bytes, of the texts that values are read from. */
static double
longest_value(const DpDomain *domain, const DpPlaceholders *placeholders)
{
	double longest = dp_placeholders_longest(placeholders);

	for (uint32 a = 0; a < domain->attributes; a++)
		for (uint32 i = 0; i < domain->attribute[a].labels_n; i++)
			longest = Max(longest, strlen(domain->attribute[a].labels[i]));
	return longest;
}

static bool
may_run(const DpRowRules *rules, const DpCheck *check)
{
	return check->expression != NULL &&
		   dp_expression_work(check->expression, rules->longest) <= DP_EXPRESSION_WORK_MAX;
}

/* Adds the rule that a computed column has a value. */
static RowRule *
take_computed(DpRowRules *rules, DpCheck *check)
{
	RowRule *rule = &rules->rule[rules->rules];
	Parts parts = {0};

	add_parts(rules, check->columns, &parts);
	check->not_null &= !parts.null;
	*rule = (RowRule){.check = check,
					  .expression = dp_evaluator_add(rules->evaluator, check->expression),
					  .is_computed = true,
					  .soft = parts.filled || parts.null,
					  .drawn = parts.drawn};
	for (int i = 0; i < rules->computed; i++)
		rule->is_late |= bms_is_member(rules->rule[i].check->column, check->columns);
	rules->computed = ++rules->rules;
	return rule;
}

/* A generated column is computed from whatever its columns hold, as PostgreSQL would. */
static void
take_generated(DpRowRules *rules, List *generated)
{
	ListCell *cell;

	foreach (cell, generated)
	{
		DpCheck *check = lfirst(cell);

		if (may_run(rules, check) && dp_decoded(rules->decoder, check->column - 1).attribute < 0 &&
			!dp_decoded(rules->decoder, check->column - 1).has_fields)
			(void) take_computed(rules, check);
	}
}

/* Those that the release computes. */
static void
take_derived(DpRowRules *rules, const List *computed)
{
	const ListCell *cell;

	foreach (cell, computed)
	{
		const DpComputed *column = lfirst(cell);
		DpCheck *check = dp_computed_check(column, rules->row);
		RowRule *rule;

		if (check == NULL || !may_run(rules, check))
			continue;
		rule = take_computed(rules, check);
		rule->is_modelled = dp_decoded(rules->decoder, column->number - 1).attribute >= 0;
		if (rule->is_modelled)
			rule->drawn = bms_add_member(rule->drawn, column->number);
	}
}

/* check: the rule as one of columns that are drawn. What is computed can fail to be of its column's
 * type, so such a rule is never kept by levels alone. */
static void
compile(const DpRowRules *rules, const DpCheck *check, RowRule *rule)
{
	uint64 cells;

	dp_rule_compile(check, &rules->place, &rule->rule);
	if (rule->rule.root == NULL || check != rule->check)
		return;
	cells = dp_domain_cells(rules->place.domain, rule->rule.attribute, rule->rule.n);
	if (cells <= FATES_MAX)
		rule->fate = palloc0(cells);
}

/*
 * A rule of a column that the release does not have was left out when it was planned, and so was
 * one of filled columns alone, which was looked at then.
 */
static void
take_checks(DpRowRules *rules, List *checks, const List *computed)
{
	ListCell *cell;

	foreach (cell, checks)
	{
		RowRule *rule = &rules->rule[rules->rules];
		const DpCheck *check = dp_computed_rule(lfirst(cell), computed);
		Parts parts = {0};

		*rule = (RowRule){.check = lfirst(cell)};
		add_parts(rules, check->columns, &parts);
		if (!parts.modelled || !may_run(rules, rule->check) || (parts.null && !parts.computed))
			continue;
		rule->drawn = parts.drawn;
		rule->soft = parts.filled || parts.above || parts.null;
		rule->expression = dp_evaluator_add(rules->evaluator, rule->check->expression);
		if (!parts.computed)
			compile(rules, check, rule);
		if (rule->soft)
			rule->fate = NULL;
		rules->rules++;
	}
}

/* Adds the distances from columns of the group; false: there are no others. */
static bool
add_distances(const DpRowRules *rules, Bitmapset **group)
{
	bool any = false;

	for (int i = 0; i < rules->row->natts; i++)
	{
		int base = dp_decoded(rules->decoder, i).base;

		if (base < 0 || bms_is_member(i + 1, *group) || !bms_is_member(base + 1, *group))
			continue;
		*group = bms_add_member(*group, i + 1);
		any = true;
	}
	return any;
}

/* Rules that share a column are kept together. */
static void
connect_rules(DpRowRules *rules)
{
	for (int i = 0; i < rules->rules; i++)
	{
		RowRule *rule = &rules->rule[i];
		int n = 0;
		bool grown = true;

		rule->group = bms_copy(rule->drawn);
		while (grown)
		{
			grown = add_distances(rules, &rule->group);
			for (int k = 0; k < rules->rules; k++)
				if (bms_overlap(rules->rule[k].drawn, rule->group) &&
					!bms_is_subset(rules->rule[k].drawn, rule->group))
				{
					rule->group = bms_add_members(rule->group, rules->rule[k].drawn);
					grown = true;
				}
		}
		rule->together = palloc(sizeof(*rule->together) * (rules->rules + 1));
		for (int k = 0; k < rules->rules; k++)
			if (k == i || bms_overlap(rules->rule[k].drawn, rule->group))
				rule->together[n++] = &rules->rule[k];
		rule->together[n] = NULL;
	}
}

/* The rules of the table of a row type, if it is one. */
static void
read_table(TupleDesc row, TimestampTz now, List **generated, List **checks)
{
	Oid oid = row->tdtypeid == RECORDOID ? InvalidOid : get_typ_typrelid(row->tdtypeid);
	DpChecks *all;
	Relation relation;

	*generated = *checks = NIL;
	if (!OidIsValid(oid))
		return;
	relation = relation_open(oid, AccessShareLock);
	all = dp_checks_read_at(relation, now);
	*generated = dp_generated_read(relation, &all->work);
	*checks = dp_checks_of_rows(relation, all);
	relation_close(relation, AccessShareLock);
}

DpRowRules *
dp_row_rules_create(const DpDomain *domain, const DpDecoder *decoder,
					const DpPlaceholders *placeholders, Jsonb *derived, TupleDesc row)
{
	List *computed = dp_computed_of_row(derived, row);
	DpRowRules *rules = palloc0(sizeof(DpRowRules));
	List *generated;
	List *checks;

	read_table(row, dp_derived_now(derived), &generated, &checks);
	rules->decoder = decoder;
	rules->placeholders = placeholders;
	rules->row = row;
	rules->longest = longest_value(domain, placeholders);
	rules->rule =
		palloc(sizeof(RowRule) *
			   Max(list_length(computed) + list_length(generated) + list_length(checks), 1));
	rules->evaluator = dp_evaluator_create(row);
	place_of(rules, domain);
	take_derived(rules, computed);
	take_generated(rules, generated);
	take_checks(rules, checks, computed);
	if (rules->rules == 0)
		return NULL;
	connect_rules(rules);
	rules->axis = dp_rule_axes(&rules->place);
	rules->box = palloc(sizeof(DpInterval) * Max(rules->place.domain->attributes, 1));
	rules->codes = palloc0(sizeof(uint32) * Max(rules->place.domain->attributes, 1));
	rules->tries =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn tries", ALLOCSET_DEFAULT_SIZES);
	rules->tries_left = TRIES_IN_ALL;
	rules->at_block.retry_budget = palloc0(sizeof(DpRetryBudget) * rules->rules);
	rules->at_mark.retry_budget = palloc0(sizeof(DpRetryBudget) * rules->rules);
	rules->at_start.retry_budget = palloc0(sizeof(DpRetryBudget) * rules->rules);
	return rules;
}

/* ---- one row ---- */

/* Whether every value of these levels keeps the rule. A value that the caller gave may lie outside
 * of its level. */
static bool
is_kept_by_levels(const DpRowRules *rules, const RowRule *rule, const uint32 *codes)
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
	if (rule->fate[cell] == FATE_UNKNOWN)
		rule->fate[cell] = dp_rule_truth(&rule->rule, domain, rules->axis, own) & DP_CAN_BE_FALSE
							   ? FATE_OPEN
							   : FATE_KEPT;
	return rule->fate[cell] == FATE_KEPT;
}

/* Gives a computed column its value. One that is modelled is NULL where its level is, and keeps its
 * value where one of those that it is computed from is NULL. */
static void
compute(DpRowRules *rules, RowRule *rule, Datum *value, bool *isnull)
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
		RowRule *rule = &rules->rule[i];
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
rule_holds(DpRowRules *rules, const RowRule *rule)
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
all_hold(DpRowRules *rules, RowRule *const *among)
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
tighten(DpRowRules *rules, const RowRule *rule, const uint32 *codes, const Datum *values)
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
draw_group(DpRowRules *rules, const RowRule *rule, const uint32 *codes, bool in_box, DpPrng *prng,
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
keep_values(const DpRowRules *rules, const RowRule *rule, Datum *values, const bool *nulls)
{
	for (int i = 0; i < rules->row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(rules->row, i);

		if (!nulls[i] && !form->attbyval &&
			(bms_is_member(i + 1, rule->group) || computed_find(rules, i + 1) != NULL))
			values[i] = datumCopy(values[i], form->attbyval, form->attlen);
	}
}

/* Counts a try of a rule that is not soft; false: there are no more for all rows together. */
static bool
hard_try(DpRowRules *rules, RowRule *rule)
{
	if (rules->tries_left == 0)
		return false;
	rules->tries_left--;
	rule->tries++;
	return true;
}

/* Keeps a rule that is broken, and those that share columns with it. */
static bool
keep_group(DpRowRules *rules, RowRule *rule, const uint32 *codes, DpPrng *prng, Datum *values,
		   bool *nulls)
{
	if (bms_is_empty(rule->group))
		return false;
	for (int try = 0; try < TRIES_IN_BINS + TRIES_IN_BOX; try++)
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
		RowRule *rule = &rules->rule[i];

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
	const RowRule *most = NULL;

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
	rules->warned = true;
}

void
dp_row_rules_warn(DpRowRules *rules)
{
	if (rules->warned)
		return;
	rules->warned = true;
	ereport(WARNING,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("rows break the rule \"%s\"", rules->broken->check->name),
			 errdetail("No row that keeps it was found, neither of the release nor of all "
					   "levels."),
			 errhint("Its custodian can declare columns so that it holds by itself: as computed, "
					 "as a distance, or with a narrower range.")));
}

bool
dp_row_rules_exhausted(const DpRowRules *rules)
{
	return rules->tries_left == 0;
}

/* ---- expressions that fail ---- */

static void
course_save(const DpRowRules *rules, Course *course)
{
	for (int i = 0; i < rules->rules; i++)
		course->retry_budget[i] = rules->rule[i].retry_budget;
	course->tries_left = rules->tries_left;
	course->lenient = rules->lenient;
	course->forgiven = rules->forgiven;
}

static void
course_back(DpRowRules *rules, const Course *course)
{
	for (int i = 0; i < rules->rules; i++)
		rules->rule[i].retry_budget = course->retry_budget[i];
	rules->tries_left = course->tries_left;
	rules->lenient = course->lenient;
	rules->forgiven = course->forgiven;
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
		return rules->tries_left == 0 ? DP_ROW_TRIES_FEW : DP_ROW_TRIES_MAX;
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
