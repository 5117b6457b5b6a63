/*
 * key_room.c -- how many rows a UNIQUE index leaves room for.
 *
 * A key of which a column has a value of its own in each row has room for any number. Others have
 * room for the combinations of what their columns can hold, which is public. One that is held
 * constant has room for one row: what is asked for then cannot come, and costs nothing.
 */
#include "pg/domain/key_room.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "core/base/saturate.h"
#include "core/domain/pattern.h"
#include "pg/domain/fill.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/catalog.h"
#include "pg/server/literals.h"

#define ANY_NUMBER PG_UINT64_MAX

/* ---- columns ---- */

static uint64
attribute_room(const DpAttribute *attribute, const DpColumn *column, bool nulls_equal)
{
	bool null = attribute->has_other && attribute->other == NULL;
	uint64 other = attribute->has_other && (!null || column->fill == NULL) ? 1 : 0;

	if (attribute->open || column->base != 0 || column->field != NULL ||
		(null && column->fill == NULL && !nulls_equal))
		return ANY_NUMBER;
	if (attribute->range != NULL)
		return dp_add_saturated(dp_grid_size(&attribute->range->grid), other);
	return attribute->kind == DP_CATEGORIES ? attribute->labels_n + other : ANY_NUMBER;
}

/* What a column can hold. *constant: it holds the same in each row. */
static uint64
column_room(const DpRelation *facts, AttrNumber number, bool nulls_equal, bool *constant)
{
	ListCell *cell;

	*constant = false;
	for (uint32 a = 0; a < facts->domain.attributes; a++)
		if (facts->column[a].number == number)
			return attribute_room(&facts->domain.attribute[a], &facts->column[a], nulls_equal);
	foreach (cell, facts->unmodelled)
	{
		const DpUnmodelled *column = lfirst(cell);
		bool null = column->fill == NULL || dp_pattern_is_null(column->fill);

		if (column->number != number)
			continue;
		if (column->computed || column->problem != NULL || (null && !nulls_equal) ||
			(!null && !dp_pattern_is_constant(column->fill)))
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

static void
room_add(Relation relation, DpChecks *checks, const DpRelation *facts, const char *index,
		 bool in_parent, List *columns, bool nulls_equal, List **rooms)
{
	DpKeyRoom room = {.index = index, .in_parent = in_parent, .rows = 1};
	DpKeyRoom *kept;
	bool varies = columns == NIL;
	ListCell *cell;

	foreach (cell, columns)
	{
		bool constant;

		room.rows = dp_multiply_saturated(
			room.rows, column_room(facts, (AttrNumber) lfirst_int(cell), nulls_equal, &constant));
		varies |= !constant;
		if (constant && room.column == 0)
			room.column = (AttrNumber) lfirst_int(cell);
	}
	if (room.rows == ANY_NUMBER)
		return;
	if (varies)
		room.column = 0;
	else
		room.remedy = remedy_of(relation, checks, room.column, in_parent);
	kept = palloc(sizeof(DpKeyRoom));
	*kept = room;
	*rooms = lappend(*rooms, kept);
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
dp_key_rooms(Relation relation, DpChecks *checks, const DpRelation *facts)
{
	List *rooms = NIL;
	ListCell *cell;

	foreach (cell, dp_schema_keys_all(relation))
	{
		const DpSchemaKey *key = lfirst(cell);

		room_add(relation, checks, facts, key->index, false, key->columns, key->nulls_equal,
				 &rooms);
	}
	foreach (cell, facts->distinct)
	{
		const DpDistinct *set = lfirst(cell);

		room_add(relation, checks, facts, set->index, true, numbers_of(relation, set->columns),
				 set->nulls_equal, &rooms);
	}
	return rooms;
}

/* ---- before a release ---- */

static DP_NORETURN void
raise_constant(const DpRelation *facts, const DpKeyRoom *room)
{
	char *label = dp_relation_label(facts->oid);
	char *column = get_attname(facts->oid, room->column, false);
	char *call =
		psprintf("SELECT dp_define_column(%s, %s, ", dp_literal(label), dp_literal(column));

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows of relation \"%s\" would all repeat what is UNIQUE: %s", label,
					quote_identifier(room->index)),
			 errdetail("Column \"%s\" is not modelled, and would hold the same in each row%s. "
					   "Nothing was spent.",
					   column, room->in_parent ? " of a parent" : ""),
			 room->remedy != NULL
				 ? errhint("Its custodian can model it, %scategories => ...), or number it, "
						   "%sfill => %s).",
						   call, call, dp_literal(room->remedy))
				 : errhint("Its custodian can model it: %scategories => ...), or open => true.",
						   call)));
}

void
dp_key_rooms_check(const DpRelation *facts, uint64 rows, uint32 rows_per_parent)
{
	ListCell *cell;

	foreach (cell, facts->key_rooms)
	{
		const DpKeyRoom *room = lfirst(cell);
		uint64 wanted = room->in_parent ? rows_per_parent : rows;

		if (room->in_parent && rows_per_parent <= 1)
			continue;
		if (room->column != 0 && wanted > 1)
			raise_constant(facts, room);
		if (wanted <= room->rows)
			continue;
		if (room->in_parent)
			ereport(NOTICE, (errmsg("a row of the parent gets at most " UINT64_FORMAT
									" rows of relation \"%s\"",
									room->rows, dp_relation_label(facts->oid)),
							 errdetail("They differ in what is UNIQUE beside the reference: %s.",
									   quote_identifier(room->index))));
		else
			ereport(WARNING, (errmsg("relation \"%s\" has room for " UINT64_FORMAT " rows",
									 dp_relation_label(facts->oid), room->rows),
							  errdetail("More would repeat what is UNIQUE: %s.",
										quote_identifier(room->index)),
							  errhint("Ask for fewer rows, or have a column of it numbered: "
									  "dp_define_column(..., key => true).")));
	}
}
