/*
 * compared_tables.c -- relations that belong together: their keys, parents and columns.
 */
#include "pg/evaluate/compared_tables.h"

#include "access/relation.h"
#include "access/transam.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "pg/domain/schema_keys.h"
#include "pg/domain/tree_names.h"
#include "pg/evaluate/two_tables.h"
#include "pg/server/catalog.h"

const char *
dp_compared_name(const DpComparedTable *table, const char *column)
{
	return dp_tree_parent_name(table->name, column);
}

static List *
primary_key(Oid oid)
{
	Relation relation = relation_open(oid, AccessShareLock);
	List *names = NIL;
	ListCell *cell;

	foreach (cell, dp_schema_primary_key(relation))
		names = lappend(names, get_attname(oid, lfirst_int(cell), false));
	relation_close(relation, AccessShareLock);
	return names;
}

/* Whether a foreign key leads from one relation to another. */
static bool
refers(Oid child, Oid parent)
{
	ListCell *cell;

	foreach (cell, dp_foreign_keys(child))
		if (((DpForeignKey *) lfirst(cell))->parent == parent)
			return true;
	return false;
}

/*
 * Two types of which one is somebody's are compared by a cast of that somebody's, so a column has
 * the type of the key that it refers to, or both have types of PostgreSQL's own. A domain counts as
 * the type that it is over: no cast of a domain is ever used.
 */
static bool
types_agree(const DpForeignKey *key, int place, Oid child, Oid parent)
{
	Oid type = getBaseType(get_atttype(child, get_attnum(child, key->column[place])));
	Oid other = getBaseType(get_atttype(parent, get_attnum(parent, key->key[place])));

	return type == other || (type < FirstUnpinnedObjectId && other < FirstUnpinnedObjectId);
}

static void
check_types(const DpForeignKey *link, int place, Oid child, Oid parent)
{
	const char *column = link->column[place], *key = link->key[place];
	Oid type = get_atttype(child, get_attnum(child, column));
	Oid other = get_atttype(parent, get_attnum(parent, key));

	if (!types_agree(link, place, child, parent))
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg(
				 "column \"%s\" of relation \"%s\" does not compare with the key that it refers to",
				 column, dp_relation_words(child)),
			 errdetail("It is of type %s, and column \"%s\" of relation \"%s\" of type %s.",
					   format_type_be(type), key, dp_relation_words(parent),
					   format_type_be(other))));
}

/* ---- which tables are protected and public, and which columns hold no values of a model ---- */

/*
 * It is read as any role reads it. Who may not see how a relation is protected compares all columns.
 */

/*
 * How a column that is not modelled gets its values; kind, source and fill are those of dp_columns.
 */
static const char *
words_of(const char *kind, const char *source, const char *fill)
{
	if (strcmp(source, "generated") == 0)
		return "computed from other columns";
	if (strcmp(source, "foreign key") == 0)
		return "a foreign key, to rows that were drawn";
	if (kind != NULL && strcmp(kind, "key") == 0)
		return psprintf("a key (%s)", source);
	return kind == NULL || fill == NULL ? psprintf("NULL (%s)", source)
										: psprintf("%s (%s)", quote_literal_cstr(fill), source);
}

static void
read_made_up(DpComparedTable *table, MemoryContext context)
{
	uint64 rows = dp_spi_read_as_caller(
		"SELECT c.column_name::pg_catalog.text, c.kind, c.source, c.labels[1]"
		" FROM dp_catalog.dp_column_domains_now($1) c"
		" WHERE c.column_name IS NOT NULL AND (c.kind IS NULL OR c.kind IN ('key', 'fill'))"
		" ORDER BY c.ordinal",
		DP_ARGUMENTS(DP_REGCLASS(table->relation[DP_ORIGINAL])));
	MemoryContext caller = MemoryContextSwitchTo(context);

	for (uint64 r = 0; r < rows; r++)
	{
		DpMadeUpColumn *made_up = palloc(sizeof(DpMadeUpColumn));

		made_up->column = dp_spi_text(r, 1);
		made_up->what = words_of(dp_spi_text(r, 2), dp_spi_text(r, 3), dp_spi_text(r, 4));
		table->made_up = lappend(table->made_up, made_up);
	}
	MemoryContextSwitchTo(caller);
}

