/*
 * table_tree.c -- what is public of tables that are released together.
 */
#include "pg/domain/table_tree.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "core/domain/pattern.h"
#include "core/domain/workload.h"
#include "pg/domain/fill.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/catalog.h"
#include "pg/server/labels.h"

/* ---- siblings ---- */

bool
dp_tree_has_again(const DpAttribute *attribute)
{
	return attribute->kind == DP_CATEGORIES;
}

/* ---- which tables ---- */

static DP_NORETURN void
refuse_tree(const char *problem, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", problem),
					hint ? errhint("%s", hint) : 0));
}

void
dp_tree_same_name(const char *name)
{
	refuse_tree(psprintf("two relations are called \"%s\"", name), "Rename one of them.");
}

/* The only column of the primary key that does not refer to the parent: "line" of (order, line).
 * NULL: there is none. */
static char *
key_column(Oid oid, const DpForeignKey *reference)
{
	Relation relation = relation_open(oid, AccessShareLock);
	List *key = dp_schema_primary_key(relation);
	char *column = NULL;

	for (int i = 0; reference != NULL && list_length(key) > 1 && i < reference->columns; i++)
		key = list_delete_int(key, get_attnum(oid, reference->column[i]));
	if (list_length(key) == 1)
		column = get_attname(oid, linitial_int(key), false);
	relation_close(relation, AccessShareLock);
	return column;
}

static int
table_find(const DpTableTree *tree, Oid relation)
{
	for (int i = 0; i < tree->tables; i++)
		if (tree->table[i].relation == relation)
			return i;
	return -1;
}

static void
check_rows_per_parent(const DpTreeTable *table)
{
	if (table->dataset.rows_per_parent <= DP_TREE_ROWS_MAX)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("relation \"%s\" may have too many rows for each row of its parent",
					dp_relation_words(table->relation)),
			 errdetail("It is protected with max_rows_per_unit %u, and the number of rows is "
					   "modelled up to %d.",
					   table->dataset.rows_per_parent, DP_TREE_ROWS_MAX),
			 errhint("Protect it with a smaller max_rows_per_unit.")));
}

void
dp_tree_count_full(DpTableTree *tree, int number, uint32 full)
{
	DpTreeTable *table = &tree->table[number];
	uint32 rows = Min(table->dataset.rows_per_parent, DP_TREE_ROWS_COUNTED);

	table->full = full;
	table->full_row = Max(rows / full, 1);
	table->unit_rows = full * table->full_row * tree->table[table->parent].unit_rows;
}

static void
table_add(DpTableTree *tree, Oid relation, const DpDataset *dataset, int parent)
{
	DpTreeTable *table = &tree->table[tree->tables];

	for (int i = 0; i < tree->tables; i++)
		if (strcmp(tree->table[i].name, get_rel_name(relation)) == 0)
			dp_tree_same_name(tree->table[i].name);
	*table = (DpTreeTable){.relation = relation,
						   .name = get_rel_name(relation),
						   .dataset = *dataset,
						   .parent = parent,
						   .order = -1,
						   .full = 1,
						   .full_most = 1,
						   .full_row = 1,
						   .unit_rows = 1,
						   .unit_rows_most = 1};
	if (parent >= 0)
	{
		check_rows_per_parent(table);
		dp_tree_count_full(tree, tree->tables, 1);
		table->reference = dp_dataset_reference(dataset);
	}
	table->key = key_column(relation, table->reference);
	tree->tables++;
}

void
dp_tree_parent_missing(Oid relation, Oid parent)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("relation \"%s\" is named without its parent", dp_relation_words(relation)),
			 errdetail("Its rows belong to rows of relation \"%s\", which is not among the "
					   "relations.",
					   dp_relation_words(parent)),
			 errhint("Name it, too.")));
}

/* ERROR if it is this relation that keeps the others from being a tree, which they were when they
 * were named. */
