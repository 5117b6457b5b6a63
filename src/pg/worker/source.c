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
 *   - Each scan of the release chooses the same rows, in whatever order or plan, and so does
 *     scan_bounded.c, which reads them once and keeps their codes.
 *   - A unit that has no more than k rows has all of them read, whatever the key. So only those of
 *     other units are put in order, if there are any.
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

#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "core/base/siphash.h"
#include "pg/budget/parent.h"
#include "pg/domain/distance.h"
#include "pg/domain/distance_base.h"
#include "pg/domain/public_lookup.h"
#include "pg/domain/references.h"
#include "pg/question/asked.h"
#include "pg/server/catalog.h"
#include "pg/server/untrusted_code.h"
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
dp_source_value(const DpRelation *relation, uint32 attribute, const char *of)
{
	const DpColumn *column = &relation->column[attribute];
	char *name = psprintf("%s%s", of, quote_identifier(relation->domain.attribute[attribute].name));

	if (column->field != NULL)
		return dp_json_field_expression(column->field, of);
	if (column->lookup != NULL)
		return dp_public_lookup_expression(column->lookup, of);
	if (column->refers != NIL)
		return dp_reference_condition(column, of);
	if (column->exists)
		return pstrdup("true");
	if (column->base == 0) /* one from an ancestor is made where both rows are */
		return name;
	return dp_distance_expression(name, dp_distance_base_expression(column, of),
								  relation->domain.attribute[attribute].other, column->own_type);
}

char *
dp_source_of(const DpRelation *relation, const char *label)
{
	char *where = dp_source_where(relation);
	bool any = where[0] != '\0';
	StringInfoData columns;

	initStringInfo(&columns);
	for (uint32 i = 0; i < relation->domain.attributes; i++)
	{
		const char *name = quote_identifier(relation->domain.attribute[i].name);
		char *value = dp_source_value(relation, i, "");

		any |= strcmp(value, name) != 0;
		appendStringInfo(&columns, "%s%s AS %s", i ? ", " : "", value, name);
	}
	return any ? psprintf("(SELECT %s FROM %s%s) computed", columns.data, label, where)
			   : pstrdup(label);
}

/* ---- whose row it is ---- */

/*
 * Rows with whose they are: c1, c2, ... are the attributes, u1, u2, ... tell the unit.
 */
typedef struct UnitRows
{
	uint32 attributes;
	int units;       /* columns that tell the unit */
	char *rows;      /* a subquery: rows whose unit is known */
	char *same;      /* that rows "r" and "o" are of one unit, by the equality that groups them */
	bool hashable;   /* all of these columns have a built-in hash for this equality */
	uint32 rows_max; /* of one unit */
} UnitRows;

/* "u1, u2, ...", with what stands before each. */
static char *
unit_list(const UnitRows *of, const char *prefix)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 1; i <= of->units; i++)
		appendStringInfo(&list, "%s%su%d", i > 1 ? ", " : "", prefix, i);
	return list.data;
}

/* The dataset whose rows have the columns that tell the unit, and these. */
static List *
unit_columns(const DpDataset *dataset, Oid *relation)
{
	int steps;
	const DpForeignKey *key = dp_dataset_unit_reference(dataset, &steps);
	List *columns = NIL;

	*relation =
		steps == 0 ? dataset->relation : list_nth_oid(dp_dataset_parents(dataset), steps - 1);
	if (key == NULL)
		return list_make1(dataset->unit_column);
	for (int i = 0; i < key->columns; i++)
		columns = lappend(columns, key->column[i]);
	return columns;
}

static char *
same_unit(List *columns, Oid relation)
{
	StringInfoData sql;
	ListCell *cell;
	int i = 1;

	initStringInfo(&sql);
	foreach (cell, columns)
	{
		Oid type = get_atttype(relation, get_attnum(relation, lfirst(cell)));
		DpForeignKeyOperator equal = dp_equality_operator(type);

		appendStringInfo(
			&sql, "%s%s", i > 1 ? " AND " : "",
			dp_foreign_key_compare(&equal, psprintf("r.u%d", i), psprintf("o.u%d", i)));
		i++;
	}
	return sql.data;
}

