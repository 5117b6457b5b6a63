/*
 * relation_rules.c -- what becomes of each CHECK of a relation in a release.
 *
 *   all of its columns are modelled      combinations of levels that break it are zeros
 *   it has a column that is computed     it is kept when rows are drawn
 *   it has a column that is filled       it is kept when rows are drawn, if values of the other
 *   (fill.h) besides modelled ones       columns serve; a NOTICE
 *   all of its columns are filled        nothing: fill.c has looked at it
 *   it has one that is a foreign key's,  as if it was modelled, if it says no more of it than whether
 *   modelled as such (references.h)      it is NULL
 *   it has a column that is NULL         nothing, if it passes then, as most CHECKs do; an ERROR if
 *                                        each row would break it; else a NOTICE
 *   it calls functions of users, or has
 *   a generated column that does         a NOTICE
 *   the caller left out a column of it   nothing
 *
 * Where a column is NULL because nobody declared it, no zeros are made: CHECK (status <> 'closed'
 * OR closed_at IS NOT NULL) would forbid every closed case.
 */
#include "pg/domain/relation_rules.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/domain/pattern.h"
#include "core/domain/rule.h"
#include "pg/domain/levels.h"
#include "pg/domain/range_part.h"
#include "pg/domain/rules.h"
#include "pg/domain/tree_names.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

/* A rule that rows may break. */
typedef struct Unkept
{
	const char *name;
	const char *reason; /* a sentence */
} Unkept;

/* What became of the columns of a check, and of those that they are computed from. */
typedef struct Columns
{
	bool modelled;           /* some are modelled */
	bool left_out;           /* some by the caller */
	bool computed;           /* some have values that are computed for each row */
	StringInfoData filled;   /* names of those that are filled */
	StringInfoData nulls;    /* names of those that are NULL */
	const DpCheck *obstacle; /* one that is generated and not computed; NULL: none */
} Columns;

static DpRulePlace
place_create(const DpRelation *relation, const DpDomain *domain)
{
	DpRuleColumn *column = palloc(sizeof(DpRuleColumn) * Max(relation->columns, 1));
	Oid *type = palloc(sizeof(Oid) * Max(domain->attributes, 1));
	int32 *typmod = palloc(sizeof(int32) * Max(domain->attributes, 1));

	for (int i = 0; i < relation->columns; i++)
		column[i] = (DpRuleColumn){.attribute = -1};
	for (uint32 a = 0; a < domain->attributes; a++)
	{
		bool is_of_end = relation->column[a].base_end != DP_NO_RANGE_PART;
		ListCell *cell;

		/* what a tree adds has no column of its own */
		if (relation->column[a].field == NULL && relation->column[a].number > 0)
			column[relation->column[a].number - 1] = (DpRuleColumn){
				.attribute = (int) a,
				.base = is_of_end ? 0 : relation->column[a].base,
				.from_above = is_of_end || OidIsValid(relation->column[a].base_relation)};
		foreach (cell, relation->column[a].refers)
		{
			AttrNumber number = get_attnum(relation->oid, lfirst(cell));

			if (number > 0)
				column[number - 1].refers = a + 1;
		}
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

static const DpCheck *
generated_find(const DpRelation *relation, int number)
{
	ListCell *cell;

	foreach (cell, relation->generated)
		if (((const DpCheck *) lfirst(cell))->column == number)
			return lfirst(cell);
	return NULL;
}

static void
append_column(StringInfo names, const char *name)
{
	appendStringInfo(names, "%s%s", names->len ? ", " : "", quote_identifier(name));
}

/* Whether an expression uses a column for more than whether it is NULL. */
static bool
uses_value(Node *node, void *number)
{
	if (node == NULL || (IsA(node, NullTest) && IsA(((NullTest *) node)->arg, Var)))
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varattno == *(AttrNumber *) number;
	return expression_tree_walker(node, uses_value, number);
}

/* Whether what a rule says of a column is decided by whether the row refers to any. */
static bool
is_of_reference(const DpRulePlace *place, Node *expression, AttrNumber number)
{
	return place->column[number - 1].refers > 0 && expression != NULL &&
		   !uses_value(expression, &number);
}

static void
columns_add(const DpRelation *relation, const DpRulePlace *place, const DpCheck *check,
			Columns *columns)
{
	int number = -1;

	while ((number = bms_next_member(check->columns, number)) >= 0)
	{
		const DpUnmodelled *unmodelled = unmodelled_find(relation, number);
		const DpCheck *generated = generated_find(relation, number);

		if (place->column[number - 1].attribute >= 0 ||
			is_of_reference(place, check->expression, (AttrNumber) number))
			columns->modelled = true;
		else if (unmodelled == NULL)
			columns->left_out = true;
		else if (generated != NULL && generated->expression == NULL)
			columns->obstacle = generated;
		else if (unmodelled->computed)
		{
			columns->computed = true;
			columns->modelled |= generated == NULL;
			if (generated != NULL)
				columns_add(relation, place, generated, columns);
		}
		else if (is_filled(unmodelled))
			append_column(&columns->filled, unmodelled->name);
		else
			append_column(&columns->nulls, unmodelled->name);
	}
}

static void
columns_look_up(const DpRelation *relation, const DpRulePlace *place, const DpCheck *check,
				Columns *columns)
{
	*columns = (Columns){0};
	initStringInfo(&columns->filled);
	initStringInfo(&columns->nulls);
	columns_add(relation, place, check, columns);
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
				 errmsg("every synthetic row would break the rule \"%s\" of relation \"%s\"",
						check->name, dp_relation_words(relation->oid)),
				 errdetail("Without a public domain these columns would be NULL: %s.", nulls),
				 errhint("Its custodian can declare them with dp_define_column, or the option "
						 "\"columns\" can leave out the other columns of the rule.")));
	if (truth & DP_CAN_BE_FALSE)
		unkept_add(relation, check,
				   psprintf("Without a public domain these columns are NULL: %s.", nulls));
}