static void
check_connected(const DpTableTree *tree, List *relations, Oid relation)
{
	DpDataset dataset;

	dp_dataset_get(relation, false, &dataset);
	if (table_find(tree, relation) >= 0)
		return;
	if (OidIsValid(dataset.parent) && !list_member_oid(relations, dataset.parent))
		dp_tree_parent_missing(relation, dataset.parent);
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("relation \"%s\" was protected anew meanwhile", dp_relation_words(relation)),
			 errdetail("Nothing was spent."), errhint("Try again.")));
}

DpTableTree *
dp_tree_of(List *relations)
{
	DpTableTree *tree = palloc0(sizeof(DpTableTree));
	bool added = true;
	ListCell *cell;

	if (list_length(relations) > DP_TREE_TABLES_MAX)
		refuse_tree(psprintf("more than %d relations", DP_TREE_TABLES_MAX), NULL);
	tree->table = palloc0(sizeof(DpTreeTable) * list_length(relations));
	while (added)
	{
		added = false;
		foreach (cell, relations)
		{
			DpDataset dataset;
			int parent;

			if (table_find(tree, lfirst_oid(cell)) >= 0)
				continue;
			dp_dataset_get(lfirst_oid(cell), false, &dataset);
			parent = OidIsValid(dataset.parent) ? table_find(tree, dataset.parent) : -1;
			if (parent < 0 && (tree->tables > 0 || OidIsValid(dataset.parent)))
				continue;
			table_add(tree, lfirst_oid(cell), &dataset, parent);
			added = true;
		}
	}
	foreach (cell, relations)
		check_connected(tree, relations, lfirst_oid(cell));
	return tree;
}

/* ---- attributes ---- */

static void
attribute_add(DpRelation *facts, char *name, const DpAttribute *attribute, const DpColumn *column)
{
	DpColumn added = {.type = column->type,
					  .typmod = column->typmod,
					  .collation = column->collation,
					  .own_type = column->own_type,
					  .source = "tree"};

	if (dp_domain_find(&facts->domain, name) >= 0)
		refuse_tree(psprintf("column \"%s\" of relation \"%s\" has a name that a tree needs", name,
							 dp_relation_words(facts->oid)),
					"Rename it.");
	dp_relation_add(facts, name, attribute, &added);
}

/* Whether two siblings have the same. */
static void
again_add(DpRelation *facts, char *name)
{
	static const char *const labels[] = {"f", "t"};
	DpColumn column = {.type = BOOLOID, .typmod = -1, .own_type = BOOLOID};
	DpAttribute attribute = {.type = "boolean", .kind = DP_CATEGORIES, .labels_n = 2};

	attribute.labels = palloc(sizeof(char *) * attribute.labels_n);
	for (uint32 i = 0; i < attribute.labels_n; i++)
		attribute.labels[i] = labels[i];
	dp_attribute_count_levels(&attribute);
	attribute_add(facts, name, &attribute, &column);
}

/* A number of rows, first..last. */
static void
number_add(DpRelation *facts, char *name, uint32 first, uint32 last)
{
	DpColumn column = {.type = INT4OID, .typmod = -1, .own_type = INT4OID};
	DpAttribute attribute = {
		.type = "integer", .kind = DP_CATEGORIES, .labels_n = last - first + 1};

	attribute.labels = palloc(sizeof(char *) * attribute.labels_n);
	for (uint32 i = first; i <= last; i++)
		attribute.labels[i - first] = psprintf("%u", i);
	dp_attribute_count_levels(&attribute);
	attribute_add(facts, name, &attribute, &column);
}

/* The domain of an attribute in a model in which it is known. Bins are found once and taken over
 * from the first model. Open columns cannot be known attributes: their values are discovered for
 * one model alone. */
static bool
as_known(const DpAttribute *attribute, DpAttribute *known)
{
	DpRange *range;

	*known = *attribute;
	if (attribute->open || attribute->range == NULL)
		return !attribute->open;
	range = palloc(sizeof(DpRange));
	*range = *attribute->range;
	range->state = DP_RANGE_TAKEN;
	known->range = range;
	return true;
}

