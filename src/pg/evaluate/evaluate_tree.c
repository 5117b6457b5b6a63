/*
 * evaluate_tree.c -- relations that belong together, original and synthetic: each by itself, and
 * what hangs together across them. What is made up is listed, and is in no mean.
 *
 * Each joined is a statement that joins the rows of one side, read and measured as a relation is.
 */
#include "pg/evaluate/table_measures.h"

#include <math.h>

#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "pg/domain/tree_names.h"
#include "pg/evaluate/compared_tables.h"
#include "pg/server/catalog.h"

#define PUBLIC_VALUES_MAX 64 /* of a column of a public table that is compared */

/* A measure of pairs of columns that are of interest. */
typedef struct Pairs
{
	const char *measure;
	double sum; /* of absolute values */
	uint32 n;
	DpMeasured worst; /* measure NULL: there is none */
} Pairs;

/* The mean of a measure over all tables. */
typedef struct Mean
{
	double sum;
	uint32 n, tables;
} Mean;

typedef struct TreeEvaluation
{
	const DpEvaluation *whole;
	DpMeasuredSink result;
	DpComparedTables of;
	/* of the statement at hand: which of its columns are of interest */
	bool (*wanted)(const struct TreeEvaluation *tree, const DpMeasured *row);
	const DpComparedTable *at;
	const char *summary[2]; /* what the mean of all pairs is called after */
	Pairs pairs[2];
	Mean within[2]; /* of sets of one and of two columns of a table */
	Mean across;    /* of pairs across keys */
	MemoryContext context;
} TreeEvaluation;

/* Whether a name is one of "visits.*". */
static bool
is_of(const char *name, const char *all)
{
	return strncmp(name, all, strlen(all) - 1) == 0;
}

/* ---- rows of the result ---- */

static void
add_mean(Mean *mean, double value, uint32 n)
{
	mean->sum += value * n;
	mean->n += n;
	mean->tables++;
}

/* A row of dp_evaluate about one table, with names that tell which. */
static void
put_own(void *context, const DpMeasured *row)
{
	static const char *const within[] = {"tvd1", "tvd2"};
	TreeEvaluation *tree = context;
	DpMeasured named = *row;
	const char **name = palloc(sizeof(char *) * Max(row->columns, 1));

	for (size_t k = 0; k < lengthof(within); k++)
		if (row->sets > 0 && strcmp(row->measure, within[k]) == 0)
			add_mean(&tree->within[k], row->value, row->sets);
	named.column = name;
	for (uint32 i = 0; i < row->columns; i++)
		name[i] = dp_compared_name(tree->at, row->column[i]);
	if (row->columns == 0)
	{
		name[0] = dp_compared_name(tree->at, "*");
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
		if (tree->whole->each)
			dp_measured_put(&tree->result, row);
		if (isnan(row->value))
			continue;
		pairs->sum += fabs(row->value);
		pairs->n++;
		keep_worst(tree, pairs, row);
	}
}

/* ---- what is of interest ---- */

static bool
is_across(const TreeEvaluation *tree, const DpMeasured *row)
{
	return row->columns == 2 && is_of(row->column[0], tree->summary[0]) &&
		   is_of(row->column[1], tree->summary[1]) && !is_of(row->column[1], tree->summary[0]) &&
		   /* nor the column that refers, of which the other one is a function */
		   strcmp(psprintf("%s.*", row->column[1]), tree->summary[0]) != 0;
}

static bool
is_counted(const TreeEvaluation *tree, const DpMeasured *row)
{
	const char *count = dp_tree_count_name(tree->at->name);

	/* a number is never NULL */
	return row->columns <= 2 && strcmp(row->column[row->columns - 1], count) == 0 &&
		   strcmp(row->measure, "null_share") != 0;
}

/* A column, and the same of the row that follows. */
static bool
is_followed(const TreeEvaluation *tree, const DpMeasured *row)
{
	const DpComparedTable *table = tree->at;
	ListCell *cell;

	if (row->columns != 2)
		return false;
	foreach (cell, table->column)
		if (strcmp(row->column[0], dp_compared_name(table, lfirst(cell))) == 0)
			return strcmp(row->column[1], dp_compared_next_name(table, lfirst(cell))) == 0;
	return false;
}

