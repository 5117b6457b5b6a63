/*
 * key_capacity.c -- how many rows a UNIQUE index can tell apart.
 *
 * A key of which a column has a value of its own in each row tells any number apart. Others tell as
 * many as there are combinations of what their columns can hold, which is public. One that is held
 * constant tells none: what is asked for then cannot come, and costs nothing.
 */
#include "pg/domain/key_capacity.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "core/base/saturate.h"
#include "core/domain/pattern.h"
#include "pg/domain/fill.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/catalog.h"
#include "pg/server/labels.h"

#define ANY_NUMBER PG_UINT64_MAX

/* ---- columns ---- */

static uint64
attribute_capacity(const DpAttribute *attribute, const DpColumn *column, bool nulls_equal)
{
	bool null = dp_attribute_has_null(attribute);
	uint64 other = attribute->has_other && (!null || column->fill == NULL) ? 1 : 0;

	if (attribute->open || dp_column_is_distance(column) || column->field != NULL ||
		(null && column->fill == NULL && !nulls_equal))
		return ANY_NUMBER;
	if (attribute->range != NULL)
		return dp_add_saturated(dp_grid_size(&attribute->range->grid), other);
	return attribute->kind == DP_CATEGORIES ? attribute->labels_n + other : ANY_NUMBER;
}

/* What a column can hold. *constant: it holds the same in each row. */
static uint64
column_capacity(const DpRelation *facts, AttrNumber number, bool nulls_equal, bool *constant)
{
	ListCell *cell;

	*constant = false;
	for (uint32 a = 0; a < facts->domain.attributes; a++)
		if (facts->column[a].number == number)
			return attribute_capacity(&facts->domain.attribute[a], &facts->column[a], nulls_equal);
	foreach (cell, facts->unmodelled)
	{
		const DpUnmodelled *column = lfirst(cell);
		bool null = column->fill == NULL || dp_pattern_is_null(column->fill);

		if (column->number != number)
			continue;
		if (column->computed || column->problem != NULL || (null && !nulls_equal) ||
			(!null && !dp_pattern_facts(column->fill).constant))
			return ANY_NUMBER;
		*constant = true;
		return 1;
	}
	return ANY_NUMBER;
}

/* ---- what to do about one that is constant ---- */

/* A pattern by which its values would differ from row to row; NULL: none is known. */
static const char *
remedy_of(Relation relation, DpChecks *checks, AttrNumber number, bool in_parent)
{
	static const char *const forms[] = {
		"%s", "{%s}", "[%s,%s]", "(%s,0)", "(%s)", "[%s000-01-01,%s000-01-02)", "10.0.0.%s"};
	const char *count = in_parent ? DP_PATTERN_PLACE : DP_PATTERN_NUMBER;

	/* a year, and an address, for each of few rows */
	for (size_t i = 0; i < lengthof(forms) - (in_parent ? 0 : 2); i++)
	{
		const char *pattern = psprintf(forms[i], count, count);

		if (dp_fill_refusal(relation, checks, number - 1, pattern) == NULL)
			return pattern;
	}
	return NULL;
}

/* A UNIQUE index: of the relation, or of rows of one parent. */
typedef struct Key
{
	const char *index;
	bool in_parent;
	List *columns;
	bool nulls_equal;
} Key;

static List *
capacity_add(List *capacities, Relation relation, DpChecks *checks, const DpRelation *facts,
			 const Key *key)
{
	DpKeyCapacity capacity = {.index = key->index, .in_parent = key->in_parent, .rows = 1};
	DpKeyCapacity *kept;
	bool varies = key->columns == NIL;
	ListCell *cell;

	foreach (cell, key->columns)
	{
		bool constant;

		capacity.rows = dp_multiply_saturated(
			capacity.rows,
			column_capacity(facts, (AttrNumber) lfirst_int(cell), key->nulls_equal, &constant));
		varies |= !constant;
		if (constant && capacity.column == 0)
			capacity.column = (AttrNumber) lfirst_int(cell);
	}
	if (capacity.rows == ANY_NUMBER)
		return capacities;
	if (varies)
		capacity.column = 0;
	else
		capacity.remedy = remedy_of(relation, checks, capacity.column, key->in_parent);
	kept = palloc(sizeof(DpKeyCapacity));
	*kept = capacity;
	return lappend(capacities, kept);
}

static List *
numbers_of(Relation relation, const List *names)
{
	List *numbers = NIL;
	const ListCell *cell;

	foreach (cell, names)
		numbers = lappend_int(numbers, get_attnum(RelationGetRelid(relation), lfirst(cell)));
	return numbers;
}

List *
dp_key_capacities(Relation relation, DpChecks *checks, const DpRelation *facts)
{
	List *capacities = NIL;
	ListCell *cell;

	foreach (cell, dp_schema_keys_all(relation))
	{
		const DpSchemaKey *key = lfirst(cell);

		capacities = capacity_add(capacities, relation, checks, facts,
								  &(Key){key->index, false, key->columns, key->nulls_equal});
	}
	foreach (cell, facts->distinct)
	{
		const DpDistinct *set = lfirst(cell);

		capacities = capacity_add(
			capacities, relation, checks, facts,
			&(Key){set->index, true, numbers_of(relation, set->columns), set->nulls_equal});
	}
	return capacities;
}

/* ---- before a release ---- */

static DP_NORETURN void
raise_constant(const DpRelation *facts, const DpKeyCapacity *capacity)
{
	char *label = dp_relation_label(facts->oid);
	char *column = get_attname(facts->oid, capacity->column, false);
	char *call =
		psprintf("SELECT dp_define_column(%s, %s, ", dp_literal(label), dp_literal(column));

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows of relation \"%s\" would all repeat what is UNIQUE: %s",
					dp_relation_words(facts->oid), quote_identifier(capacity->index)),
			 errdetail("Column \"%s\" is not modelled, and would hold the same in each row%s. "
					   "Nothing was spent.",
					   column, capacity->in_parent ? " of a parent" : ""),
			 capacity->remedy != NULL
				 ? errhint("Its custodian can model it, %scategories => ...), or number it, "
						   "%sfill => %s).",
						   call, call, dp_literal(capacity->remedy))
				 : errhint("Its custodian can model it: %scategories => ...), or open => true.",
						   call)));
}

void
dp_key_capacities_check(const DpRelation *facts, uint64 rows, uint32 rows_per_parent)
{
	ListCell *cell;

	foreach (cell, facts->key_capacities)
	{
		const DpKeyCapacity *capacity = lfirst(cell);
		uint64 wanted = capacity->in_parent ? rows_per_parent : rows;

		if (capacity->in_parent && rows_per_parent <= 1)
			continue;
		if (capacity->column != 0 && wanted > 1)
			raise_constant(facts, capacity);
		if (wanted <= capacity->rows)
			continue;
		if (capacity->in_parent)
			ereport(NOTICE, (errmsg("a row of the parent gets at most " UINT64_FORMAT
									" rows of relation \"%s\"",
									capacity->rows, dp_relation_words(facts->oid)),
							 errdetail("They differ in what is UNIQUE beside the reference: %s.",
									   quote_identifier(capacity->index))));
		else
			ereport(WARNING, (errmsg("relation \"%s\" can have " UINT64_FORMAT " rows",
									 dp_relation_words(facts->oid), capacity->rows),
							  errdetail("More would repeat what is UNIQUE: %s.",
										quote_identifier(capacity->index)),
							  errhint("Ask for fewer rows, or have a column of it numbered: "
									  "dp_define_column(..., key => true).")));
	}
}