/* What a row has from the rows that it belongs to. */
static void
add_from_parent(DpTreeTable *table, const DpTreeTable *parent, DpRelation *facts)
{
	for (uint32 i = 0; i < parent->facts->domain.attributes; i++)
	{
		char *name = pstrdup(parent->facts->domain.attribute[i].name);
		DpAttribute known;

		if (i < parent->own)
			name = dp_tree_parent_name(parent->name, name);
		else if (parent->from_parent[i] < 0)
			continue;
		if (!as_known(&parent->facts->domain.attribute[i], &known))
			continue;
		table->from_parent[facts->domain.attributes] = (int) i;
		attribute_add(facts, name, &known, &parent->facts->column[i]);
	}
}

static void
add_known(const DpTableTree *tree, DpTreeTable *table, DpRelation *facts)
{
	add_from_parent(table, &tree->table[table->parent], facts);
	number_add(facts, dp_tree_siblings_name(table->name), 1, table->dataset.rows_per_parent);
	for (uint32 i = 0; i < table->own && table->dataset.rows_per_parent > 1; i++)
	{
		DpAttribute previous;

		if (!as_known(&facts->domain.attribute[i], &previous))
			continue;
		previous.has_other = true;
		dp_attribute_count_levels(&previous);
		attribute_add(facts, dp_tree_previous_name(table->name, previous.name), &previous,
					  &facts->column[i]);
		if (dp_tree_has_again(&previous) && table->dataset.rows_per_parent > 2)
			again_add(facts, dp_tree_again_name(table->name, facts->domain.attribute[i].name));
	}
}

/* None of the attributes is the parent's, neither those that a table has nor those it may get. */
static int *
no_parents(const DpTableTree *tree, const DpTreeTable *table)
{
	uint32 most = table->facts->domain.attributes + 2 * table->own + 1;
	int *from_parent;

	if (table->parent >= 0)
		most += tree->table[table->parent].facts->domain.attributes;
	from_parent = palloc(sizeof(int) * most);
	for (uint32 i = 0; i < most; i++)
		from_parent[i] = -1;
	return from_parent;
}

/* The attributes from `drawn` on are known; what siblings were describes one attribute. */
static void
mark_known(DpTreeTable *table, uint32 drawn)
{
	const DpDomain *domain = &table->facts->domain;

	table->known = palloc(sizeof(int32) * Max(domain->attributes, 1));
	for (uint32 a = 0; a < domain->attributes; a++)
		table->known[a] = a < drawn ? DP_DRAWN : DP_KNOWN;
	for (uint32 a = 0; a < table->own; a++)
	{
		const char *own = domain->attribute[a].name;
		int previous = dp_domain_find(domain, dp_tree_previous_name(table->name, own));
		int again = dp_domain_find(domain, dp_tree_again_name(table->name, own));

		if (previous >= 0)
			table->known[previous] = (int32) a;
		if (again >= 0)
			table->known[again] = (int32) a;
	}
}

/*
 * The attribute of the declared order. Its levels are what synthetic rows are sorted by: bins, or a
 * list, in the order of the list.
 */
static int
order_find(const DpTreeTable *table)
{
	const char *column = table->dataset.order_column;
	int order = dp_domain_find(&table->facts->domain, column);

	if (order >= 0 && !table->facts->domain.attribute[order].open &&
		table->facts->column[order].base == 0)
		return order;
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("rows of relation \"%s\" cannot be in order of column \"%s\"",
						   dp_relation_words(table->relation), column),
					errdetail("It is the order_column, and has no bins, range or list of its own."),
					errhint("Declare a range or categories with dp_define_column, or protect the "
							"relation anew with "
							"another order_column, or with none.")));
}

void
dp_tree_extend(DpTableTree *tree, int number, DpRelation *facts)
{
	DpTreeTable *table = &tree->table[number];
	uint32 drawn;

	table->facts = facts;
	table->own = facts->domain.attributes;
	if (table->dataset.order_column != NULL)
		table->order = order_find(table);
	for (int i = number + 1; i < tree->tables; i++)
		if (tree->table[i].parent == number)
			number_add(facts, dp_tree_count_name(tree->table[i].name), 0,
					   tree->table[i].dataset.rows_per_parent);
	drawn = facts->domain.attributes;
	table->from_parent = no_parents(tree, table);
	if (table->parent >= 0)
		add_known(tree, table, facts);
	mark_known(table, drawn);
}