static double
longest_of_any(const DpRelation *relation, const DpDomain *domain)
{
	double any = 0;
	ListCell *cell;

	foreach (cell, relation->unmodelled)
		if (is_filled(lfirst(cell)))
			any = Max(any, dp_pattern_facts(((DpUnmodelled *) lfirst(cell))->fill).bytes);
	for (uint32 a = 0; a < domain->attributes; a++)
		any = Max(any, dp_longest_label(&domain->attribute[a]));
	return any;
}

/* Whether evaluating a rule of rows takes long: values of its columns are so long. Those that are not
 * modelled are taken for as long as any, as where rows are drawn (row_rules_create.c). */
static bool
takes_long(const DpRelation *relation, const DpRulePlace *place, const DpCheck *check)
{
	double *longest = palloc0(sizeof(double) * Max(relation->columns, 1));
	int number = -1;

	while ((number = bms_next_member(check->columns, number)) >= 0)
		longest[number - 1] =
			place->column[number - 1].attribute < 0
				? longest_of_any(relation, place->domain)
				: dp_longest_label(&place->domain->attribute[place->column[number - 1].attribute]);
	return dp_expression_work_of(check->expression, longest, relation->columns) >
		   DP_EXPRESSION_WORK_MAX;
}

/* Why rows may break a rule that is not one of zeros; NULL: they do not. */
static const char *
reason_of(const DpRelation *relation, const DpRulePlace *place, const DpCheck *check,
		  const Columns *columns)
{
	if (check->expression == NULL)
		return psprintf("It is not evaluated: %s.", check->obstacle);
	if (columns->modelled && takes_long(relation, place, check))
		return "It is not evaluated: with the longest values that its columns have, evaluating it "
			   "can take long.";
	if (columns->obstacle != NULL)
		return psprintf("The generated column %s is not computed: %s.",
						quote_identifier(columns->obstacle->name), columns->obstacle->obstacle);
	if (columns->computed && columns->nulls.len > 0)
		return psprintf("Without a public domain these columns are NULL: %s.", columns->nulls.data);
	if (columns->modelled && columns->filled.len > 0)
		return psprintf("It is kept where values of other columns can be, since these columns are "
						"filled: %s.",
						columns->filled.data);
	if (check->broken_by_nulls && columns->filled.len > 0)
		return psprintf("These columns are filled, with NULL in some rows: %s.",
						columns->filled.data);
	return NULL;
}