static bool
is_hashable(List *columns, Oid relation)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		Oid type = get_atttype(relation, get_attnum(relation, lfirst(cell)));

		if (!OidIsValid(lookup_type_cache(type, TYPECACHE_HASH_PROC)->hash_proc) ||
			dp_type_runs_code(getBaseType(type)))
			return false;
	}
	return true;
}

static UnitRows
unit_rows(const DpRelation *relation, const DpDataset *dataset, uint32 rows_max)
{
	Oid holder;
	List *columns = unit_columns(dataset, &holder);
	UnitRows of = {.attributes = relation->domain.attributes,
				   .units = list_length(columns),
				   .same = same_unit(columns, holder),
				   .hashable = is_hashable(columns, holder),
				   .rows_max = rows_max};

	of.rows = psprintf("(%s)", dp_source_asked_rows(relation, dataset));
	return of;
}

/* "c1, ..., u1, ..." */
static char *
all_columns(const UnitRows *of)
{
	return psprintf("%s, %s", numbered_columns(of->attributes), unit_list(of, ""));
}

/* ---- how many of its rows ---- */

/* Units that have more rows than may be read. */
static char *
units_over(const UnitRows *of)
{
	char *unit = unit_list(of, "");

	return psprintf("(SELECT %s FROM %s r GROUP BY %s HAVING pg_catalog.count(*) > %u)", unit,
					of->rows, unit, of->rows_max);
}

/* The rows of units that may be read, be it of all units or of those that "only" joins. */
static char *
rows_ranked(const UnitRows *of, const char *only)
{
	char *columns = numbered_columns(of->attributes);
	char *unit = unit_list(of, ""), *unit_of_row = unit_list(of, "r.");
	char *hashed = psprintf("%s, %s", columns, unit_of_row);

	return psprintf("SELECT %s, %s FROM (SELECT %s, %s, pg_catalog.row_number() OVER"
					" (PARTITION BY %s ORDER BY dp_catalog.dp_row_order($2, ROW(hash, copy)))"
					" AS place FROM (SELECT %s, %s, hash,"
					" pg_catalog.row_number() OVER (PARTITION BY %s, hash) AS copy"
					" FROM (SELECT %s, %s, dp_catalog.dp_row_order($2, ROW(%s)) AS hash"
					" FROM %s r%s) a) b) c WHERE place <= %u",
					columns, unit, columns, unit, unit, columns, unit, unit, columns, unit_of_row,
					hashed, of->rows, only, of->rows_max);
}

/* All rows of units that have no more than may be read, whatever the key, and of the others those
 * that are. So rows of few units are sorted, or none. */
static char *
rows_bounded(const UnitRows *of)
{
	char *over = units_over(of);

	return psprintf("SELECT %s FROM %s r WHERE NOT EXISTS (SELECT FROM %s o WHERE %s)"
					" UNION ALL %s",
					all_columns(of), of->rows, over, of->same,
					rows_ranked(of, psprintf(" JOIN %s o ON %s", over, of->same)));
}

static bool
has_attribute(const DpDomain *domain, const char *name)
{
	for (uint32 i = 0; i < domain->attributes; i++)
		if (strcmp(domain->attribute[i].name, name) == 0)
			return true;
	return false;
}

/* Names of the columns that identify the unit and are no attributes. */
static List *
unit_names(const DpDomain *domain, int units)
{
	List *names = NIL;

	for (int i = 1; i <= units; i++)
	{
		char *name = psprintf("u%d", i);

		while (has_attribute(domain, name))
			name = psprintf("%s_", name);
		names = lappend(names, name);
	}
	return names;
}

/* The text after FROM: rows with the attributes and the columns that identify the unit, by name. */
static char *
named_clause(const DpRelation *relation, const List *unit, const char *rows)
{
	const DpDomain *domain = &relation->domain;
	StringInfoData renamed; /* c1 AS "sex", ... */
	ListCell *cell;

	initStringInfo(&renamed);
	for (uint32 i = 0; i < domain->attributes; i++)
		appendStringInfo(&renamed, "%sc%u AS %s", i ? ", " : "", i + 1,
						 quote_identifier(domain->attribute[i].name));
	foreach (cell, unit)
		appendStringInfo(&renamed, ", u%d AS %s", foreach_current_index(cell) + 1,
						 (char *) lfirst(cell));
	return psprintf("(SELECT %s FROM (%s) named) bounded", renamed.data, rows);
}

