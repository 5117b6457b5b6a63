/*
 * distance_base.c -- what a column is the distance from.
 *
 * A name is looked for among the columns of the relation and of its ancestors, the relations that it
 * is protected to belong to, and nowhere else: no search_path is asked.
 */
#include "pg/domain/distance_base.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "pg/budget/parent.h"
#include "pg/domain/declaration.h"
#include "pg/domain/range_part.h"
#include "pg/domain/schema_facts.h"
#include "pg/server/catalog.h"
#include "pg/server/labels.h"

/* ---- by name ---- */

char *
dp_distance_base_label(const DpDistanceBase *base)
{
	char *range;
	const char *words = dp_range_end_named(base->column, &range) == DP_NO_RANGE_PART
							? quote_identifier(base->column)
							: base->column;

	if (!OidIsValid(base->relation))
		return pstrdup(words);
	return psprintf("%s.%s", dp_relation_label(base->relation), words);
}

/* A name of up to three parts, in words. */
typedef struct Words
{
	const char *raw;
	List *parts; /* as SQL reads them; NIL: it does not */
} Words;

static bool
is_name(const Words *words, int n, const char *const *part)
{
	StringInfoData raw;
	ListCell *cell;

	initStringInfo(&raw);
	for (int i = 0; i < n; i++)
		appendStringInfo(&raw, "%s%s", i ? "." : "", part[i]);
	if (strcmp(raw.data, words->raw) == 0)
		return true;
	if (list_length(words->parts) != n)
		return false;
	foreach (cell, words->parts)
		if (strcmp(lfirst(cell), part[foreach_current_index(cell)]) != 0)
			return false;
	return true;
}

/* Whether words name a column of a relation. own: by itself, too. */
static bool
is_named(const Words *words, Oid relation, const char *column, bool own)
{
	const char *part[] = {get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation),
						  column};

	return (own && is_name(words, 1, part + 2)) || is_name(words, 2, part + 1) ||
		   is_name(words, 3, part);
}

static List *
add_base(List *found, Oid relation, bool own, const char *column)
{
	DpDistanceBase *base = palloc(sizeof(DpDistanceBase));

	*base = (DpDistanceBase){own ? InvalidOid : relation, pstrdup(column)};
	return lappend(found, base);
}

/* Adds the columns of a relation that words name, and the ends of ranges, to those found. */
static List *
named_in(const Words *words, Oid oid, bool own, List *found)
{
	Relation relation = relation_open(oid, AccessShareLock);

	for (int i = 0; i < RelationGetDescr(relation)->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), i);

		if (form->attisdropped)
			continue;
		if (is_named(words, oid, NameStr(form->attname), own))
			found = add_base(found, oid, own, NameStr(form->attname));
		for (DpRangePart end = DP_RANGE_LOWER;
			 end <= DP_RANGE_UPPER && dp_type_has_range_parts(form->atttypid); end++)
		{
			const char *name = dp_range_part_name(end, NameStr(form->attname));

			if (is_named(words, oid, name, own))
				found = add_base(found, oid, own, name);
		}
	}
	relation_close(relation, AccessShareLock);
	return found;
}

static DP_NORETURN void
raise_unknown(const DpDataset *dataset, const char *words)
{
	StringInfoData above;
	ListCell *cell;

	initStringInfo(&above);
	foreach (cell, dp_dataset_parents(dataset))
		appendStringInfo(&above, "%s%s", above.len ? ", " : "",
						 dp_relation_label(lfirst_oid(cell)));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("offset_of \"%s\" names no column", words),
			 above.len > 0
				 ? errdetail("It can be one of relation \"%s\" itself, or of those that its "
							 "rows belong to: %s.",
							 dp_relation_words(dataset->relation), above.data)
				 : errdetail("It can be one of relation \"%s\" itself, whose rows belong to "
							 "those of no other.",
							 dp_relation_words(dataset->relation)),
			 errhint("Write 'column', or 'table.column'.")));
}

DpDistanceBase
dp_distance_base_named(const DpDataset *dataset, const char *raw)
{
	Words words = {raw, NIL};
	List *found;
	ListCell *cell;

	if (!SplitIdentifierString(pstrdup(raw), '.', &words.parts))
		words.parts = NIL;
	found = named_in(&words, dataset->relation, true, NIL);
	foreach (cell, dp_dataset_parents(dataset))
		found = named_in(&words, lfirst_oid(cell), false, found);
	if (found == NIL && strchr(raw, '.') == NULL)
		dp_no_such_column(raw, dataset->relation, "A distance from it was declared.");
	if (found == NIL)
		raise_unknown(dataset, raw);
	if (list_length(found) > 1)
		ereport(ERROR, (errcode(ERRCODE_AMBIGUOUS_COLUMN),
						errmsg("offset_of \"%s\" names more than one column", raw),
						errdetail("It is %s, and %s.", dp_distance_base_label(linitial(found)),
								  dp_distance_base_label(lsecond(found))),
						errhint("Write names in quotes, with the schema: "
								"'\"shop\".\"orders\".\"began\"'.")));
	return *(DpDistanceBase *) linitial(found);
}

