/*
 * source_tree.c -- the rows that a release of several tables reads. RELEASE WORKER ONLY.
 *
 * rows(T) are the rows of a table that are read:
 *
 *   the root     all rows
 * a child T of the rows that refer to one row of rows(parent), the k that come first by a keyed
 *                hash, k = max_rows_per_unit. Its siblings are numbered in the order of its
 * order_column, or its primary key, or the hash, so that each knows the one before it.
 *
 * A row of rows(T) has, beside its own values, those of its parent's row and of the rows that this
 * belongs to, the number of siblings, and what the siblings before it were: all of them of the same
 * unit. So a unit that is added or removed adds or removes its own rows of rows(T) alone, and no
 * other row changes. The number of rows of children in a row of the root changes no other row
 * either.
 *
 * The m children of a row are counted as min(m, f) s rows in all: each as min(m, f) s / m rows,
 * rounded down, and as many of them as are needed as one row more, those that come first by the
 * hash. So up to f of them count in full, and more count the less. s, in the table full_row, is the
 * largest that leaves w = f s at min(k, DP_TREE_ROWS_COUNTED) at most, or 1. Where m is more than
 * the rows counted, some of the m do not count: which, the hash says. The children of a row that is
 * counted c times are so c times. So a unit's rows of T count as the product of the w on the way to
 * the root, at most. That is the sensitivity of the table's plan.
 *
 * A column that is the distance from one of an ancestor has its value in plain rows. What it is from
 * comes down with the rows that belong to that row, and where both are the distance is made.
 *
 * Rows of a parent are distinguished by its key, which is UNIQUE. The key and the column that
 * refers to it have one equality (dp_one_equality), so a row of the child joins one row of the
 * parent at most.
 */
#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "pg/domain/distance.h"
#include "pg/domain/distance_base.h"
#include "pg/server/catalog.h"
#include "pg/worker/scan.h"

/* So much larger may noise be, relative to what is counted, that more rows of a parent count in
 * full. */
#define FULL_ROWS_NOISE 1.35

static char *rows_of(const DpTableTree *tree, int number);

static bool
is_child(const DpTableTree *tree, int child, int parent)
{
	return child > parent && tree->table[child].parent == parent;
}

static bool
is_parent(const DpTableTree *tree, int number)
{
	for (int i = number + 1; i < tree->tables; i++)
		if (is_child(tree, i, number))
			return true;
	return false;
}

/* ---- what distances are from ---- */

/* Whether a table belongs to another, by way of others or not. */
static bool
is_below(const DpTableTree *tree, int number, int above)
{
	while (number > above)
		number = tree->table[number].parent;
	return number == above;
}

/* Whether a relation is one that a table belongs to. */
static bool
is_above(const DpTableTree *tree, int number, Oid relation)
{
	for (int at = tree->table[number].parent; at >= 0; at = tree->table[at].parent)
		if (tree->table[at].relation == relation)
			return true;
	return false;
}

/* Whether an own attribute of a table is the distance from a column of an ancestor. */
static bool
is_from_above(const DpTreeTable *table, uint32 own)
{
	return OidIsValid(table->facts->column[own].base_relation);
}

/*
 * What distances of tables below one are from, b3_1 for attribute 1 of table 3: columns of that one,
 * where here, else of its ancestors. alias: what has them so already; NULL: the table itself.
 */
static void
append_bases(StringInfo sql, const DpTableTree *tree, int number, const char *alias, bool here)
{
	Oid relation = tree->table[number].relation;

	for (int i = number + 1; i < tree->tables; i++)
	{
		const DpTreeTable *below = &tree->table[i];

		for (uint32 a = 0; is_below(tree, i, number) && a < below->own; a++)
		{
			const DpColumn *column = &below->facts->column[a];

			if (!is_from_above(below, a) || (here ? column->base_relation != relation
												  : !is_above(tree, number, column->base_relation)))
				continue;
			if (alias == NULL)
				appendStringInfo(sql, "%s AS b%d_%u, ", dp_distance_base_expression(column, ""), i,
								 a);
			else
				appendStringInfo(sql, "%s.b%d_%u, ", alias, i, a);
		}
	}
}