/* Whether a statement that reads the relation twice reads the same rows: no view, of which a
 * function may be volatile, no foreign server, and no worker node of Citus, which has snapshots of its
 * own. */
static bool
reads_the_same_twice(const DpDataset *dataset)
{
	return get_rel_relkind(dataset->relation) != RELKIND_VIEW &&
		   !dp_scan_may_be_foreign(dataset->relation) && !dp_dataset_is_distributed(dataset);
}

/* How many units there are of each class of numbers of rows. */
static char *
units_by_rows(const UnitRows *of, const uint32 *last, uint32 classes)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (uint32 i = 0; i < classes; i++)
	{
		appendStringInfo(&sql, "%spg_catalog.count(*)", i ? ", " : "SELECT ");
		if (classes == 1)
			break;
		appendStringInfoString(&sql, " FILTER (WHERE ");
		if (i > 0)
			appendStringInfo(&sql, "n OPERATOR(pg_catalog.>) %u", last[i - 1]);
		if (i + 1 < classes)
			appendStringInfo(&sql, "%sn OPERATOR(pg_catalog.<=) %u", i > 0 ? " AND " : "", last[i]);
		appendStringInfoChar(&sql, ')');
	}
	appendStringInfo(&sql,
					 ", pg_catalog.max(n) FROM (SELECT pg_catalog.count(*) AS n FROM %s r"
					 " GROUP BY %s) units",
					 of->rows, unit_list(of, ""));
	return sql.data;
}

/* dataset has a unit_column. */
static void
source_bound(DpSource *source, const DpRelation *relation, const DpDataset *dataset,
			 uint32 rows_max)
{
	UnitRows of = unit_rows(relation, dataset, rows_max);
	List *unit = source->unit_names = unit_names(&relation->domain, of.units);

	source->rows_max = of.rows_max;
	source->unit_rows = of.hashable ? of.rows : NULL;
	source->units = of.units;
	if (!reads_the_same_twice(dataset))
	{
		source->clause = named_clause(relation, unit, rows_ranked(&of, ""));
		return;
	}
	source->clause = named_clause(relation, unit, rows_bounded(&of));
	source->whole =
		named_clause(relation, unit, psprintf("SELECT %s FROM %s r", all_columns(&of), of.rows));
	/* EXISTS would be planned for a unit that is found soon, and most often there is none */
	source->any_over =
		psprintf("SELECT pg_catalog.count(*) OPERATOR(pg_catalog.>) 0 FROM %s o", units_over(&of));
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
dp_source_create(const DpRelation *relation, const DpDataset *dataset, uint32 rows_max)
{
	DpSource *source = palloc0(sizeof(DpSource));

	source->relation = relation;
	if (dataset->unit_column == NULL && dp_asked_by_select(relation))
	{
		source->clause = named_clause(relation, NIL, dp_source_asked_rows(relation, dataset));
		return source;
	}
	if (dataset->unit_column == NULL)
	{
		source->clause = dp_source_of(relation, dp_relation_label(relation->oid));
		return source;
	}
	source->unit_columns = OidIsValid(dataset->parent)
							   ? dp_foreign_key_columns(dp_dataset_reference(dataset), NULL)
							   : quote_identifier(dataset->unit_column);
	source->dataset = dataset;
	source_bound(source, relation, dataset, rows_max);
	source->key = dp_source_key();
	return source;
}

char *
dp_source_units(const DpSource *source, const uint32 *last, uint32 classes)
{
	UnitRows of = unit_rows(source->relation, source->dataset, last[classes - 1]);

	return units_by_rows(&of, last, classes);
}

DpSource *
dp_source_with_bound(const DpSource *source, uint32 rows_max, int64 largest)
{
	DpSource *bound = palloc(sizeof(DpSource));

	*bound = *source;
	bound->any_over = bound->whole = NULL;
	source_bound(bound, source->relation, source->dataset, rows_max);
	if (bound->whole != NULL && largest <= (int64) rows_max)
		bound->clause = bound->whole;
	bound->any_over = NULL; /* nobody needs to ask */
	return bound;
}
