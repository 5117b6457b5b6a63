/*
 * evaluate_tree.c -- relations that belong together, original and synthetic: each by itself, and what
 * hangs together across them.
 *
 * Foreign keys are those of the original relations. Each question is a statement that joins the rows
 * of one side, read and measured as a relation is. Keys themselves are not compared.
 */
#include "pg/evaluate/table_measures.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "pg/domain/tree_names.h"
#include "pg/server/catalog.h"
#include "pg/server/foreign_key.h"

typedef struct Table
{
	Oid relation[2];
	char *name;         /* of the original, without its schema */
	int parent;         /* -1: none of the others */
	DpForeignKey *link; /* to its parent */
	List *key;          /* of char *: its primary key; NIL: it has none */
	List *column;       /* of char *: what is compared */
} Table;

/* A measure of pairs of columns that are of interest. */
typedef struct Pairs
{
	const char *measure;
	double sum; /* of absolute values */
	uint32 n;
	DpMeasured worst; /* measure NULL: there is none */
} Pairs;

typedef struct TreeEvaluation
{
	const DpEvaluation *asked;
	DpMeasuredSink result;
	int tables;
	Table *table;
	/* of the statement at hand: which of its columns are of interest */
	bool (*wanted)(const struct TreeEvaluation *tree, const DpMeasured *row);
	const Table *at[2];     /* the parent, if one takes part, and the table */
	const char *summary[2]; /* what the mean of all pairs is called after */
	Pairs pairs[2];
	MemoryContext context;
} TreeEvaluation;

/* ---- names ---- */

static const char *
name_in(const Table *table, const char *column)
{
	return dp_tree_parent_name(table->name, column);
}

static bool
is_of(const char *name, const Table *table)
{
	size_t length = strlen(table->name);

	return strncmp(name, table->name, length) == 0 && name[length] == '.';
}

/* ---- the tables ---- */

static bool
is_listed(const List *names, const char *name)
{
	ListCell *cell;

	foreach (cell, names)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

static List *
primary_key(Oid oid)
{
	Relation relation = relation_open(oid, AccessShareLock);
	Bitmapset *key = RelationGetIndexAttrBitmap(relation, INDEX_ATTR_BITMAP_PRIMARY_KEY);
	List *names = NIL;
	int number = -1;

	while ((number = bms_next_member(key, number)) >= 0)
		names =
			lappend(names, get_attname(oid, number + FirstLowInvalidHeapAttributeNumber, false));
	relation_close(relation, AccessShareLock);
	return names;
}

/* The foreign key to another of the tables, the first where there are several. */
static void
find_parent(TreeEvaluation *tree, int number)
{
	Table *table = &tree->table[number];
	ListCell *cell;

	table->parent = -1;
	foreach (cell, dp_foreign_keys(table->relation[DP_ORIGINAL]))
	{
		DpForeignKey *key = lfirst(cell);

		for (int i = 0; i < tree->tables && table->parent < 0; i++)
			if (i != number && tree->table[i].relation[DP_ORIGINAL] == key->parent)
			{
				table->parent = i;
				table->link = key;
			}
	}
	for (int i = 0; table->link != NULL && i < table->link->columns; i++)
	{
		if (get_attnum(table->relation[DP_SYNTHETIC], table->link->column[i]) <= 0)
			dp_no_such_column(table->link->column[i], table->relation[DP_SYNTHETIC], NULL);
		if (get_attnum(tree->table[table->parent].relation[DP_SYNTHETIC], table->link->key[i]) <= 0)
			dp_no_such_column(table->link->key[i],
							  tree->table[table->parent].relation[DP_SYNTHETIC], NULL);
	}
}

/* Whether a column says which row it is, or whose. */
static bool
is_key(const TreeEvaluation *tree, int number, const char *column)
{
	const Table *table = &tree->table[number];

	if (is_listed(table->key, column))
		return true;
	for (int i = 0; table->link != NULL && i < table->link->columns; i++)
		if (strcmp(table->link->column[i], column) == 0)
			return true;
	for (int t = 0; t < tree->tables; t++)
		for (int i = 0; tree->table[t].parent == number && i < tree->table[t].link->columns; i++)
			if (strcmp(tree->table[t].link->key[i], column) == 0)
				return true;
	return false;
}

static void
find_columns(TreeEvaluation *tree, int number)
{
	Table *table = &tree->table[number];
	const List *asked = tree->asked->tables.wanted;
	Relation relation = relation_open(table->relation[DP_ORIGINAL], AccessShareLock);
	TupleDesc desc = RelationGetDescr(relation);

	for (int i = 0; i < desc->natts; i++)
	{
		char *name = NameStr(TupleDescAttr(desc, i)->attname);

		if (TupleDescAttr(desc, i)->attisdropped ||
			get_attnum(table->relation[DP_SYNTHETIC], name) <= 0 || is_key(tree, number, name) ||
			(asked != NIL && !is_listed(asked, name_in(table, name))))
			continue;
		table->column = lappend(table->column, pstrdup(name));
	}
	relation_close(relation, NoLock);
}

static void
check_pairs(const List *original, const List *synthetic)
{
	if (list_length(original) == list_length(synthetic))
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("there are %d original relations and %d synthetic ones",
						   list_length(original), list_length(synthetic)),
					errhint("Name the synthetic relation of each, in the same order.")));
}

