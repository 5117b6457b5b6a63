/*
 * relation_rules.c -- what becomes of each CHECK of a relation in a release.
 *
 *   all of its columns are modelled      combinations of levels that break it are zeros
 *   it has a column that is computed,
 *   or filled (fill.h)                   it is kept when rows are drawn
 *   it has a key (fill.h) and a column
 *   that is modelled                     a NOTICE
 *   it has a column that is NULL         nothing, if it passes then, as most CHECKs do; an ERROR if
 *                                        each row would break it; else a NOTICE
 *   it calls functions of users          a NOTICE
 *   the caller left out a column of it   nothing
 *
 * Where a column is NULL because nobody declared it, no zeros are made: CHECK (status <> 'closed'
 * OR closed_at IS NOT NULL) would forbid every closed case.
 */
#include "pg/domain/relation_rules.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/domain/pattern.h"
#include "core/domain/rule.h"
#include "pg/domain/rules.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

/* What is said of rules: an ERROR where no row keeps one, and what may be broken besides. */
typedef enum Strictness
{
	TELL_NOTHING,
	TELL_CONTRADICTIONS,
	TELL_ALL
} Strictness;

/* A rule that rows may break. */
typedef struct Unkept
{
	const char *name;
	const char *reason; /* a sentence */
} Unkept;

/* What became of the columns of a check. */
typedef struct Columns
{
	bool left_out;        /* some by the caller */
	bool modelled;        /* some are modelled, or computed from others */
	bool computed;        /* some have values that are computed for each row */
	StringInfoData keys;  /* names of those that differ in each row */
	StringInfoData nulls; /* names of those that are NULL */
} Columns;

static DpRulePlace
place_create(const DpRelation *relation, const DpDomain *domain)
{
	DpRuleColumn *column = palloc(sizeof(DpRuleColumn) * Max(relation->columns, 1));
	Oid *type = palloc(sizeof(Oid) * Max(domain->attributes, 1));
	int32 *typmod = palloc(sizeof(int32) * Max(domain->attributes, 1));

	for (int i = 0; i < relation->columns; i++)
		column[i] = (DpRuleColumn){-1, 0};
	for (uint32 a = 0; a < domain->attributes; a++)
	{
		if (relation->column[a].field == NULL)
			column[relation->column[a].number - 1] =
				(DpRuleColumn){(int) a, relation->column[a].base};
		type[a] = relation->column[a].type;
		typmod[a] = relation->column[a].typmod;
	}
	return (DpRulePlace){domain, type, typmod, relation->columns, column};
}

static const DpUnmodelled *
unmodelled_find(const DpRelation *relation, int number)
{
	ListCell *cell;

	foreach (cell, relation->unmodelled)
		if (((DpUnmodelled *) lfirst(cell))->number == number)
			return lfirst(cell);
	return NULL;
}

/* Whether the column holds something that says nothing (fill.h). */
static bool
is_filled(const DpUnmodelled *column)
{
	return column->fill != NULL && !dp_pattern_is_null(column->fill);
}

static void
name_add(StringInfo names, const char *name)
{
	appendStringInfo(names, "%s%s", names->len ? ", " : "", quote_identifier(name));
}

static void
columns_look_up(const DpRelation *relation, const DpRulePlace *place, const DpCheck *check,
				Columns *columns)
{
	int number = -1;

	*columns = (Columns){0};
	initStringInfo(&columns->nulls);
	initStringInfo(&columns->keys);
	while ((number = bms_next_member(check->columns, number)) >= 0)
	{
		const DpUnmodelled *unmodelled = unmodelled_find(relation, number);

		if (place->column[number - 1].attribute >= 0)
		{
			columns->modelled = true;
			continue;
		}
		if (unmodelled == NULL)
			columns->left_out = true;
		else if (unmodelled->computed)
			columns->computed = columns->modelled = true;
		else if (is_filled(unmodelled))
		{
			columns->computed = true;
			if (dp_pattern_is_unique(unmodelled->fill))
				name_add(&columns->keys, unmodelled->name);
		}
		else
			name_add(&columns->nulls, unmodelled->name);
	}
}

/* What the rule can be, over all combinations of levels. */
static unsigned
truth_of_all(const DpRule *rule, const DpRulePlace *place, const DpRuleAxis *axis)
{
	uint32 codes[DP_ZEROS_WIDTH_MAX] = {0};
	unsigned truth = 0;

	if (rule->root == NULL ||
		dp_domain_cells(place->domain, rule->attribute, rule->n) > DP_RULE_COMBINATIONS_MAX)
		return DP_CAN_BE_ANY;
	for (;;)
	{
		uint32 p = rule->n;

		truth |= dp_rule_truth(rule, place->domain, axis, codes);
		while (p > 0 && codes[p - 1] + 1 >= place->domain->attribute[rule->attribute[p - 1]].levels)
			codes[--p] = 0;
		if (p == 0 || truth == DP_CAN_BE_ANY)
			return truth;
		codes[p - 1]++;
	}
}

