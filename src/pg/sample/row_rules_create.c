/*
 * row_rules_create.c -- the rules that the rows of a table have to keep, and what decides each.
 */
#include "pg/sample/row_rules.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "pg/domain/computed.h"
#include "pg/domain/derived.h"
#include "pg/domain/levels.h"
#include "pg/sample/rule_state.h"

/* Of all rows that are drawn together. A corner of 1 / 10,000 is found 10,000 times. */
#define TRIES_IN_ALL UINT64CONST(100000000)
#define FATES_MAX 1000000

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
	for (int i = 0; i < row->natts; i++)
	{
		DpDecoded decoded = dp_decoded(rules->decoder, i);

		if (decoded.base_above >= 0 && decoded.attribute < 0)
			column[i] = column[row->natts + decoded.base_above];
	}
	rules->attributes = domain->attributes;
	rules->place = (DpRulePlace){more, type, typmod, row->natts + bases, column};
}

static DpRowRule *
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
		const DpRowRule *computed = computed_find(rules, number);
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
		if (decoded.attribute < 0 && decoded.base_above >= 0)
		{
			parts->above = true;
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

/* In bytes, of the texts that values of each column are read from. What is not modelled is taken
 * for as long as any. */
static double *
longest_values(const DpRowRules *rules, const DpDomain *domain)
{
	double *longest = palloc0(sizeof(double) * Max(rules->row->natts, 1));
	double any = dp_placeholders_longest(rules->placeholders, -1);

	for (uint32 a = 0; a < domain->attributes; a++)
		any = Max(any, dp_longest_label(&domain->attribute[a]));
	for (int i = 0; i < rules->row->natts; i++)
	{
		DpDecoded decoded = dp_decoded(rules->decoder, i);

		if (decoded.attribute < 0 || decoded.is_looked_up)
			longest[i] = any;
		else
			longest[i] = Max(dp_longest_label(&domain->attribute[decoded.attribute]),
							 dp_placeholders_longest(rules->placeholders, i));
	}
	return longest;
}

static bool
may_run(const DpRowRules *rules, const DpCheck *check)
{
	return check->expression != NULL &&
		   dp_expression_work_of(check->expression, rules->longest, rules->row->natts) <=
			   DP_EXPRESSION_WORK_MAX;
}

/* Adds the rule that a computed column has a value. */
static DpRowRule *
take_computed(DpRowRules *rules, DpCheck *check)
{
	DpRowRule *rule = &rules->rule[rules->rules];
	Parts parts = {0};

	add_parts(rules, check->columns, &parts);
	check->not_null &= !parts.null;
	*rule = (DpRowRule){.check = check,
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
		DpRowRule *rule;

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
compile(const DpRowRules *rules, const DpCheck *check, DpRowRule *rule)
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
		DpRowRule *rule = &rules->rule[rules->rules];
		const DpCheck *check = dp_computed_rule(lfirst(cell), computed);
		Parts parts = {0};

		*rule = (DpRowRule){.check = lfirst(cell)};
		add_parts(rules, check->columns, &parts);
		if (!parts.modelled || !may_run(rules, rule->check) || (parts.null && !parts.computed))
			continue;
		rule->drawn = parts.drawn;
		rule->soft = parts.filled || parts.above || parts.null;
		rule->expression = dp_evaluator_add(rules->evaluator, rule->check->expression);
		if (!parts.computed)
			compile(rules, check, rule);
		/* levels do not say whether a sum is beyond its type */
		if (rule->soft || dp_expression_can_fail(rule->expression))
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
		DpRowRule *rule = &rules->rule[i];
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
	rules->longest = longest_values(rules, domain);
	rules->rule =
		palloc(sizeof(DpRowRule) *
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
	rules->scratch.box = palloc(sizeof(DpInterval) * Max(rules->place.domain->attributes, 1));
	rules->scratch.codes = palloc0(sizeof(uint32) * Max(rules->place.domain->attributes, 1));
	rules->scratch.values =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn tries", ALLOCSET_DEFAULT_SIZES);
	rules->course.now.tries_left = TRIES_IN_ALL;
	rules->course.now.retry_budget = palloc0(sizeof(DpRetryBudget) * rules->rules);
	for (int i = 0; i < rules->rules; i++)
		rules->rule[i].retry_budget = &rules->course.now.retry_budget[i];
	rules->course.at_block.retry_budget = palloc0(sizeof(DpRetryBudget) * rules->rules);
	rules->course.at_mark.retry_budget = palloc0(sizeof(DpRetryBudget) * rules->rules);
	rules->course.at_start.retry_budget = palloc0(sizeof(DpRetryBudget) * rules->rules);
	return rules;
}