/* Whether the rule is one of zeros; else what there is to say of it is said, if strict. */
static bool
check_look_at(DpRelation *relation, const DpCheck *check, const DpRulePlace *place,
			  const DpRuleAxis *axis, bool strict, DpRule *rule)
{
	const char *reason;
	Columns columns;

	columns_look_up(relation, place, check, &columns);
	if (columns.left_out)
		return false;
	reason = reason_of(relation, place, check, &columns);
	if (reason != NULL && strict)
		unkept_add(relation, check, reason);
	if (reason != NULL || columns.computed || columns.filled.len > 0)
		return false;
	dp_rule_compile(check, place, rule);
	if (columns.nulls.len > 0 && strict)
		look_at_nulls(relation, check, truth_of_all(rule, place, axis), columns.nulls.data);
	return columns.nulls.len == 0 && rule->root != NULL && rule->n > 0;
}

/* A generated column that must not be NULL, and is computed from columns that are. */
static void
generated_look_at(DpRelation *relation, const DpCheck *generated, const DpRulePlace *place)
{
	const DpUnmodelled *unmodelled = unmodelled_find(relation, generated->column);
	Columns columns;

	columns_look_up(relation, place, generated, &columns);
	if (unmodelled != NULL && generated->expression != NULL && generated->not_null &&
		columns.nulls.len > 0 && !columns.left_out)
		unkept_add(relation, generated,
				   psprintf("The generated column must not be NULL, and without a public domain "
							"these columns are: %s.",
							columns.nulls.data));
}

/* The attribute that says whether there is what a distance is from, of the row itself, or, in a tree,
 * of the row that it belongs to: a range has an end by its bounds. -1: it is not in the domain. */
static int
base_attribute(const DpColumn *column, const DpRulePlace *place)
{
	const char *name = column->base_name;
	char *range;

	if (column->base_end != DP_NO_RANGE_PART)
	{
		(void) dp_range_end_named(name, &range);
		name = dp_range_part_name(DP_RANGE_BOUNDS, range);
	}
	else if (column->base != 0)
		return place->column[column->base - 1].attribute;
	if (column->base == 0)
		name = dp_tree_parent_name(get_rel_name(column->base_relation), name);
	return dp_domain_find(place->domain, name);
}

/* That a distance is NULL where its base is. So what else of it is NULL is the column's own share. */
static void
distances_look_at(const DpRelation *relation, const DpRulePlace *place, DpRule *rule, uint32 *n)
{
	for (uint32 a = 0; a < place->domain->attributes; a++)
	{
		DpRangePart end = relation->column[a].base_end;
		int base = dp_column_is_distance(&relation->column[a])
					   ? base_attribute(&relation->column[a], place)
					   : -1;

		if (base < 0 || !dp_attribute_has_null(&place->domain->attribute[a]))
			continue;
		if (end != DP_NO_RANGE_PART && place->domain->attribute[base].other == NULL)
			dp_rule_of_distance_from_end(place, a, (uint32) base, end, &rule[(*n)++]);
		else if (end == DP_NO_RANGE_PART && dp_attribute_has_null(&place->domain->attribute[base]))
			dp_rule_of_distance(place, a, (uint32) base, &rule[(*n)++]);
	}
}

