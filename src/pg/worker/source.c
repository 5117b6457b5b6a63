/*
 * source.c -- the rows that a release reads: all rows of the relation, or of each privacy
 * unit as many as it may contribute. RELEASE WORKER ONLY.
 *
 * Bounding. The rows of a unit are put in the order of a keyed hash, and the first k are
 * read. The key is drawn for this release and thrown away with it.
 *
 *   - What one unit contributes depends on its own rows and the key alone. So two tables,
 *     one with a unit and one without it, give under the same key bounded tables that
 *     differ in at most k rows (2k where the unit is replaced). That is the sensitivity
 *     that every mechanism is calibrated to.
 *   - Units choose independently, and each row of a unit has the same chance. What was
 *     dropped of one unit is no hint at what was dropped of another, and over many units
 *     no value is preferred.
 *   - Nobody who lacks the key can tell or steer which rows are chosen, by the order in
 *     which they are inserted or by their values.
 *   - Each scan of the release chooses the same rows, in whatever order or plan.
 *
 * The unit is hashed with the values of the row, by the bytes that this row has. They need
 * not be the same in all rows of the unit: 1.0 and 1.00 are one person, but one row has
 * only one of them, so the hash depends on nothing but the row.
 *
 * Equal rows have equal hashes. The number of a copy among them is hashed too, so that ten
 * equal rows are ten chances. It is open which of the equal rows has which number, and this
 * makes no difference: they are equal in every column that is read.
 *
 * Rows whose unit is NULL are not read, since it is unknown whose they are. If several
 * people shared one place in the order, a row of one that goes would leave a place to a row
 * of another.
 */
#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "core/base/siphash.h"
#include "pg/budget/parent.h"
#include "pg/domain/ancestor_columns.h"
#include "pg/domain/distance.h"
#include "pg/domain/references.h"
#include "pg/server/catalog.h"
#include "pg/worker/scan.h"

/* "c1, c2, ..." */
static char *
numbered_columns(uint32 n)
{
	StringInfoData list;

	initStringInfo(&list);
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(&list, "%sc%u", i ? ", " : "", i + 1);
	return list.data;
}

char *
dp_source_value(const DpRelation *relation, uint32 attribute)
{
	const DpColumn *column = &relation->column[attribute];
	const char *name = relation->domain.attribute[attribute].name;

	if (column->field != NULL)
		return dp_json_field_expression(column->field);
	if (column->refers != NIL)
		return dp_reference_condition(column);
	if (column->base == 0)
		return pstrdup(quote_identifier(name));
	return dp_distance_expression(name, column->base_name, column->own_type);
}

char *
dp_source_of(const DpRelation *relation, const char *label)
{
	StringInfoData clause;
	bool any = false;

	for (uint32 i = 0; i < relation->domain.attributes; i++)
		any |= relation->column[i].base != 0 || relation->column[i].field != NULL ||
			   relation->column[i].refers != NIL;
	if (!any)
		return pstrdup(label);
	initStringInfo(&clause);
	for (uint32 i = 0; i < relation->domain.attributes; i++)
		appendStringInfo(&clause, "%s%s AS %s", i ? ", " : "(SELECT ", dp_source_value(relation, i),
						 quote_identifier(relation->domain.attribute[i].name));
	appendStringInfo(&clause, " FROM %s) computed", label);
	return clause.data;
}

/* The value of an attribute in a row that is called "own", be it of a row that this belongs to. */
static char *
value_of(const DpRelation *relation, const DpDataset *dataset, uint32 attribute)
{
	const DpColumn *column = &relation->column[attribute];

	if (column->above == NULL)
		return dp_source_value(relation, attribute);
	return dp_above_expression(dataset, "own", column->above->oid,
							   dp_source_value(column->above, column->above_attribute));
}

/* " AND ..." for each ancestor of which columns are read: a row that has none there, as a key
 * that is NOT VALID allows, is not read. */
static char *
only_with_rows_above(const DpRelation *relation, const DpDataset *dataset)
{
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	foreach (cell, dp_relations_above(relation))
		appendStringInfo(
			&sql, " AND %s",
			dp_above_expression(dataset, "own", ((const DpRelation *) lfirst(cell))->oid, "true"));
	return sql.data;
}

/* dataset has a unit_column. */
static char *
bounded_clause(const DpRelation *relation, const DpDataset *dataset)
{
	const DpDomain *domain = &relation->domain;
	const char *unit = OidIsValid(dataset->parent) ? dp_unit_expression(dataset, "own")
												   : quote_identifier(dataset->unit_column);
	char *columns = numbered_columns(domain->attributes);
	StringInfoData named;   /* "sex" AS c1, ... */
	StringInfoData renamed; /* c1 AS "sex", ... */
	StringInfoData hashed;  /* "sex", ..., "person" */

	initStringInfo(&named);
	initStringInfo(&renamed);
	initStringInfo(&hashed);
	for (uint32 i = 0; i < domain->attributes; i++)
	{
		const char *name = quote_identifier(domain->attribute[i].name);
		const char *value = value_of(relation, dataset, i);
		const char *comma = i ? ", " : "";

		appendStringInfo(&named, "%s%s AS c%u", comma, value, i + 1);
		appendStringInfo(&renamed, "%sc%u AS %s", comma, i + 1, name);
		appendStringInfo(&hashed, "%s, ", value);
	}
	appendStringInfoString(&hashed, unit);
	return psprintf(
		"(SELECT %s FROM (SELECT %s, pg_catalog.row_number() OVER"
		" (PARTITION BY unit ORDER BY dp_catalog.dp_row_order($2, ROW(hash, copy))) AS place"
		" FROM (SELECT %s, unit, hash,"
		" pg_catalog.row_number() OVER (PARTITION BY unit, hash) AS copy"
		" FROM (SELECT %s, %s AS unit, dp_catalog.dp_row_order($2, ROW(%s)) AS hash FROM %s own"
		" WHERE %s IS NOT NULL%s) a) b) c"
		" WHERE place <= %u) bounded",
		renamed.data, columns, columns, named.data, unit, hashed.data,
		dp_relation_label(relation->oid), unit, only_with_rows_above(relation, dataset),
		dataset->unit.rows_max);
}

bytea *
dp_source_key(void)
{
	bytea *key = palloc(VARHDRSZ + DP_SIPHASH_KEY_BYTES);

	SET_VARSIZE(key, VARHDRSZ + DP_SIPHASH_KEY_BYTES);
	if (!pg_strong_random(VARDATA(key), DP_SIPHASH_KEY_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate a random key")));
	return key;
}

DpSource *
dp_source_create(const DpRelation *relation, const DpDataset *dataset)
{
	DpSource *source = palloc0(sizeof(DpSource));

	source->relation = relation;
	if (dataset->unit_column == NULL)
	{
		source->clause = dp_source_of(relation, dp_relation_label(relation->oid));
		return source;
	}
	source->unit_columns = OidIsValid(dataset->parent)
							   ? dp_foreign_key_columns(dp_dataset_reference(dataset), NULL)
							   : quote_identifier(dataset->unit_column);
	source->clause = bounded_clause(relation, dataset);
	source->key = dp_source_key();
	return source;
}