static void
unkept_add(DpRelation *relation, const DpCheck *check, const char *reason)
{
	Unkept *unkept = palloc(sizeof(Unkept));

	*unkept = (Unkept){check->name, reason};
	relation->unkept = lappend(relation->unkept, unkept);
}

/* A rule that has columns which are NULL in every row. */
static void
look_at_nulls(DpRelation *relation, const DpCheck *check, unsigned truth, const char *nulls)
{
	if (truth == DP_CAN_BE_FALSE)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("every synthetic row would break the rule \"%s\" of relation %s",
						check->name, dp_relation_label(relation->oid)),
				 errdetail("Without a public domain these columns would be NULL: %s.", nulls),
				 errhint("Its custodian can declare them with dp_define_column, or the option "
						 "\"attributes\" can leave out the other columns of the rule.")));
	if (truth & DP_CAN_BE_FALSE)
		unkept_add(relation, check,
				   psprintf("Without a public domain these columns are NULL: %s.", nulls));
}

/* Whether the rule is one of zeros; else what there is to say of it is said, if strict. */
static bool
check_look_at(DpRelation *relation, const DpCheck *check, const DpRulePlace *place,
			  const DpRuleAxis *axis, bool strict, DpRule *rule)
{
	Columns columns;

	columns_look_up(relation, place, check, &columns);
	if (columns.left_out)
		return false;
	if (check->expression == NULL)
	{
		if (strict)
			unkept_add(relation, check, psprintf("It is not evaluated: %s.", check->obstacle));
		return false;
	}
	if (columns.computed)
	{
		/* a number of the row is not drawn to fit */
		if (columns.keys.len > 0 && columns.modelled && strict)
			unkept_add(
				relation, check,
				psprintf("These columns differ in each row and are not drawn from the model: "
						 "%s.",
						 columns.keys.data));
		return false;
	}
	dp_rule_compile(check, place, rule);
	if (columns.nulls.len > 0 && strict)
		look_at_nulls(relation, check, truth_of_all(rule, place, axis), columns.nulls.data);
	return columns.nulls.len == 0 && rule->root != NULL && rule->n > 0;
}

static void
add_rules(DpRelation *relation, DpDomain *domain, Strictness strictness, DpArena *arena)
{
	bool strict = strictness == TELL_ALL;
	DpRulePlace place = place_create(relation, domain);
	DpRule *rule = palloc(sizeof(DpRule) * Max(list_length(relation->checks), 1));
	DpRules rules = {0, rule, NULL};
	DpElevation elevation;
	DpRuleAxis *axis;
	DpError error = {0};
	ListCell *cell;

	/* no code of a user's is run here; if it were, it would have the rights of its owner at most */
	dp_become_owner(&elevation, dp_relation_owner(relation->oid));
	rules.axis = axis = dp_rule_axes(&place);
	foreach (cell, relation->checks)
		if (check_look_at(relation, lfirst(cell), &place, axis, strict, &rule[rules.n]))
			rules.n++;
	dp_unelevate(&elevation);
	if (dp_rules_add_zeros(&rules, domain, strictness != TELL_NOTHING, arena, &error) != DP_OK)
		dp_raise(&error);
}

/* A domain in which a range whose bins are still to be found is one bin; false: there is none. */
static bool
with_whole_ranges(const DpDomain *domain, DpDomain *whole, DpArena *arena)
{
	bool any = false;

	*whole = *domain;
	whole->attribute = palloc(sizeof(DpAttribute) * Max(domain->attributes, 1));
	memcpy(whole->attribute, domain->attribute, sizeof(DpAttribute) * domain->attributes);
	for (uint32 a = 0; a < domain->attributes; a++)
	{
		DpAttribute *attribute = &whole->attribute[a];
		DpRange *range;

		if (attribute->range == NULL || attribute->range->state != DP_RANGE_ASKED)
			continue;
		any = true;
		range = palloc0(sizeof(DpRange));
		range->grid = attribute->range->grid;
		range->listed = attribute->range->listed;
		range->state = DP_RANGE_FOUND;
		range->bins = range->leaves = 1;
		range->bin = range->leaf = &range->grid.first;
		range->weight = palloc0(sizeof(uint64));
		attribute->range = range;
		attribute->labels = dp_range_labels(range, arena);
		attribute->labels_n = 2;
		dp_attribute_count_levels(attribute);
	}
	return any;
}

void
dp_relation_add_rules(DpRelation *relation, DpDomain *domain, bool strict, DpArena *arena)
{
	DpDomain whole;

	/* a rule that contradicts whole ranges is found before their bins are paid for */
	if (strict && with_whole_ranges(domain, &whole, arena))
		add_rules(relation, &whole, TELL_CONTRADICTIONS, arena);
	add_rules(relation, domain, strict ? TELL_ALL : TELL_NOTHING, arena);
}

void
dp_notice_unkept(const DpRelation *relation)
{
	ListCell *cell;

	foreach (cell, relation->unkept)
	{
		const Unkept *unkept = lfirst(cell);

		ereport(NOTICE, (errmsg("synthetic rows may break the rule \"%s\" of relation %s",
								unkept->name, dp_relation_label(relation->oid)),
						 errdetail("%s", unkept->reason)));
	}
}