static char *
text_in(MemoryContext context, uint64 row, int column)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	char *words = dp_spi_text(row, column);

	MemoryContextSwitchTo(caller);
	return words;
}

static void
read_role(DpComparedTable *table, MemoryContext context)
{
	const DpArguments relation = DP_ARGUMENTS(DP_REGCLASS(table->relation[DP_ORIGINAL]));

	if (dp_spi_read_as_caller("SELECT FROM @.dp_public_relations p WHERE p.relation = $1",
							  relation) > 0)
		table->role = DP_COMPARED_PUBLIC;
	else if (dp_spi_read_as_caller("SELECT d.parent IS NOT NULL, d.max_rows_per_unit,"
								   " d.unit_column::pg_catalog.text FROM @.dp_datasets d WHERE "
								   "d.relation = $1 AND d.active",
								   relation) > 0)
	{
		table->role = dp_spi_bool(0, 1) ? DP_COMPARED_MEMBER : DP_COMPARED_ROOT;
		table->rows_max = (uint32) dp_spi_int32(0, 2);
		if (table->role == DP_COMPARED_ROOT)
			table->unit_column = text_in(context, 0, 3);
		read_made_up(table, context);
	}
}

/* Sets the role of each table, and what is made up in it, as far as the caller may know it. */
static void
find_roles(DpComparedTables *tables)
{
	MemoryContext context = CurrentMemoryContext;
	DpUserContext user_context;

	dp_caller_open(&user_context, NIL);
	for (int i = 0; i < tables->n; i++)
		read_role(&tables->table[i], context);
	dp_caller_close(&user_context);
}

static int
table_find(const DpComparedTables *tables, Oid original)
{
	for (int i = 0; i < tables->n; i++)
		if (tables->table[i].relation[DP_ORIGINAL] == original)
			return i;
	return -1;
}

/* Whether a table is this one, or belongs to it by what is known already. */
static bool
belongs_to(const DpComparedTables *tables, int table, int number)
{
	while (table >= 0 && table != number)
		table = tables->table[table].parent;
	return table >= 0;
}

/* The parent that the table is protected with; false: it has none, or not among the tables. */
static bool
find_protected_parent(DpComparedTables *tables, int number)
{
	DpComparedTable *table = &tables->table[number];
	const DpForeignKey *link = dp_protected_reference(table->relation[DP_ORIGINAL]);
	int parent = link != NULL ? table_find(tables, link->parent) : -1;

	if (parent < 0)
		return false;
	table->parent = parent;
	table->link = link;
	return true;
}

/* The foreign key to another of the tables: of a table that is protected that to its parent, if it
 * has one. Of several the first, but for one to a table that refers to that of the first: payments
 * that refer to visits and to their patients belong to visits. None that would close a circle, and
 * none to a public table, to which nobody's rows belong. */
static void
find_parent(DpComparedTables *tables, int number)
{
	DpComparedTable *table = &tables->table[number];
	bool found = find_protected_parent(tables, number) || table->role != DP_COMPARED_UNPROTECTED;
	ListCell *cell;

	foreach (cell, dp_foreign_keys(table->relation[DP_ORIGINAL]))
	{
		DpForeignKey *key = lfirst(cell);
		int parent = found ? -1 : table_find(tables, key->parent);

		if (parent < 0 || belongs_to(tables, parent, number) ||
			tables->table[parent].role == DP_COMPARED_PUBLIC ||
			!(table->parent < 0 || refers(key->parent, table->link->parent)))
			continue;
		table->parent = parent;
		table->link = key;
	}
	for (int i = 0; table->link != NULL && i < table->link->columns; i++)
	{
		if (get_attnum(table->relation[DP_SYNTHETIC], table->link->column[i]) <= 0)
			dp_no_such_column(table->link->column[i], table->relation[DP_SYNTHETIC], NULL);
		if (get_attnum(tables->table[table->parent].relation[DP_SYNTHETIC], table->link->key[i]) <=
			0)
			dp_no_such_column(table->link->key[i],
							  tables->table[table->parent].relation[DP_SYNTHETIC], NULL);
		for (int side = 0; side < 2; side++)
			check_types(table->link, i, table->relation[side],
						tables->table[table->parent].relation[side]);
	}
}

