/*
 * source.c -- what a release reads: all rows of the relation, or of each privacy
 * unit as many as it may contribute. RELEASE WORKER ONLY.
 *
 * Bounding. The rows of a unit are put in the order of a keyed hash, under a key
 * that is drawn for this release and thrown away with it, and the first k are
 * read. So
 *
 *   - what one unit contributes depends on its own rows and the key alone: two
 *     tables, one with a unit and one without it, give under the same key bounded
 *     tables that differ in at most k rows (2k where it is replaced), which is
 *     the sensitivity that every mechanism is calibrated to;
 *   - nobody can tell or steer which rows are chosen, by the order in which they
 *     are inserted or by their values, without the key;
 *   - each scan of the release, in whatever order or plan, chooses the same.
 *
 * Rows with equal values have equal hashes; the number of a copy among them is
 * hashed too, so that ten equal rows are ten chances. Which of the equal rows
 * bears which number is open, and makes no difference: they are equal in every
 * column that is read.
 *
 * Rows whose unit is NULL are not read: whose they are is unknown, and among rows
 * of several people who share one place, one that goes makes room for another's.
 */
#include "scan.h"

#include "lib/stringinfo.h"
#include "siphash.h"
#include "utils/builtins.h"

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

static char *
bounded_clause(const DpRelation *relation, const char *unit_column, uint32 rows_max)
{
	const DpDomain *domain = &relation->domain;
	const char *schema = dp_schema();
	char *columns = numbered_columns(domain->attributes);
	StringInfoData named;    /* "sex" AS c1, ... */
	StringInfoData renamed;  /* c1 AS "sex", ... */
	StringInfoData original; /* "sex", ... */

	initStringInfo(&named);
	initStringInfo(&renamed);
	initStringInfo(&original);
	for (uint32 i = 0; i < domain->attributes; i++)
	{
		const char *name = quote_identifier(domain->attribute[i].name);
		const char *comma = i ? ", " : "";

		appendStringInfo(&named, "%s%s AS c%u", comma, name, i + 1);
		appendStringInfo(&renamed, "%sc%u AS %s", comma, i + 1, name);
		appendStringInfo(&original, "%s%s", comma, name);
	}
	return psprintf("(SELECT %s FROM (SELECT %s, pg_catalog.row_number() OVER"
					" (PARTITION BY unit ORDER BY %s.dp_row_order($2, ROW(hash, copy))) AS place"
					" FROM (SELECT %s, unit, hash,"
					" pg_catalog.row_number() OVER (PARTITION BY unit, hash) AS copy"
					" FROM (SELECT %s, %s AS unit, %s.dp_row_order($2, ROW(%s)) AS hash FROM %s"
					" WHERE %s IS NOT NULL) a) b) c"
					" WHERE place <= %u) bounded",
					renamed.data, columns, schema, columns, named.data,
					quote_identifier(unit_column), schema, original.data,
					dp_relation_label(relation->oid), quote_identifier(unit_column), rows_max);
}

DpSource *
dp_source_create(const DpRelation *relation, const DpDataset *dataset)
{
	DpSource *source = palloc0(sizeof(DpSource));
	bytea *key;

	source->relation = relation;
	if (dataset->unit_column == NULL)
	{
		source->clause = dp_relation_label(relation->oid);
		return source;
	}
	source->unit_column = dataset->unit_column;
	source->clause = bounded_clause(relation, dataset->unit_column, dataset->unit.rows_max);
	key = palloc(VARHDRSZ + DP_SIPHASH_KEY_BYTES);
	SET_VARSIZE(key, VARHDRSZ + DP_SIPHASH_KEY_BYTES);
	if (!pg_strong_random(VARDATA(key), DP_SIPHASH_KEY_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate a random key")));
	source->key = key;
	return source;
}