static void
check_names(const TreeEvaluation *tree, int number)
{
	for (int i = 0; i < number; i++)
		if (strcmp(tree->table[i].name, tree->table[number].name) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("two relations are called \"%s\"", tree->table[number].name),
							errhint("Rename one of them.")));
}

static void
find_tables(TreeEvaluation *tree, List *original, List *synthetic)
{
	check_pairs(original, synthetic);
	tree->tables = list_length(original);
	tree->table = palloc0(sizeof(Table) * tree->tables);
	for (int i = 0; i < tree->tables; i++)
	{
		Table *table = &tree->table[i];

		table->relation[DP_ORIGINAL] = list_nth_oid(original, i);
		table->relation[DP_SYNTHETIC] = list_nth_oid(synthetic, i);
		dp_check_readable(table->relation[DP_ORIGINAL], "original");
		dp_check_readable(table->relation[DP_SYNTHETIC], "synthetic");
		table->name = get_rel_name(table->relation[DP_ORIGINAL]);
		table->key = primary_key(table->relation[DP_ORIGINAL]);
		check_names(tree, i);
	}
	for (int i = 0; i < tree->tables; i++)
		find_parent(tree, i);
	for (int i = 0; i < tree->tables; i++)
		find_columns(tree, i);
}

/* ---- what is told ---- */

/* A row of dp_evaluate about one table, with names that tell which. */
static void
put_own(void *context, const DpMeasured *row)
{
	const TreeEvaluation *tree = context;
	DpMeasured named = *row;
	const char **name = palloc(sizeof(char *) * Max(row->columns, 1));

	named.column = name;
	for (uint32 i = 0; i < row->columns; i++)
		name[i] = name_in(tree->at[1], row->column[i]);
	if (row->columns == 0)
	{
		name[0] = name_in(tree->at[1], "*");
		named.columns = 1;
	}
	dp_measured_put(&tree->result, &named);
}

static void
keep_worst(TreeEvaluation *tree, Pairs *pairs, const DpMeasured *row)
{
	MemoryContext caller;
	const char **name;

	if (pairs->worst.measure != NULL && !(fabs(row->value) > fabs(pairs->worst.value)))
		return;
	caller = MemoryContextSwitchTo(tree->context);
	name = palloc(sizeof(char *) * Max(row->columns, 1));
	for (uint32 i = 0; i < row->columns; i++)
		name[i] = pstrdup(row->column[i]);
	pairs->worst = *row;
	pairs->worst.measure = pairs->measure;
	pairs->worst.column = name;
	pairs->worst.detail = row->detail ? pstrdup(row->detail) : NULL;
	MemoryContextSwitchTo(caller);
}

/* A row of dp_evaluate about a statement that joins tables. */
static void
put_joined(void *context, const DpMeasured *row)
{
	TreeEvaluation *tree = context;

	if (row->columns == 0 || !tree->wanted(tree, row))
		return;
	if (row->columns == 1)
	{
		dp_measured_put(&tree->result, row);
		return;
	}
	for (size_t i = 0; i < lengthof(tree->pairs); i++)
	{
		Pairs *pairs = &tree->pairs[i];

		if (strcmp(row->measure, pairs->measure) != 0)
			continue;
		if (tree->asked->each)
			dp_measured_put(&tree->result, row);
		if (isnan(row->value))
			continue;
		pairs->sum += fabs(row->value);
		pairs->n++;
		keep_worst(tree, pairs, row);
	}
}

