/*
 * schema_keys.c -- the columns that the schema wants to differ from row to row. A key of one column
 * carries nothing but its being different, so it is not modelled: the number of the row stands for
 * it.
 *
 * Of a key of several columns one is enough. The others stay what they are: a day that is modelled
 * goes on telling something. A column that refers to another relation, or that a CHECK bounds, is
 * not numbered for that: it means something.
 *
 * Beside the whole reference to a parent, as in (player, year), columns mean something unless a
 * sequence numbers them, or the custodian says that they count the rows of a parent. They are
 * modelled, and no two rows of one parent have the same (DpDistinct).
 */
#include "pg/domain/schema_keys.h"

#include "access/htup_details.h"
#include "catalog/pg_index.h"
#include "lib/stringinfo.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/budget/parent.h"
#include "pg/domain/schema_checks.h"

/* The columns of a UNIQUE index that holds for every row: no expressions, no WHERE. */
typedef struct Key
{
	Oid index;
	int n;
	AttrNumber column[INDEX_MAX_KEYS];
	bool nulls_equal; /* NULLS NOT DISTINCT: there is one NULL at most */
	bool primary;
} Key;

/* 0: not at all; else the smaller the better. Years and months are often smallint. */
static int
renumbering_rank(Oid type)
{
	char category;
	bool preferred;

	type = getBaseType(type);
	switch (type)
	{
		case INT8OID:
		case INT4OID:
			return 1;
		case INT2OID:
			return 2;
		case NUMERICOID:
			return 3;
		case UUIDOID:
			return 4;
		default:
			break;
	}
	get_type_category_preferred(type, &category, &preferred);
	return category == TYPCATEGORY_STRING && get_typtype(type) == TYPTYPE_BASE ? 5 : 0;
}

bool
dp_type_is_numbered(Oid type)
{
	return renumbering_rank(type) > 0;
}

/* false: the index is not unique for every row. */
static bool
key_read(Oid index, Key *key)
{
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	Form_pg_index form;
	bool whole;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_index) GETSTRUCT(tuple);
	key->index = index;
	key->n = form->indnkeyatts;
	key->nulls_equal = form->indnullsnotdistinct;
	key->primary = form->indisprimary;
	for (int i = 0; i < key->n; i++)
		key->column[i] = form->indkey.values[i];
	whole = form->indisunique && form->indisvalid &&
			heap_attisnull(tuple, Anum_pg_index_indpred, NULL) &&
			heap_attisnull(tuple, Anum_pg_index_indexprs, NULL);
	ReleaseSysCache(tuple);
	return whole;
}

static List *
keys_read(Relation relation)
{
	List *keys = NIL;
	List *indexes = NIL;
	ListCell *cell;

	if (relation->rd_rel->relhasindex)
		indexes = RelationGetIndexList(relation);
	foreach (cell, indexes)
	{
		Key *key = palloc(sizeof(Key));

		if (key_read(lfirst_oid(cell), key))
			keys = lappend(keys, key);
	}
	return keys;
}

bool
dp_schema_is_unique(Relation relation, int index)
{
	ListCell *cell;

	foreach (cell, keys_read(relation))
	{
		const Key *key = lfirst(cell);

		if (key->n == 1 && key->column[0] == index + 1)
			return true;
	}
	return false;
}

/* GENERATED AS IDENTITY, or DEFAULT nextval(...), as serial has it. */
static bool
is_numbered_by_sequence(Relation relation, int index)
{
	TupleDesc row = RelationGetDescr(relation);
	Node *value;

	if (TupleDescAttr(row, index)->attidentity != '\0')
		return true;
	if (!TupleDescAttr(row, index)->atthasdef || TupleDescAttr(row, index)->attgenerated != '\0')
		return false;
	for (int i = 0; row->constr != NULL && i < row->constr->num_defval; i++)
	{
		if (row->constr->defval[i].adnum != index + 1)
			continue;
		value = dp_default_read(row->constr->defval[i].adbin);
		if (value != NULL && IsA(value, FuncExpr) &&
			((FuncExpr *) value)->funcformat != COERCE_EXPLICIT_CALL)
			value = linitial(((FuncExpr *) value)->args); /* bigint to the column's type */
		return value != NULL && IsA(value, FuncExpr) && ((FuncExpr *) value)->funcid == F_NEXTVAL;
	}
	return false;
}