/* ---- keys ---- */

/* A column of a table of the tree. */
typedef struct TreeColumn
{
	const DpTreeTable *table;
	const char *column;
} TreeColumn;

/* The table and column whose value a column of the reference contains: the parent's key, or, if
 * that column refers to the parent's own parent, its key, and so on. */
static TreeColumn
origin_of(const DpTableTree *tree, int number, int place)
{
	const DpTreeTable *table = &tree->table[number];
	TreeColumn origin;

	do
	{
		origin = (TreeColumn){&tree->table[table->parent], table->reference->key[place]};
		table = origin.table;
		place = table->parent < 0 ? -1 : dp_foreign_key_place(table->reference, origin.column);
	} while (place >= 0);
	return origin;
}

/* Whether a column is modelled in that table, as a whole or by its fields. */
static bool
is_modelled(TreeColumn column)
{
	const DpRelation *facts = column.table->facts;

	for (uint32 a = 0; a < column.table->own; a++)
	{
		const DpJsonField *field = facts->column[a].field;

		if (strcmp(field ? field->column : facts->domain.attribute[a].name, column.column) == 0)
			return true;
	}
	return false;
}

/* Whether its level alone says what it holds. */
static bool
is_listed(TreeColumn column)
{
	const DpDomain *domain = &column.table->facts->domain;
	int at = dp_domain_find(domain, column.column);

	return at >= 0 && domain->attribute[at].kind == DP_CATEGORIES && !domain->attribute[at].open &&
		   !domain->attribute[at].has_other;
}

/* ERROR unless the row's own column can hold what is drawn for the parent's row. */
static void
check_copied(TreeColumn own, TreeColumn origin)
{
	Oid type[2];
	int32 typmod[2];
	const TreeColumn column[] = {own, origin};

	for (int i = 0; i < 2; i++)
	{
		Oid relation = column[i].table->relation, collation, declared;

		get_atttypetypmodcoll(relation, get_attnum(relation, column[i].column), &declared,
							  &typmod[i], &collation);
		type[i] = getBaseTypeAndTypmod(declared, &typmod[i]);
	}
	if (type[0] == type[1] && (typmod[0] < 0 || typmod[0] == typmod[1]))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("rows of relation \"%s\" cannot refer to column \"%s\" of relation \"%s\"",
					dp_relation_words(own.table->relation), origin.column,
					dp_relation_words(origin.table->relation)),
			 errdetail("It is modelled, and not by a complete list of its values, and of another "
					   "type than the column that refers to it."),
			 errhint("Give both one type, or dp_define_column(%s, %s, categories => ..., complete "
					 "=> true).",
					 dp_literal(dp_relation_label(origin.table->relation)),
					 dp_literal(origin.column))));
}

void
dp_tree_inherit(const DpTableTree *tree, int number, DpRelation *facts)
{
	const DpTreeTable *table = &tree->table[number];

	for (int i = number + 1; i < tree->tables; i++)
		for (int c = 0; tree->table[i].parent == number && c < tree->table[i].reference->columns;
			 c++)
		{
			int key = dp_domain_find(&facts->domain, tree->table[i].reference->key[c]);

			if (key >= 0)
				facts->column[key].inherited = true;
		}
	for (int i = 0; table->parent >= 0 && i < table->reference->columns; i++)
	{
		TreeColumn origin = origin_of(tree, number, i);

		if (!is_modelled(origin) || table->reference->columns == 1)
			continue;
		if (is_listed(origin))
			dp_relation_derive(facts, table->reference->column[i],
							   dp_tree_parent_name(origin.table->name, origin.column), NULL);
		else
		{
			check_copied((TreeColumn){table, table->reference->column[i]}, origin);
			dp_relation_derive(facts, table->reference->column[i], origin.column,
							   origin.table->name);
		}
	}
}