/* The own attributes of a row x that belongs to y, distances made. */
static void
append_own_joined(StringInfo sql, const DpTreeTable *table, int number)
{
	for (uint32 i = 0; i < table->own; i++)
	{
		const DpColumn *column = &table->facts->column[i];

		if (!is_from_above(table, i))
			appendStringInfo(sql, "x.a%u, ", i);
		else
			appendStringInfo(
				sql, "%s AS a%u, ",
				dp_distance_expression(psprintf("x.a%u", i), psprintf("y.b%d_%u", number, i),
									   table->facts->domain.attribute[i].other, column->own_type),
				i);
	}
}

/* "a0, a1, ..." with a prefix. */
static void
append_own(StringInfo sql, const DpTreeTable *table, const char *prefix)
{
	for (uint32 i = 0; i < table->own; i++)
		appendStringInfo(sql, "%sa%u, ", prefix, i);
}

/* "y.q3_0, y.q3_1": the key that rows of table 3 refer to. */
static char *
key_of(const DpTableTree *tree, int child, const char *alias)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int c = 0; c < tree->table[child].reference->columns; c++)
		appendStringInfo(&sql, "%s%s.q%d_%d", c ? ", " : "", alias, child, c);
	return sql.data;
}

/* The keys that children refer to. */
static void
append_keys(StringInfo sql, const DpTableTree *tree, int number, const char *alias)
{
	for (int i = number + 1; i < tree->tables; i++)
		if (is_child(tree, i, number))
			appendStringInfo(sql, "%s, ", key_of(tree, i, alias));
}

/* "u.site AS q3_0, ...": the same in the parent itself, which may have a name. */
static void
append_key_columns(StringInfo sql, const DpTableTree *tree, int child, const char *prefix)
{
	const DpForeignKey *key = tree->table[child].reference;

	for (int c = 0; c < key->columns; c++)
		appendStringInfo(sql, "%s%s AS q%d_%d, ", prefix, quote_identifier(key->key[c]), child, c);
}

/* A row refers to a row: y.q3_0 = x.f0 AND ... */
static char *
refers_of(const DpTreeTable *table, int number)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int c = 0; c < table->reference->columns; c++)
		appendStringInfo(&sql, "%s%s", c ? " AND " : "",
						 dp_foreign_key_compare(&table->reference->equal[c],
												psprintf("y.q%d_%d", number, c),
												psprintf("x.f%d", c)));
	return sql.data;
}

/* A table as it is: own attributes a0, ..., keys q1_0, ..., its reference f0, ... and its own
 * key o. */