static void
put_pairs(TreeEvaluation *tree)
{
	for (size_t i = 0; i < lengthof(tree->pairs); i++)
	{
		Pairs *pairs = &tree->pairs[i];

		if (pairs->n == 0)
			continue;
		if (!tree->asked->each)
			dp_measured_put(&tree->result, &pairs->worst);
		dp_measured_put(&tree->result,
						&(DpMeasured){.measure = pairs->measure,
									  .column = tree->summary,
									  .columns = 2,
									  .value = pairs->sum / pairs->n,
									  .original = NAN,
									  .synthetic = NAN,
									  .detail = psprintf("mean of %u pairs", pairs->n)});
	}
}

/* ---- statements ---- */

/* The name of a table in a statement. */
static char *
alias_of(const TreeEvaluation *tree, const Table *table)
{
	return psprintf("t%d", (int) (table - tree->table));
}

static char *
label_of(const Table *table, DpSide side)
{
	return dp_relation_label(table->relation[side]);
}

/* 't1.ward AS "visits.ward", ...' */
static void
append_columns(StringInfo sql, const TreeEvaluation *tree, const Table *table)
{
	ListCell *cell;

	foreach (cell, table->column)
		appendStringInfo(sql, "%s.%s AS %s, ", alias_of(tree, table),
						 quote_identifier(lfirst(cell)),
						 quote_identifier(name_in(table, lfirst(cell))));
}

/* "t1.patient", or several with commas. */
static char *
reference_of(const Table *table, const char *alias)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < table->link->columns; i++)
		appendStringInfo(&sql, "%s%s.%s", i ? ", " : "", alias,
						 quote_identifier(table->link->column[i]));
	return sql.data;
}

static char *
has_reference(const Table *table, const char *alias)
{
	return psprintf("ROW(%s) IS NOT NULL", reference_of(table, alias));
}

/* Rows of a table with those of one above it. */
static char *
rows_across(const TreeEvaluation *tree, const Table *above, const Table *table, DpSide side)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	append_columns(&sql, tree, above);
	append_columns(&sql, tree, table);
	appendStringInfo(&sql, "NULL AS nothing FROM %s %s", label_of(table, side),
					 alias_of(tree, table));
	for (const Table *at = table; at != above; at = &tree->table[at->parent])
	{
		const Table *parent = &tree->table[at->parent];

		appendStringInfo(
			&sql, " JOIN %s %s ON %s", label_of(parent, side), alias_of(tree, parent),
			dp_foreign_key_condition(at->link, alias_of(tree, parent), alias_of(tree, at)));
	}
	appendStringInfoString(&sql, ") joined");
	return sql.data;
}

/* Rows of the parent with the number of rows that belong to each. */
static char *
rows_counted(const TreeEvaluation *tree, const Table *parent, const Table *table, DpSide side)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	append_columns(&sql, tree, parent);
	appendStringInfo(
		&sql,
		"coalesce(n.n, 0) AS %s FROM %s %s LEFT JOIN (SELECT %s, pg_catalog.count(*) AS n FROM %s d"
		" GROUP BY %s) n ON %s) counted",
		quote_identifier(dp_tree_count_name(table->name)), label_of(parent, side),
		alias_of(tree, parent), reference_of(table, "d"), label_of(table, side),
		reference_of(table, "d"),
		dp_foreign_key_condition(table->link, alias_of(tree, parent), "n"));
	return sql.data;
}

static char *
next_name(const Table *table, const char *column)
{
	return psprintf("%s.next.%s", table->name, column);
}