/* Which parts a range has, by its bounds. */
static void
ranges_look_at(const DpRelation *relation, const DpRulePlace *place, DpRule *rule, uint32 *n)
{
	for (uint32 a = 0; a < place->domain->attributes; a++)
	{
		const DpJsonField *field = relation->column[a].field;
		int bounds;

		if (field == NULL || field->part <= DP_RANGE_BOUNDS)
			continue;
		bounds = dp_domain_find(place->domain, dp_range_part_name(DP_RANGE_BOUNDS, field->column));
		if (bounds >= 0 && place->domain->attribute[bounds].other == NULL)
			dp_rule_of_range_part(place, a, (uint32) bounds, field->part, &rule[(*n)++]);
	}
}

/* Adds zeros, or finds that a rule forbids everything. The relation's rules are looked at as its
 * owner: no code of the owner's runs here; if some did, it would not be with the worker's
 * rights. */
static void
rules_apply(DpRelation *relation, DpDomain *domain, bool strict, bool named, DpArena *arena)
{
	DpRulePlace place = place_create(relation, domain);
	DpRule *rule =
		palloc(sizeof(DpRule) * (list_length(relation->checks) + 2 * domain->attributes + 1));
	DpRules rules = {0, rule, NULL};
	DpUserContext user_context;
	DpRuleAxis *axis;
	DpError error = {0};
	ListCell *cell;

	dp_become_owner(&user_context, dp_relation_owner(relation->oid));
	rules.axis = axis = dp_rule_axes(&place);
	foreach (cell, relation->checks)
		if (check_look_at(relation, lfirst(cell), &place, axis, named, &rule[rules.n]))
			rules.n++;
	foreach (cell, relation->generated)
		if (named)
			generated_look_at(relation, lfirst(cell), &place);
	dp_unelevate(&user_context);
	distances_look_at(relation, &place, rule, &rules.n);
	ranges_look_at(relation, &place, rule, &rules.n);
	if (dp_rules_add_zeros(&rules, domain, strict, arena, &error) != DP_OK)
		dp_raise(&error);
}

/* A range whose bins are still to be found, as one bin. */
static void
range_coarsen(DpAttribute *attribute)
{
	DpRange *range = palloc(sizeof(DpRange));
	int64 *first = palloc(sizeof(int64));

	*range = *attribute->range;
	*first = range->grid.first;
	range->state = DP_RANGE_FOUND;
	range->bins = 1;
	range->bin = first;
	attribute->range = range;
	attribute->levels = 1 + (uint32) attribute->has_other;
}

/* ERROR if no value of whole ranges keeps a rule. Later, with bins, it would be paid for. */
static void
ranges_check(DpRelation *relation, const DpDomain *domain, DpArena *arena)
{
	DpDomain coarse = *domain;
	bool any = false;

	coarse.attribute = palloc(sizeof(DpAttribute) * Max(domain->attributes, 1));
	memcpy(coarse.attribute, domain->attribute, sizeof(DpAttribute) * domain->attributes);
	for (uint32 a = 0; a < domain->attributes; a++)
		if (domain->attribute[a].range != NULL &&
			domain->attribute[a].range->state == DP_RANGE_REQUESTED)
		{
			range_coarsen(&coarse.attribute[a]);
			any = true;
		}
	if (any)
		rules_apply(relation, &coarse, true, false, arena);
}

void
dp_relation_add_rules(DpRelation *relation, DpDomain *domain, bool strict, DpArena *arena)
{
	if (strict)
		ranges_check(relation, domain, arena);
	rules_apply(relation, domain, strict, strict, arena);
}

void
dp_relation_add_rules_above(DpRelation *relation, DpArena *arena)
{
	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (OidIsValid(relation->column[a].base_relation))
		{
			rules_apply(relation, &relation->domain, false, false, arena);
			return;
		}
}

void
dp_notice_unkept(const DpRelation *relation)
{
	ListCell *cell;

	foreach (cell, relation->unkept)
	{
		const Unkept *unkept = lfirst(cell);

		ereport(NOTICE, (errmsg("synthetic rows may break the rule \"%s\" of relation \"%s\"",
								unkept->name, dp_relation_words(relation->oid)),
						 errdetail("%s", unkept->reason)));
	}
}