/* Whether rows of both sides can be looked for by a foreign key. */
static bool
is_on_both_sides(const DpComparedTable *table, const DpComparedTable *parent,
				 const DpForeignKey *key)
{
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < key->columns; i++)
			if (get_attnum(table->relation[side], key->column[i]) <= 0 ||
				get_attnum(parent->relation[side], key->key[i]) <= 0 ||
				!types_agree(key, i, table->relation[side], parent->relation[side]))
				return false;
	return true;
}

static void
find_references(DpComparedTables *tables, int number)
{
	DpComparedTable *table = &tables->table[number];
	ListCell *cell;

	foreach (cell, dp_foreign_keys(table->relation[DP_ORIGINAL]))
	{
		DpComparedReference *reference = palloc(sizeof(DpComparedReference));

		reference->key = lfirst(cell);
		reference->parent = table_find(tables, reference->key->parent);
		if (reference->parent >= 0 &&
			is_on_both_sides(table, &tables->table[reference->parent], reference->key))
			table->references = lappend(table->references, reference);
	}
}

/* Whether a column says which row it is, or whose. */
static bool
is_key(const DpComparedTables *tables, int number, const char *column)
{
	const DpComparedTable *table = &tables->table[number];

	if (table->link != NULL && dp_foreign_key_place(table->link, column) >= 0)
		return true;
	if (table->role != DP_COMPARED_UNPROTECTED)
		return false; /* a key that is data is modelled, and another one is made up */
	if (dp_is_listed(table->key, column))
		return true;
	for (int t = 0; t < tables->n; t++)
		for (int i = 0; tables->table[t].parent == number && i < tables->table[t].link->columns;
			 i++)
			if (strcmp(tables->table[t].link->key[i], column) == 0)
				return true;
	return false;
}

static bool
is_made_up(const DpComparedTable *table, const char *column)
{
	ListCell *cell;

	foreach (cell, table->made_up)
		if (strcmp(((DpMadeUpColumn *) lfirst(cell))->column, column) == 0)
			return true;
	return false;
}

static void
find_columns(DpComparedTables *tables, int number, const List *wanted)
{
	DpComparedTable *table = &tables->table[number];
	Relation relation = relation_open(table->relation[DP_ORIGINAL], AccessShareLock);
	TupleDesc desc = RelationGetDescr(relation);

	for (int i = 0; i < desc->natts; i++)
	{
		char *name = NameStr(TupleDescAttr(desc, i)->attname);

		if (TupleDescAttr(desc, i)->attisdropped ||
			get_attnum(table->relation[DP_SYNTHETIC], name) <= 0)
			continue;
		table->columns++;
		if (table->role == DP_COMPARED_PUBLIC || is_key(tables, number, name) ||
			(wanted == NIL ? is_made_up(table, name)
						   : !dp_is_listed(wanted, dp_compared_name(table, name))))
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
check_names(const DpComparedTables *tables, int number)
{
	for (int i = 0; i < number; i++)
		if (strcmp(tables->table[i].name, tables->table[number].name) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("two relations are called \"%s\"", tables->table[number].name),
							errhint("Rename one of them.")));
}

DpComparedTables
dp_compared_tables(List *original, List *synthetic, const List *wanted)
{
	DpComparedTables found = {.n = list_length(original)};
	DpComparedTables *tables = &found;

	check_pairs(original, synthetic);
	tables->table = palloc0(sizeof(DpComparedTable) * tables->n);
	for (int i = 0; i < tables->n; i++)
	{
		DpComparedTable *table = &tables->table[i];

		table->relation[DP_ORIGINAL] = list_nth_oid(original, i);
		table->relation[DP_SYNTHETIC] = list_nth_oid(synthetic, i);
		dp_check_readable(table->relation[DP_ORIGINAL], "original");
		dp_check_readable(table->relation[DP_SYNTHETIC], "synthetic");
		table->name = get_rel_name(table->relation[DP_ORIGINAL]);
		table->key = primary_key(table->relation[DP_ORIGINAL]);
		tables->table[i].parent = -1;
		check_names(tables, i);
	}
	find_roles(tables);
	for (int i = 0; i < tables->n; i++)
	{
		find_parent(tables, i);
		find_references(tables, i);
	}
	for (int i = 0; i < tables->n; i++)
		find_columns(tables, i, wanted);
	return found;
}