static void
put_pairs(TreeEvaluation *tree)
{
	for (size_t i = 0; i < lengthof(tree->pairs); i++)
	{
		Pairs *pairs = &tree->pairs[i];

		if (pairs->n == 0)
			continue;
		if (tree->wanted == is_across && strcmp(pairs->measure, "tvd2") == 0)
			add_mean(&tree->across, pairs->sum / pairs->n, pairs->n);
		if (!tree->whole->each)
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

/* ---- measuring ---- */

/* Measures what a statement gives of both sides. Memory is given back. */
static void
measure(TreeEvaluation *tree, DpEvaluation *evaluation, const DpComparedTable *table,
		const char *original, const char *synthetic)
{
	MemoryContext work =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn evaluation", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);

	dp_two_tables_take(&evaluation->tables, table->relation[0], table->relation[1]);
	evaluation->tables.from[DP_ORIGINAL] = original;
	evaluation->tables.from[DP_SYNTHETIC] = synthetic;
	for (int side = 0; side < 2; side++)
		evaluation->tables.sources[side] = dp_compared_sources(&tree->of, (DpSide) side);
	evaluation->tables.may_be_empty = true;
	dp_evaluate_rows(evaluation);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

static double
number_of(const char *sql, const List *sources)
{
	DpUserContext user_context;
	double number;

	dp_caller_open(&user_context, sources);
	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "dpsyn: a number is missing");
	number = dp_spi_float8(0, 1);
	dp_caller_close(&user_context);
	return number;
}

/* A number of both sides. sql: a statement in which %s is the relation. */
static void
put_sides(TreeEvaluation *tree, const DpComparedTable *table, DpMeasured row, const char *sql)
{
	double number[2];

	for (int side = 0; side < 2; side++)
		number[side] = number_of(psprintf(sql, dp_compared_label(table, (DpSide) side)),
								 list_make1_oid(table->relation[side]));
	row.value = number[1] - number[0];
	row.original = number[0];
	row.synthetic = number[1];
	dp_measured_put(&tree->result, &row);
}

/*
 * Rows that say how many columns are modelled, and for each other column how its values are made.
 */
static void
put_made_up(TreeEvaluation *tree, const DpComparedTable *table)
{
	const char *all = dp_compared_name(table, "*");
	int modelled = list_length(table->column);
	ListCell *cell;

	if (table->role == DP_COMPARED_UNPROTECTED)
		return;
	dp_measured_put(
		&tree->result,
		&(DpMeasured){.measure = "modelled",
					  .column = &all,
					  .columns = 1,
					  .value = table->role == DP_COMPARED_PUBLIC
								   ? NAN
								   : modelled / (double) Max(table->columns, 1),
					  .original = table->columns,
					  .synthetic = modelled,
					  .detail = table->role == DP_COMPARED_PUBLIC
									? "public: nothing of it is compared"
									: psprintf("%d of %d columns", modelled, table->columns)});
	foreach (cell, table->made_up)
	{
		const DpMadeUpColumn *made_up = lfirst(cell);
		const char *name = dp_compared_name(table, made_up->column);

		if (get_attnum(table->relation[DP_SYNTHETIC], made_up->column) <= 0 ||
			dp_is_listed(table->column, made_up->column))
			continue;
		put_sides(tree, table,
				  (DpMeasured){
					  .measure = "made_up", .column = &name, .columns = 1, .detail = made_up->what},
				  psprintf("SELECT pg_catalog.avg((d.%s IS NULL)::pg_catalog.int4)"
						   "::pg_catalog.float8 FROM %%s d",
						   quote_identifier(made_up->column)));
	}
}

static void
measure_own(TreeEvaluation *tree, const DpComparedTable *table)
{
	DpEvaluation evaluation = *tree->whole;
	const char *all = dp_compared_name(table, "*");

	put_made_up(tree, table);
	if (table->column == NIL)
	{
		put_sides(tree, table, (DpMeasured){.measure = "rows", .column = &all, .columns = 1},
				  "SELECT pg_catalog.count(*)::pg_catalog.float8 FROM %s d");
		return;
	}
	tree->at = table;
	evaluation.sink = (DpMeasuredSink){put_own, tree};
	evaluation.tables.wanted = table->column;
	measure(tree, &evaluation, table, NULL, NULL);
}

/* A statement, and which pairs of its columns are of interest. */
typedef struct JoinedTables
{
	const DpComparedTable *table;
	const char *rows[2]; /* of each side */
	bool (*wanted)(const TreeEvaluation *tree, const DpMeasured *row);
	const char *summary[2]; /* what the mean of all pairs is called after */
} JoinedTables;

static void
measure_joined(TreeEvaluation *tree, const JoinedTables *joined)
{
	const DpComparedTable *table = joined->table;
	DpEvaluation evaluation = *tree->whole;

	tree->at = table;
	tree->wanted = joined->wanted;
	memcpy(tree->summary, joined->summary, sizeof(tree->summary));
	tree->pairs[0] = (Pairs){.measure = "tvd2"};
	tree->pairs[1] = (Pairs){.measure = "cramers_v"};
	evaluation.sink = (DpMeasuredSink){put_joined, tree};
	evaluation.tables.wanted = NIL;
	evaluation.ways = 2;
	evaluation.each = true;
	evaluation.cost_cells = 0;
	measure(tree, &evaluation, table, joined->rows[DP_ORIGINAL], joined->rows[DP_SYNTHETIC]);
	put_pairs(tree);
}

/* The share of pairs of rows of one parent that have the same value. */
static double
share_alike(const DpComparedTable *table, const char *column, DpSide side)
{
	const char *of = "SELECT pg_catalog.sum(n * (n - 1)) FROM (SELECT pg_catalog.count(*) AS n"
					 " FROM %s d WHERE %s GROUP BY %s%s) g";
	const char *reference = dp_foreign_key_columns(table->link, "d");
	const char *label = dp_compared_label(table, side), *has = dp_compared_refers(table, "d");
	const char *value = psprintf(", d.%s", quote_identifier(column));

	return number_of(psprintf("SELECT ((%s)::pg_catalog.float8 / nullif((%s), 0)"
							  "::pg_catalog.float8)",
							  psprintf(of, label, has, reference, value),
							  psprintf(of, label, has, reference, "")),
					 list_make1_oid(table->relation[side]));
}

/* Whether values of a column can be grouped, on both sides. */
static bool
has_equality(const DpComparedTable *table, const char *column)
{
	for (int side = 0; side < 2; side++)
	{
		Oid relation = table->relation[side];
		Oid type = get_atttype(relation, get_attnum(relation, column));

		if (!OidIsValid(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr))
			return false;
	}
	return true;
}

static void
put_skipped(TreeEvaluation *tree, const char *name, const char *why)
{
	dp_measured_put(&tree->result, &(DpMeasured){.measure = "skipped",
												 .column = &name,
												 .columns = 1,
												 .value = NAN,
												 .original = NAN,
												 .synthetic = NAN,
												 .detail = why});
}

static void
put_alike(TreeEvaluation *tree, const DpComparedTable *table)
{
	ListCell *cell;

	foreach (cell, table->column)
	{
		const char *name = dp_compared_name(table, lfirst(cell));
		double share[2];

		if (!has_equality(table, lfirst(cell)))
		{
			put_skipped(tree, name, "same_as_sibling: its type has no equality");
			continue;
		}
		for (int side = 0; side < 2; side++)
			share[side] = share_alike(table, lfirst(cell), (DpSide) side);
		dp_measured_put(&tree->result, &(DpMeasured){.measure = "same_as_sibling",
													 .column = &name,
													 .columns = 1,
													 .value = share[1] - share[0],
													 .original = share[0],
													 .synthetic = share[1]});
	}
}

static void
put_orphans(TreeEvaluation *tree, const DpComparedTable *table, const DpComparedReference *of)
{
	const DpForeignKey *key = of->key;
	const char *name[INDEX_MAX_KEYS];
	double orphans[2];

	for (int i = 0; i < key->columns; i++)
		name[i] = dp_compared_name(table, key->column[i]);
	for (int side = 0; side < 2; side++)
		orphans[side] = number_of(
			psprintf("SELECT pg_catalog.count(*)::pg_catalog.float8 FROM %s d"
					 " WHERE ROW(%s) IS NOT NULL AND NOT EXISTS (SELECT FROM %s u WHERE %s)",
					 dp_compared_label(table, (DpSide) side), dp_foreign_key_columns(key, "d"),
					 dp_compared_label(&tree->of.table[of->parent], (DpSide) side),
					 dp_foreign_key_condition(key, "u", "d")),
			dp_compared_sources(&tree->of, (DpSide) side));
	dp_measured_put(&tree->result, &(DpMeasured){.measure = "orphans",
												 .column = name,
												 .columns = (uint32) key->columns,
												 .value = orphans[1] - orphans[0],
												 .original = orphans[0],
												 .synthetic = orphans[1]});
}

static void
measure_across(TreeEvaluation *tree, const DpComparedTable *above, const DpComparedTable *table)
{
	JoinedTables joined = {.table = table, .wanted = is_across};

	joined.summary[0] = dp_compared_name(above, "*");
	joined.summary[1] = dp_compared_name(table, "*");
	for (int side = 0; side < 2; side++)
		joined.rows[side] = dp_rows_across(&tree->of, above, table, (DpSide) side);
	measure_joined(tree, &joined);
}

static void
measure_counted(TreeEvaluation *tree, const DpComparedTable *table)
{
	JoinedTables joined = {.table = table, .wanted = is_counted};

	joined.summary[0] = dp_compared_name(&tree->of.table[table->parent], "*");
	joined.summary[1] = dp_tree_count_name(table->name);
	for (int side = 0; side < 2; side++)
		joined.rows[side] = dp_rows_counted(&tree->of, table, (DpSide) side);
	measure_joined(tree, &joined);
}

static void
measure_followed(TreeEvaluation *tree, const DpComparedTable *table)
{
	JoinedTables joined = {.table = table, .wanted = is_followed};

	joined.summary[0] = dp_compared_name(table, "*");
	joined.summary[1] = dp_compared_next_name(table, "*");
	for (int side = 0; side < 2; side++)
		joined.rows[side] = dp_rows_followed(&tree->of, table, (DpSide) side);
	measure_joined(tree, &joined);
}

/* Whether the rows that the table's refer to are others than those that they belong to. */
static bool
leads_elsewhere(const DpComparedTables *tables, const DpComparedTable *table,
				const DpComparedReference *reference)
{
	int at = table->parent;

	if (reference->key->period)
		return false; /* a row may refer to several */
	if (reference->parent == at)
		return strcmp(reference->key->column[0], table->link->column[0]) != 0;
	for (int steps = 0; at >= 0 && steps <= tables->n; steps++, at = tables->table[at].parent)
		if (at == reference->parent)
			return false;
	return true;
}

static bool
is_key(const DpForeignKey *key, const char *name)
{
	for (int i = 0; i < key->columns; i++)
		if (strcmp(key->key[i], name) == 0)
			return true;
	return false;
}

/* Columns of a public table that have few values, as many as levels can be of. */
static List *
few_values(const DpComparedTable *table, const DpForeignKey *key, const List *wanted)
{
	Oid oid = table->relation[DP_ORIGINAL];
	List *found = NIL;
	char *name;

	for (AttrNumber number = 1; (name = get_attname(oid, number, true)) != NULL; number++)
	{
		if (get_attnum(oid, name) <= 0 || get_attnum(table->relation[DP_SYNTHETIC], name) <= 0 ||
			is_key(key, name) || !has_equality(table, name) ||
			(wanted != NIL && !dp_is_listed(wanted, dp_compared_name(table, name))))
			continue;
		if (number_of(
				psprintf("SELECT pg_catalog.count(DISTINCT d.%s)::pg_catalog.float8 FROM %s d",
						 quote_identifier(name), dp_compared_label(table, DP_ORIGINAL)),
				list_make1_oid(oid)) <= PUBLIC_VALUES_MAX)
			found = lappend(found, name);
	}
	return found;
}

/*
 * Those columns whose names, behind the name of the key that leads to them, fit into an identifier.
 */
static List *
fitting(TreeEvaluation *tree, const DpComparedTable *of, const char *key, const List *columns)
{
	List *found = NIL;
	const ListCell *cell;

	foreach (cell, columns)
	{
		char *column = lfirst(cell);
		const char *name = dp_compared_name(of, column);

		if (strlen(key) + 1 + strlen(column) < NAMEDATALEN)
			found = lappend(found, column);
		else
			put_skipped(tree, name, psprintf("%s: the name is too long with this one", key));
	}
	return found;
}

/* Pairs with the rows that others refer to: of public tables, of other trees, and of the same table. */
static void
measure_referred(TreeEvaluation *tree, const DpComparedTable *table,
				 const DpComparedReference *reference)
{
	const DpComparedTable *of = &tree->of.table[reference->parent];
	const List *columns = of->role == DP_COMPARED_PUBLIC
							  ? few_values(of, reference->key, tree->whole->tables.wanted)
							  : of->column;
	const char *name = dp_compared_reference_name(table, reference);
	JoinedTables joined = {.table = table, .wanted = is_across};

	if (table->column == NIL)
		return;
	columns = fitting(tree, of, name, columns);
	if (columns == NIL)
		return;
	joined.summary[0] = psprintf("%s.*", name);
	joined.summary[1] = dp_compared_name(table, "*");
	for (int side = 0; side < 2; side++)
		joined.rows[side] = dp_rows_referred(&tree->of, reference, table, columns, (DpSide) side);
	measure_joined(tree, &joined);
}

static void
measure_child(TreeEvaluation *tree, const DpComparedTable *table)
{
	int steps = 0;

	/* relations that refer to each other in a circle are no tree */
	for (int above = table->parent; above >= 0 && steps < tree->of.n; steps++)
	{
		measure_across(tree, &tree->of.table[above], table);
		above = tree->of.table[above].parent;
	}
	measure_counted(tree, table);
	if (table->key != NIL && table->column != NIL)
		measure_followed(tree, table);
	put_alike(tree, table);
}

/* Over all tables, where there are several of which something is modelled. */
static void
put_means(TreeEvaluation *tree)
{
	static const char *const measure[] = {"tvd1", "tvd2", "tvd2"};
	static const char *const what[] = {"columns", "pairs within tables", "pairs across tables"};
	static const char *const all[] = {"*", "*"};
	const Mean mean[] = {tree->within[0], tree->within[1], tree->across};

	for (size_t i = 0; i < lengthof(mean); i++)
		if (mean[i].n > 0)
			dp_measured_put(&tree->result,
							&(DpMeasured){.measure = measure[i],
										  .column = all,
										  .columns = i == 2 ? 2 : 1,
										  .value = mean[i].sum / mean[i].n,
										  .original = NAN,
										  .synthetic = NAN,
										  .detail = psprintf("mean of %u %s", mean[i].n, what[i])});
}

void
dp_evaluate_tree(DpEvaluation *evaluation, List *original, List *synthetic)
{
	TreeEvaluation tree = {
		.whole = evaluation, .result = evaluation->sink, .context = CurrentMemoryContext};

	tree.of = dp_compared_tables(original, synthetic, evaluation->tables.wanted);
	for (int i = 0; i < tree.of.n; i++)
		measure_own(&tree, &tree.of.table[i]);
	for (int i = 0; i < tree.of.n; i++)
	{
		ListCell *cell;

		if (tree.of.table[i].parent >= 0)
			measure_child(&tree, &tree.of.table[i]);
		foreach (cell, tree.of.table[i].references)
		{
			put_orphans(&tree, &tree.of.table[i], lfirst(cell));
			if (leads_elsewhere(&tree.of, &tree.of.table[i], lfirst(cell)))
				measure_referred(&tree, &tree.of.table[i], lfirst(cell));
		}
	}
	put_means(&tree);
}