static const char *
fill_of(TreeColumn of)
{
	ListCell *cell;

	foreach (cell, of.table->facts->unmodelled)
		if (strcmp(((DpUnmodelled *) lfirst(cell))->name, of.column) == 0)
			return ((DpUnmodelled *) lfirst(cell))->fill;
	return NULL;
}

static DP_NORETURN void
refuse_key(TreeColumn of)
{
	const char *label = dp_relation_label(of.table->relation);

	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("column \"%s\" of relation \"%s\" does not hold a number of the row, nor a uuid",
				of.column, dp_relation_words(of.table->relation)),
		 errdetail("Rows of tables that are released together refer to each other by such values."),
		 errhint("dp_define_column(%s, %s, fill => 'A{n}') or '{uuid}' makes one of it, where its "
				 "type takes such texts.",
				 dp_literal(label), dp_literal(of.column))));
}

/* Whether a column of the key to the parent refers to an ancestor of it in turn. */
static bool
is_from_above(const DpTreeTable *parent, const char *key)
{
	return parent->parent >= 0 && dp_foreign_key_place(parent->reference, key) >= 0;
}

/*
 * ERROR unless the key identifies the rows of the parent. It does if one of its columns is numbered
 * by row. It also does if it consists of the whole reference to the parent's own parent and,
 * besides, only of numbers among siblings or of modelled columns that differ among siblings. The
 * UNIQUE constraint implies that these differ, and, if there are none, that a row has no siblings.
 */
static void
check_key(const DpTableTree *tree, int number)
{
	const DpForeignKey *key = tree->table[number].reference;
	const DpTreeTable *parent = &tree->table[tree->table[number].parent];
	TreeColumn own = {parent, NULL}; /* a column of the key that is the parent's own */
	int from_above = 0;
	bool has_place = false;

	for (int i = 0; i < key->columns; i++)
	{
		const char *pattern = fill_of((TreeColumn){parent, key->key[i]});

		if (is_from_above(parent, key->key[i]))
		{
			from_above++;
			continue;
		}
		own.column = key->key[i];
		if (pattern != NULL && dp_pattern_facts(pattern).unique)
			return;
		has_place |= pattern != NULL ? dp_pattern_facts(pattern).place : is_modelled(own);
	}
	if (from_above == 0 || from_above < parent->reference->columns ||
		(own.column != NULL && !has_place))
		refuse_key(own.column != NULL ? own : (TreeColumn){parent, key->key[0]});
}

/* '{"patient": "{n}"}': what the columns of the reference hold that are not derived. */
static char *
reference_fill(const DpTableTree *tree, int number)
{
	const DpTreeTable *table = &tree->table[number];
	StringInfoData json;

	initStringInfo(&json);
	for (int i = 0; i < table->reference->columns; i++)
	{
		TreeColumn own = {table, table->reference->column[i]};
		TreeColumn origin = origin_of(tree, number, i);
		const char *pattern = fill_of(origin);

		if (is_modelled(origin) && table->reference->columns > 1)
			continue;
		if (pattern == NULL || dp_pattern_is_null(pattern) || dp_pattern_facts(pattern).column)
			refuse_key(origin); /* rows of this table have other columns */
		if (is_modelled(own))
			refuse_key(own);
		appendStringInfoString(&json, json.len ? ", " : "{");
		escape_json(&json, own.column);
		appendStringInfoString(&json, ": ");
		escape_json(&json, pattern);
	}
	check_key(tree, number);
	appendStringInfoChar(&json, '}');
	return json.data;
}

char *
dp_tree_fill(const DpTableTree *tree, int number)
{
	char *own = dp_fill_to_json(tree->table[number].facts);
	Jsonb *both;

	if (tree->table[number].parent < 0)
		return own;
	both = DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat, DirectFunctionCall1(jsonb_in, CStringGetDatum(own)),
		DirectFunctionCall1(jsonb_in, CStringGetDatum(reference_fill(tree, number)))));
	return JsonbToCString(NULL, &both->root, VARSIZE_ANY_EXHDR(both));
}
