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
#include "pg/domain/schema_facts.h"
#include "pg/server/labels.h"

/* ---- by name ---- */

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

/* Adds the columns of a relation that words name to those found. */
static List *
named_in(const Words *words, Oid oid, bool own, List *found)
{
	Relation relation = relation_open(oid, AccessShareLock);

	for (int i = 0; i < RelationGetDescr(relation)->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), i);
		DpDistanceBase *base;

		if (form->attisdropped || !is_named(words, oid, NameStr(form->attname), own))
			continue;
		base = palloc(sizeof(DpDistanceBase));
		*base = (DpDistanceBase){own ? InvalidOid : oid, pstrdup(NameStr(form->attname))};
		found = lappend(found, base);
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
							 dp_relation_label(dataset->relation), above.data)
				 : errdetail("It can be one of relation \"%s\" itself, whose rows belong to "
							 "those of no other.",
							 dp_relation_label(dataset->relation)),
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

/* Where the column of a relation above stands: its type, and whether it can be NULL. InvalidOid: it
 * is not there. */
static Oid
type_above(const DpDistanceBase *base, bool *nullable)
{
	HeapTuple tuple = SearchSysCacheAttName(base->relation, base->column);
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
	Oid type = OidIsValid(base->relation)
				   ? type_above(base, nullable)
				   : type_beside(relation, checks, base->column, &number, nullable);

	if (!OidIsValid(type) || getBaseType(type) != getBaseType(column->type))
		return false;
	column->base = number;
	column->base_name = base->column;
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