static char *
plain_rows(const DpTableTree *tree, int number)
{
	const DpTreeTable *table = &tree->table[number];
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	for (uint32 i = 0; i < table->own; i++)
		appendStringInfo(&sql, "%s AS a%u, ", dp_source_value(table->facts, i, ""), i);
	for (int i = number + 1; i < tree->tables; i++)
		if (is_child(tree, i, number))
			append_key_columns(&sql, tree, i, "");
	append_bases(&sql, tree, number, NULL, true);
	for (int c = 0; table->parent >= 0 && c < table->reference->columns; c++)
		appendStringInfo(&sql, "%s AS f%d, ", quote_identifier(table->reference->column[c]), c);
	appendStringInfo(&sql, "%s AS o, 1 AS copies FROM %s",
					 table->key ? quote_identifier(table->key) : "NULL",
					 is_parent(tree, number) ? dp_parent_label(table->relation)
											 : dp_relation_label(table->relation));
	if (table->parent >= 0)
		appendStringInfo(&sql, " WHERE ROW(%s) IS NOT NULL",
						 dp_foreign_key_columns(table->reference, NULL));
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* What the hash of a row x is taken of. Rows that are alike have different children. */
static void
append_hashed(StringInfo sql, const DpTableTree *tree, int number)
{
	const DpTreeTable *table = &tree->table[number];

	append_own(sql, table, "x.");
	append_keys(sql, tree, number, "x");
	for (int c = 0; table->parent >= 0 && c < table->reference->columns; c++)
		appendStringInfo(sql, "x.f%d, ", c);
	appendStringInfoString(sql, "x.o");
}

char *
dp_source_tree_rows(const DpTableTree *tree, int number)
{
	StringInfoData sql;

	initStringInfo(&sql);
	append_hashed(&sql, tree, number);
	appendStringInfo(&sql, ") FROM %s x", plain_rows(tree, number));
	return sql.data;
}

char *
dp_source_tree_references(const DpTableTree *tree, int child)
{
	const DpTreeTable *table = &tree->table[child];
	char *columns = dp_foreign_key_columns(table->reference, "d");

	return psprintf("SELECT dp_catalog.dp_row_cache($1, %s) FROM %s d WHERE ROW(%s) IS NOT NULL",
					columns, dp_relation_label(table->relation), columns);
}

/* How many rows of a child refer to each row of its parent, k at most: the key and n. */
static char *
counts_of(const DpTableTree *tree, int child)
{
	const DpTreeTable *table = &tree->table[child];
	const DpForeignKey *key = table->reference;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	append_key_columns(&sql, tree, child, "u.");
	appendStringInfo(&sql,
					 "least(pg_catalog.count(d.%s), %u)::pg_catalog.int4 AS n FROM %s u LEFT JOIN "
					 "%s d ON %s GROUP BY",
					 quote_identifier(key->column[0]), table->dataset.rows_per_parent,
					 dp_parent_label(tree->table[table->parent].relation),
					 dp_relation_label(table->relation), dp_foreign_key_condition(key, "u", "d"));
	for (int c = 0; c < key->columns; c++)
		appendStringInfo(&sql, "%s u.%s", c ? "," : "", quote_identifier(key->key[c]));
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* The counts are those of a row: g3.q3_0 = r.q3_0 AND ..., by the key's own equality. */
static char *
counted_of(const DpTableTree *tree, int child)
{
	const DpForeignKey *key = tree->table[child].reference;
	StringInfoData sql;

	initStringInfo(&sql);
	for (int c = 0; c < key->columns; c++)
		appendStringInfo(&sql, "%s%s", c ? " AND " : "",
						 dp_foreign_key_compare(&key->same[c],
												psprintf("g%d.q%d_%d", child, child, c),
												psprintf("r.q%d_%d", child, c)));
	return sql.data;
}

/* Rows with what belongs to them: k3 for an attribute 3 that is the parent's or its parent's, c the
 * parent's copies, the parent's key, the hash h. */
static char *
joined_rows(const DpTableTree *tree, int number)
{
	const DpTreeTable *table = &tree->table[number];
	const DpTreeTable *parent = &tree->table[table->parent];
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	append_own_joined(&sql, table, number);
	append_keys(&sql, tree, number, "x");
	append_bases(&sql, tree, number, "x", true);
	append_bases(&sql, tree, number, "y", false);
	for (uint32 i = 0; i < table->facts->domain.attributes; i++)
		if (table->from_parent[i] >= 0)
			appendStringInfo(&sql, "y.%c%d AS k%u, ",
							 table->from_parent[i] < (int) parent->own ? 'a' : 'k',
							 table->from_parent[i], i);
	appendStringInfo(&sql, "x.o, y.copies AS c, %s, dp_catalog.dp_row_order($2, ROW(",
					 key_of(tree, number, "y"));
	append_hashed(&sql, tree, number);
	appendStringInfo(&sql, ")) AS h FROM %s x JOIN %s y ON %s)", plain_rows(tree, number),
					 rows_of(tree, table->parent), refers_of(table, number));
	return sql.data;
}

/*
 * The sort keys of the rows of one parent. The hash decides among rows with equal keys (a key need
 * not be UNIQUE over tables that inherit), because the order of equal rows in a sort can depend on
 * rows of other units.
 */
static char *
siblings_window(const DpTableTree *tree, int number)
{
	const DpTreeTable *table = &tree->table[number];

	return psprintf("(PARTITION BY %s ORDER BY %s%sz.h)", key_of(tree, number, "z"),
					table->order < 0 ? "" : psprintf("z.a%d, ", table->order),
					table->key ? "z.o, " : "");
}

/* The same with the number m of siblings, and the position among them by the hash. */
static char *
placed_rows(const DpTableTree *tree, int number)
{
	return psprintf("(SELECT z.*, least(dp_catalog.dp_sibling_count() OVER w, %u)::pg_catalog.int4"
					" AS m, dp_catalog.dp_sibling_place(z.h) OVER w AS place FROM %s z WINDOW w AS"
					" %s)",
					tree->table[number].dataset.rows_per_parent, joined_rows(tree, number),
					siblings_window(tree, number));
}

/* How many times a row is counted. */
static char *
copies_of(const DpTreeTable *table)
{
	char *all = psprintf("(least(m, %u) * %u)", table->full, table->full_row);

	return psprintf("c * (%s / m + CASE WHEN place <= %s %% m THEN 1 ELSE 0 END)", all, all);
}

/* Rows with the number of times that they are counted, and with values of siblings: p3 and g3 for
 * the own attribute 3. */
static char *
rows_of(const DpTableTree *tree, int number)
{
	const DpTreeTable *table = &tree->table[number];
	StringInfoData sql;

	if (table->parent < 0)
		return plain_rows(tree, number);
	initStringInfo(&sql);
	appendStringInfo(&sql, "(SELECT z.*, %s AS copies", copies_of(table));
	for (uint32 i = 0; i < table->own; i++)
		if (!dp_tree_has_again(&table->facts->domain.attribute[i]))
			appendStringInfo(&sql, ", dp_catalog.dp_sibling_last(z.a%u) OVER w AS p%u", i, i);
		else
			appendStringInfo(&sql,
							 ", dp_catalog.dp_sibling_previous(z.a%u) OVER w AS p%u,"
							 " dp_catalog.dp_sibling_again(z.a%u) OVER w AS g%u",
							 i, i, i, i);
	appendStringInfo(&sql,
					 " FROM %s z WHERE z.place <= %u"
					 " WINDOW w AS %s)",
					 placed_rows(tree, number), table->dataset.rows_per_parent,
					 siblings_window(tree, number));
	return sql.data;
}

/* The column of rows_of, or of a join with counts, that an attribute of the table is. */
static char *
column_of(const DpTableTree *tree, int number, uint32 attribute)
{
	const DpTreeTable *table = &tree->table[number];
	const char *name = table->facts->domain.attribute[attribute].name;

	if (attribute < table->own)
		return psprintf("r.a%u", attribute);
	if (table->from_parent[attribute] >= 0)
		return psprintf("r.k%u", attribute);
	for (int i = number + 1; i < tree->tables; i++)
		if (is_child(tree, i, number) && strcmp(name, dp_tree_count_name(tree->table[i].name)) == 0)
			return psprintf("coalesce(g%d.n, 0)", i);
	if (strcmp(name, dp_tree_siblings_name(table->name)) == 0)
		return pstrdup("r.m");
	for (uint32 i = 0; i < table->own; i++)
	{
		const char *own = table->facts->domain.attribute[i].name;

		if (strcmp(name, dp_tree_previous_name(table->name, own)) == 0)
			return psprintf("r.p%u", i);
		if (strcmp(name, dp_tree_again_name(table->name, own)) == 0)
			return psprintf("r.g%u", i);
	}
	elog(ERROR, "dpsyn: an attribute of a tree is unknown");
}

uint32
dp_source_full_rows(const DpTreeTable *table, const DpModel *parent)
{
	const DpTable *number =
		&parent->table[dp_domain_find(&parent->domain, dp_tree_count_name(table->name))];
	double parents = 0, rows = 0, more;
	uint32 full = 1;

	for (uint64 i = 1; i < number->cells; i++)
		parents += number->value[i];
	if (!(parents > 0)) /* noise alone */
		return 1;
	more = parents; /* those with at least so many rows */
	for (uint32 i = 1; i < number->cells; i++)
	{
		rows += more;
		more -= number->value[i];
		if (rows > 0 && i * parents <= FULL_ROWS_NOISE * rows)
			full = i;
	}
	return Min(full, table->full_most);
}

DpSource *
dp_source_of_tree(const DpTableTree *tree, int number, bytea *key)
{
	const DpTreeTable *table = &tree->table[number];
	DpSource *source = palloc0(sizeof(DpSource));
	StringInfoData sql;

	initStringInfo(&sql);
	for (uint32 i = 0; i < table->facts->domain.attributes; i++)
		appendStringInfo(&sql, "%sc.c%u AS %s", i ? ", " : "(SELECT ", i,
						 quote_identifier(table->facts->domain.attribute[i].name));
	appendStringInfoString(&sql, " FROM (SELECT ");
	for (uint32 i = 0; i < table->facts->domain.attributes; i++)
		appendStringInfo(&sql, "%s AS c%u, ", column_of(tree, number, i), i);
	appendStringInfo(&sql, "%s FROM %s r",
					 table->parent < 0 ? "1" : "pg_catalog.generate_series(1, r.copies)",
					 rows_of(tree, number));
	for (int i = number + 1; i < tree->tables; i++)
		if (is_child(tree, i, number))
			appendStringInfo(&sql, " LEFT JOIN %s g%d ON %s", counts_of(tree, i), i,
							 counted_of(tree, i));
	appendStringInfoString(&sql, ") c) linked");
	source->relation = table->facts;
	source->clause = sql.data;
	source->key = key;
	source->of_tree = true;
	source->number = number;
	return source;
}