static bool
is_free(Relation relation, const DpKeyFacts *facts, int index)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), index);

	return !form->attisdropped && form->attgenerated == '\0' && !facts->described[index] &&
		   dp_type_is_numbered(form->atttypid);
}

static bool
key_has(const Key *key, const bool *unique)
{
	for (int i = 0; i < key->n; i++)
		if (key->column[i] > 0 && unique[key->column[i] - 1])
			return true;
	return false;
}

/* Whether the key has every column that refers to the parent, and one of them tells parents apart,
 * so that another column need only differ among the rows of one parent. */
static bool
key_has_reference(Relation relation, const DpKeyFacts *facts, const Key *key)
{
	int columns = 0, here = 0;
	bool numbered = false;

	for (int i = 0; i < RelationGetDescr(relation)->natts; i++)
	{
		columns += facts->unit[i];
		numbered |= facts->unit[i] && is_free(relation, facts, i);
	}
	for (int i = 0; i < key->n; i++)
		here += key->column[i] > 0 && facts->unit[key->column[i] - 1];
	return facts->unit_repeats && numbered && here == columns;
}

/* Whether a column of a key of several means something, so that it is not to be numbered. */
static bool
is_data(const DpKeyFacts *facts, int index)
{
	return facts->refers[index] || facts->bounded[index];
}

/*
 * The column of a key that is numbered most easily, the first of such; -1: none can be. Columns
 * that refer to the parent repeat, unless they are all of the key. With them the number is that
 * among the rows of all parents, for which `line` of an order can be short.
 */
static int
key_choose(Relation relation, const DpKeyFacts *facts, const Key *key)
{
	int best = -1;
	int best_rank = 0;

	for (int i = 0; i < key->n; i++)
	{
		int index = key->column[i] - 1;
		Oid type;
		int rank;

		if (index < 0 || !is_free(relation, facts, index) ||
			(key->n > 1 && (is_data(facts, index) || (facts->unit_repeats && facts->unit[index]))))
			continue;
		type = getBaseType(TupleDescAttr(RelationGetDescr(relation), index)->atttypid);
		rank = renumbering_rank(type);
		if (key->n > 1 && facts->unit_repeats && type == INT2OID)
			continue;
		if (best < 0 || rank < best_rank)
		{
			best = index;
			best_rank = rank;
		}
	}
	return best;
}

/* The columns of the relation by their kind. */
typedef struct KeyColumns
{
	DpKeyKind *kind;
	bool *distinct; /* numbered, and no two rows have the same */
	List *sets;     /* of DpDistinct */
} KeyColumns;

/* What a key has beside the whole reference to the parent. */
static void
beside_reference(Relation relation, const DpKeyFacts *facts, const Key *key, KeyColumns *columns)
{
	DpDistinct *set = palloc0(sizeof(DpDistinct));
	bool modelled = false;

	set->index = get_rel_name(key->index);
	set->nulls_equal = key->nulls_equal;
	for (int i = 0; i < key->n; i++)
	{
		int index = key->column[i] - 1;

		if (index < 0 || facts->unit[index])
			continue;
		if (facts->refers_to_protected[index] && is_free(relation, facts, index))
			columns->kind[index] = DP_KEY_IN_PARENT; /* until it refers to a row that was made */
		if (columns->kind[index] == DP_KEY_IN_PARENT || facts->place[index])
			return;
		modelled |= facts->modelled[index];
		set->columns =
			lappend(set->columns,
					pstrdup(NameStr(TupleDescAttr(RelationGetDescr(relation), index)->attname)));
	}
	if (!modelled && set->columns != NIL)
	{
		int index = key_choose(relation, facts, key);

		if (index >= 0)
		{
			columns->kind[index] = DP_KEY;
			columns->distinct[index] = true;
			return;
		}
	}
	columns->sets = lappend(columns->sets, set);
}

static void
key_number(Relation relation, const DpKeyFacts *facts, const Key *key, KeyColumns *columns)
{
	int index;

	if (key_has(key, columns->distinct) || key_has(key, facts->unique))
		return;
	if (key_has_reference(relation, facts, key))
	{
		beside_reference(relation, facts, key, columns);
		return;
	}
	index = key_choose(relation, facts, key);
	if (index >= 0)
	{
		columns->kind[index] = DP_KEY;
		columns->distinct[index] = true;
	}
}

