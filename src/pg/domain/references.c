/*
 * references.c -- foreign keys that do not say whose a row is.
 */
#include "pg/domain/references.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "core/domain/rule.h"
#include "pg/budget/parent.h"
#include "pg/server/foreign_key.h"

/* "chief.refers", in models. */
static char *
reference_name(const char *column)
{
	return psprintf("%s.refers", column);
}

char *
dp_reference_condition(const DpColumn *column, const char *of)
{
	StringInfoData sql;
	ListCell *cell;

	if (column->refers == NIL)
		return NULL;
	initStringInfo(&sql);
	foreach (cell, column->refers)
		appendStringInfo(&sql, "%s%s%s IS NOT NULL", sql.len > 0 ? " AND " : "(", of,
						 quote_identifier(lfirst(cell)));
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

static DpUnmodelled *
unmodelled_find(const DpRelation *relation, const char *name)
{
	ListCell *cell;

	foreach (cell, relation->unmodelled)
		if (strcmp(((DpUnmodelled *) lfirst(cell))->name, name) == 0)
			return lfirst(cell);
	return NULL;
}

static bool
is_not_null(Oid relation, const char *column)
{
	HeapTuple tuple = SearchSysCacheAttName(relation, column);
	bool not_null = !HeapTupleIsValid(tuple) || ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return not_null;
}

/* The columns of a key that can be NULL, as DpUnmodelled. NIL: there are none, or one of them says
 * by itself, as it is modelled or declared, whether it is NULL. */
static List *
columns_to_model(const DpRelation *relation, const DpForeignKey *key, const DpForeignKey *parent)
{
	List *columns = NIL;

	for (int i = 0; i < key->columns; i++)
	{
		DpUnmodelled *column = unmodelled_find(relation, key->column[i]);

		if (is_not_null(relation->oid, key->column[i]) ||
			(parent != NULL && dp_foreign_key_place(parent, key->column[i]) >= 0))
			continue;
		if (column == NULL || column->refers_fill == NULL)
			return NIL;
		columns = lappend(columns, column);
	}
	return columns;
}

unsigned char *
dp_reference_levels(const DpAttribute *attribute, bool refers)
{
	unsigned char *truth = palloc(Max(attribute->levels, 1));

	for (uint32 i = 0; i < attribute->levels; i++)
		truth[i] =
			(strcmp(attribute->labels[i], "t") == 0) == refers ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE;
	return truth;
}

/* first: the least of false and true that it can be */
static void
boolean_add(DpRelation *relation, char *name, uint32 first, DpColumn column)
{
	static const char *const labels[] = {"f", "t"};
	DpAttribute attribute = {.type = "boolean", .kind = DP_CATEGORIES};

	column.type = column.own_type = BOOLOID;
	column.typmod = -1;
	column.source = "reference";
	attribute.labels = palloc(sizeof(char *) * lengthof(labels));
	for (uint32 i = first; i < lengthof(labels); i++)
		attribute.labels[attribute.labels_n++] = labels[i];
	dp_attribute_count_levels(&attribute);
	dp_relation_add(relation, name, &attribute, &column);
}

static void
attribute_add(DpRelation *relation, List *columns)
{
	DpColumn column = {0};
	char *name = reference_name(((DpUnmodelled *) linitial(columns))->name);
	ListCell *cell;

	if (dp_domain_find(&relation->domain, name) >= 0)
		return; /* a column that refers to two relations */
	foreach (cell, columns)
	{
		DpUnmodelled *refers = lfirst(cell);

		column.refers = lappend(column.refers, refers->name);
		refers->fill = refers->refers_fill;
	}
	boolean_add(relation, name, 0, column);
}

void
dp_existence_add(DpRelation *relation)
{
	ListCell *cell;

	if (relation->domain.attributes > 0 || relation->unmodelled == NIL)
		return;
	foreach (cell, relation->unmodelled)
	{
		const DpUnmodelled *column = lfirst(cell);

		if (column->fill == NULL && !column->computed)
			return;
	}
	boolean_add(relation, psprintf("%s.exists", get_rel_name(relation->oid)), 1,
				(DpColumn){.exists = true});
}

void
dp_references_add(DpRelation *relation, const DpDataset *dataset, List *together)
{
	const DpForeignKey *parent =
		OidIsValid(dataset->parent) && list_member_oid(together, dataset->parent)
			? dp_dataset_reference(dataset)
			: NULL;
	ListCell *cell;

	foreach (cell, dp_foreign_keys(relation->oid))
	{
		const DpForeignKey *key = lfirst(cell);
		List *columns;

		if (!list_member_oid(together, key->parent) || key->period)
			continue;
		columns = columns_to_model(relation, key, parent);
		if (columns != NIL)
			attribute_add(relation, columns);
	}
}