void
dp_check_distance_circle(const DpDataset *dataset, const char *column, const DpDistanceBase *base)
{
	List *declared = dp_declarations_read(dataset->id);
	const char *at = OidIsValid(base->relation) ? NULL : base->column;

	for (int steps = 0; at != NULL && steps <= list_length(declared); steps++)
	{
		const DpDeclaration *next = dp_declaration_of(declared, at);

		if (strcmp(at, column) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be the distance from itself", column),
					 steps > 0 ? errdetail("Column \"%s\" is declared as a distance, too, which "
										   "comes back to it.",
										   base->column)
							   : 0));
		at = next == NULL || OidIsValid(next->offset_of.relation) ? NULL : next->offset_of.column;
	}
}

/* ---- of a column ---- */

/* The type of the column that a name is, or of the end that it is of one; column: its name.
 * InvalidOid: there is none. */
static Oid
type_named(Oid relation, const char *name, const char **column, DpRangePart *end)
{
	AttrNumber number = get_attnum(relation, name);
	char *range = NULL;

	*column = name;
	*end = DP_NO_RANGE_PART;
	if (number != InvalidAttrNumber)
		return get_atttype(relation, number);
	*end = dp_range_end_named(name, &range);
	if (*end == DP_NO_RANGE_PART)
		return InvalidOid;
	*column = range;
	number = get_attnum(relation, range);
	return number == InvalidAttrNumber ? InvalidOid
									   : dp_range_end_type(get_atttype(relation, number));
}

void
dp_check_distance(Oid relation, const char *column, Oid type, const DpDistanceBase *base)
{
	Oid of = OidIsValid(base->relation) ? base->relation : relation;
	const char *name;
	DpRangePart end;
	Oid base_type = type_named(of, base->column, &name, &end);

	if (!OidIsValid(base_type))
		dp_no_such_column(base->column, of, "A distance from it was declared.");
	if (of == relation && strcmp(column, base->column) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" cannot be the distance from itself", column)));
	if (!dp_distance_fits(type, base_type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" cannot be modelled as the distance from column \"%s\"",
						column, base->column),
				 errdetail("They are of types %s and %s.", format_type_be(type),
						   format_type_be(base_type)),
				 errhint("Both must be dates or timestamps, or numbers of one type.")));
}

/* Where the column of a relation above stands: its type, and whether it can be NULL. InvalidOid: it
 * is not there. */
static Oid
type_above(Oid relation, const char *name, bool *nullable)
{
	HeapTuple tuple = SearchSysCacheAttName(relation, name);
	Oid type;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	type = ((Form_pg_attribute) GETSTRUCT(tuple))->atttypid;
	*nullable |= !((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return type;
}

/* Where the column of the relation itself stands. */
static Oid
type_beside(Relation relation, const DpChecks *checks, const char *name, AttrNumber *number,
			bool *nullable)
{
	for (int i = 0; i < RelationGetDescr(relation)->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), i);

		if (form->attisdropped || strcmp(NameStr(form->attname), name) != 0)
			continue;
		*number = form->attnum;
		*nullable |= !dp_schema_not_null(relation, checks, i);
		return form->atttypid;
	}
	return InvalidOid;
}

bool
dp_distance_apply(Relation relation, const DpChecks *checks, const DpDistanceBase *base,
				  DpAttribute *attribute, DpColumn *column, bool *nullable)
{
	AttrNumber number = 0;
	const char *name;
	DpRangePart end;
	Oid of,
		type = type_named(OidIsValid(base->relation) ? base->relation : RelationGetRelid(relation),
						  base->column, &name, &end);

	if (!OidIsValid(type))
		return false;
	of = OidIsValid(base->relation) ? type_above(base->relation, name, nullable)
									: type_beside(relation, checks, name, &number, nullable);
	if (end == DP_NO_RANGE_PART)
		type = of;
	if (!OidIsValid(type) || !dp_distance_fits(column->type, type))
		return false;
	column->base = number;
	column->base_type = type;
	column->base_name = base->column;
	column->base_end = end;
	column->base_relation = base->relation;
	column->type = dp_distance_type(column->type);
	column->typmod = -1;
	column->collation = InvalidOid;
	attribute->type = format_type_with_typemod(column->type, -1);
	return true;
}

DpDistanceBase
dp_distance_base_of(const DpColumn *column)
{
	return (DpDistanceBase){column->base_relation, column->base_name};
}

char *
dp_distance_base_expression(const DpColumn *column, const char *of)
{
	char *range, *base;

	if (column->base_end == DP_NO_RANGE_PART)
		base = psprintf("%s%s", of, quote_identifier(column->base_name));
	else
	{
		(void) dp_range_end_named(column->base_name, &range);
		base = dp_range_end_expression(column->base_end,
									   psprintf("%s%s", of, quote_identifier(range)));
	}
	return dp_distance_base_as(base, column->base_type, column->own_type);
}