DpKeyKind *
dp_schema_keys(Relation relation, const DpKeyFacts *facts, List **sets)
{
	int n = RelationGetDescr(relation)->natts;
	KeyColumns columns = {.kind = palloc0(sizeof(DpKeyKind) * Max(n, 1)),
						  .distinct = palloc0(sizeof(bool) * Max(n, 1))};
	List *keys = keys_read(relation);
	ListCell *cell;

	for (int i = 0; i < n; i++)
	{
		if (!is_free(relation, facts, i))
			continue;
		if (is_numbered_by_sequence(relation, i) || facts->unit[i])
			columns.kind[i] = DP_KEY;
		columns.distinct[i] = columns.kind[i] == DP_KEY && !(facts->unit_repeats && facts->unit[i]);
	}
	/* keys of one column first: a longer key may have such a column in it */
	for (int pass = 1; pass <= 2; pass++)
		foreach (cell, keys)
			if ((pass == 1) == (((const Key *) lfirst(cell))->n == 1))
				key_number(relation, facts, lfirst(cell), &columns);
	*sets = columns.sets;
	return columns.kind;
}

List *
dp_schema_keys_all(Relation relation)
{
	List *all = NIL;
	ListCell *cell;

	foreach (cell, keys_read(relation))
	{
		const Key *key = lfirst(cell);
		DpSchemaKey *one = palloc0(sizeof(DpSchemaKey));

		one->index = get_rel_name(key->index);
		one->nulls_equal = key->nulls_equal;
		one->primary = key->primary;
		for (int i = 0; i < key->n; i++)
			one->columns = lappend_int(one->columns, key->column[i]);
		all = lappend(all, one);
	}
	return all;
}

List *
dp_schema_primary_key(Relation relation)
{
	ListCell *cell;

	foreach (cell, dp_schema_keys_all(relation))
	{
		const DpSchemaKey *key = lfirst(cell);

		if (key->primary)
			return key->columns;
	}
	return NIL;
}

char *
dp_schema_keys_broken(Relation relation, const bool *unique, const bool *null)
{
	StringInfoData names;
	ListCell *cell;

	initStringInfo(&names);
	foreach (cell, keys_read(relation))
	{
		const Key *key = lfirst(cell);

		if (!key_has(key, unique) && (key->nulls_equal || !key_has(key, null)))
			appendStringInfo(&names, "%s%s", names.len ? ", " : "",
							 quote_identifier(get_rel_name(key->index)));
	}
	return names.len ? names.data : NULL;
}

Bitmapset *
dp_schema_refer_together(Relation relation, AttrNumber column)
{
	Bitmapset *together = NULL;
	ListCell *cell;

	foreach (cell, dp_references(relation))
	{
		const DpReference *reference = lfirst(cell);
		Bitmapset *columns = NULL;

		for (int i = 0; i < reference->columns; i++)
			columns = bms_add_member(columns, reference->column[i]);
		if (bms_is_member(column, columns))
			together = bms_add_members(together, columns);
	}
	return together;
}

bool
dp_schema_refers(Relation relation, AttrNumber column)
{
	return dp_schema_refer_together(relation, column) != NULL;
}

List *
dp_schema_refers_to(Relation relation, AttrNumber column, bool alone)
{
	List *others = NIL;
	ListCell *cell;

	foreach (cell, dp_references(relation))
	{
		const DpReference *reference = lfirst(cell);

		for (int i = 0; i < reference->columns; i++)
			if (reference->column[i] == column && (reference->columns == 1) == alone)
				others = list_append_unique_oid(others, reference->parent);
	}
	return others;
}

bool
dp_column_not_null(Oid relation, AttrNumber column)
{
	HeapTuple tuple = SearchSysCacheAttNum(relation, column);
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	result = ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return result;
}

const DpForeignKey *
dp_protected_reference(Oid relation)
{
	DpDataset dataset;

	if (!dp_dataset_find(relation, false, &dataset) || !dataset.active ||
		!OidIsValid(dataset.parent))
		return NULL;
	return dp_dataset_reference(&dataset);
}