/* Rows of a table with those that follow them among the rows of one parent. */
static char *
rows_followed(const TreeEvaluation *tree, const Table *parent, const Table *table, DpSide side)
{
	const char *alias = alias_of(tree, table);
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT * FROM (SELECT ");
	append_columns(&sql, tree, table);
	foreach (cell, table->column)
		appendStringInfo(&sql, "pg_catalog.lead(%s.%s) OVER w AS %s, ", alias,
						 quote_identifier(lfirst(cell)),
						 quote_identifier(next_name(table, lfirst(cell))));
	appendStringInfo(&sql,
					 "pg_catalog.lead(true) OVER w AS followed FROM %s %s WHERE %s"
					 " WINDOW w AS (PARTITION BY %s",
					 label_of(table, side), alias, has_reference(table, alias),
					 reference_of(table, alias));
	foreach (cell, table->key)
		appendStringInfo(&sql, "%s%s.%s", foreach_current_index(cell) ? ", " : " ORDER BY ", alias,
						 quote_identifier(lfirst(cell)));
	appendStringInfoString(&sql, ")) r WHERE followed) followed");
	return sql.data;
}

/* ---- what is of interest ---- */

static bool
is_across(const TreeEvaluation *tree, const DpMeasured *row)
{
	return row->columns == 2 && is_of(row->column[0], tree->at[0]) &&
		   is_of(row->column[1], tree->at[1]);
}

static bool
is_counted(const TreeEvaluation *tree, const DpMeasured *row)
{
	const char *count = dp_tree_count_name(tree->at[1]->name);

	/* a number is never NULL */
	return row->columns <= 2 && strcmp(row->column[row->columns - 1], count) == 0 &&
		   strcmp(row->measure, "null_share") != 0;
}

/* A column, and the same of the row that follows. */
static bool
is_followed(const TreeEvaluation *tree, const DpMeasured *row)
{
	const Table *table = tree->at[1];
	ListCell *cell;

	if (row->columns != 2)
		return false;
	foreach (cell, table->column)
		if (strcmp(row->column[0], name_in(table, lfirst(cell))) == 0)
			return strcmp(row->column[1], next_name(table, lfirst(cell))) == 0;
	return false;
}

/* ---- measuring ---- */

/* Measures what a statement gives of both sides. Memory is given back. */
static void
measure(TreeEvaluation *tree, DpEvaluation *evaluation, const Table *table, const char *original,
		const char *synthetic)
{
	MemoryContext work =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn evaluation", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);

	dp_two_tables_take(&evaluation->tables, table->relation[0], table->relation[1]);
	evaluation->tables.from[DP_ORIGINAL] = original;
	evaluation->tables.from[DP_SYNTHETIC] = synthetic;
	evaluation->tables.may_be_empty = true;
	dp_evaluate_rows(evaluation);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

static void
measure_own(TreeEvaluation *tree, const Table *table)
{
	DpEvaluation evaluation = *tree->asked;

	if (table->column == NIL)
		return;
	tree->at[0] = NULL;
	tree->at[1] = table;
	evaluation.sink = (DpMeasuredSink){put_own, tree};
	evaluation.tables.wanted = table->column;
	measure(tree, &evaluation, table, NULL, NULL);
}

/* A statement, and which pairs of its columns are of interest. */
typedef struct Question
{
	const Table *parent; /* that takes part; NULL: none */
	const Table *table;
	char *(*rows)(const TreeEvaluation *tree, const Table *parent, const Table *table, DpSide side);
	bool (*wanted)(const TreeEvaluation *tree, const DpMeasured *row);
	const char *summary[2]; /* what the mean of all pairs is called after */
} Question;

static void
measure_joined(TreeEvaluation *tree, const Question *question)
{
	const Table *table = question->table;
	DpEvaluation evaluation = *tree->asked;

	tree->at[0] = question->parent;
	tree->at[1] = table;
	tree->wanted = question->wanted;
	memcpy(tree->summary, question->summary, sizeof(tree->summary));
	tree->pairs[0] = (Pairs){.measure = "tvd2"};
	tree->pairs[1] = (Pairs){.measure = "cramers_v"};
	evaluation.sink = (DpMeasuredSink){put_joined, tree};
	evaluation.tables.wanted = NIL;
	evaluation.ways = 2;
	evaluation.each = true;
	evaluation.cost_cells = 0;
	measure(tree, &evaluation, table, question->rows(tree, question->parent, table, DP_ORIGINAL),
			question->rows(tree, question->parent, table, DP_SYNTHETIC));
	put_pairs(tree);
}

static double
number_of(const char *sql)
{
	double number;

	SPI_connect();
	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "dpsyn: a number is missing");
	number = dp_spi_float8(0, 1);
	SPI_finish();
	return number;
}

/* The share of pairs of rows of one parent that have the same value. */
static double
share_alike(const TreeEvaluation *tree, const Table *table, const char *column, DpSide side)
{
	const char *of = "SELECT pg_catalog.sum(n * (n - 1)) FROM (SELECT pg_catalog.count(*) AS n"
					 " FROM %s d WHERE %s GROUP BY %s%s) g";
	const char *reference = reference_of(table, "d");
	const char *label = label_of(table, side), *has = has_reference(table, "d");
	const char *value = psprintf(", d.%s", quote_identifier(column));

	return number_of(psprintf("SELECT ((%s)::pg_catalog.float8 / nullif((%s), 0)"
							  "::pg_catalog.float8)",
							  psprintf(of, label, has, reference, value),
							  psprintf(of, label, has, reference, "")));
}

static void
put_alike(TreeEvaluation *tree, const Table *table)
{
	ListCell *cell;

	foreach (cell, table->column)
	{
		const char *name = name_in(table, lfirst(cell));
		double share[2];

		for (int side = 0; side < 2; side++)
			share[side] = share_alike(tree, table, lfirst(cell), (DpSide) side);
		dp_measured_put(&tree->result, &(DpMeasured){.measure = "same_as_sibling",
													 .column = &name,
													 .columns = 1,
													 .value = share[1] - share[0],
													 .original = share[0],
													 .synthetic = share[1]});
	}
}

static void
put_orphans(TreeEvaluation *tree, const Table *table)
{
	const char *name[INDEX_MAX_KEYS];
	double orphans[2];

	for (int i = 0; i < table->link->columns; i++)
		name[i] = name_in(table, table->link->column[i]);
	for (int side = 0; side < 2; side++)
		orphans[side] =
			number_of(psprintf("SELECT pg_catalog.count(*)::pg_catalog.float8 FROM %s d WHERE %s"
							   " AND NOT EXISTS (SELECT FROM %s u WHERE %s)",
							   label_of(table, (DpSide) side), has_reference(table, "d"),
							   label_of(&tree->table[table->parent], (DpSide) side),
							   dp_foreign_key_condition(table->link, "u", "d")));
	dp_measured_put(&tree->result, &(DpMeasured){.measure = "orphans",
												 .column = name,
												 .columns = (uint32) table->link->columns,
												 .value = orphans[1] - orphans[0],
												 .original = orphans[0],
												 .synthetic = orphans[1]});
}

static void
measure_child(TreeEvaluation *tree, const Table *table)
{
	const Table *parent = &tree->table[table->parent];
	int steps = 0;

	/* relations that refer to each other in a circle are no tree */
	for (const Table *above = parent; above != NULL && steps < tree->tables; steps++)
	{
		measure_joined(
			tree,
			&(Question){
				above, table, rows_across, is_across, {name_in(above, "*"), name_in(table, "*")}});
		above = above->parent >= 0 ? &tree->table[above->parent] : NULL;
	}
	measure_joined(tree, &(Question){parent,
									 table,
									 rows_counted,
									 is_counted,
									 {name_in(parent, "*"), dp_tree_count_name(table->name)}});
	if (table->key != NIL && table->column != NIL)
		measure_joined(tree, &(Question){NULL,
										 table,
										 rows_followed,
										 is_followed,
										 {name_in(table, "*"), next_name(table, "*")}});
	put_alike(tree, table);
	put_orphans(tree, table);
}

void
dp_evaluate_tree(DpEvaluation *evaluation, List *original, List *synthetic)
{
	TreeEvaluation tree = {
		.asked = evaluation, .result = evaluation->sink, .context = CurrentMemoryContext};

	find_tables(&tree, original, synthetic);
	for (int i = 0; i < tree.tables; i++)
		measure_own(&tree, &tree.table[i]);
	for (int i = 0; i < tree.tables; i++)
		if (tree.table[i].parent >= 0)
			measure_child(&tree, &tree.table[i]);
}
