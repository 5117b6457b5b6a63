/*
 * foreign_key.c -- the foreign keys of a table, as statements write them.
 */
#include "pg/server/foreign_key.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/server/catalog.h"
#include "pg/server/equality.h"
#include "pg/server/values.h"

/* A constraint as pg_constraint has it. */
typedef struct ConstraintRow
{
	Oid child, parent;
	Oid index; /* the unique one that it refers to */
	bool period, is_valid;
	int columns;
	AttrNumber column[INDEX_MAX_KEYS]; /* of the child */
	AttrNumber key[INDEX_MAX_KEYS];    /* of the parent */
	Oid equal[INDEX_MAX_KEYS];         /* key = column */
	Oid key_equal[INDEX_MAX_KEYS];     /* key = key: the index is unique by it */
	Oid column_equal[INDEX_MAX_KEYS];  /* column = column */
} ConstraintRow;

static ConstraintRow
constraint_read(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(oid));
	Form_pg_constraint form;
	ConstraintRow constraint;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "dpsyn: a foreign key is gone");
	form = (Form_pg_constraint) GETSTRUCT(tuple);
	constraint = (ConstraintRow){.child = form->conrelid,
								 .parent = form->confrelid,
								 .index = form->conindid,
								 .is_valid = form->convalidated,
								 .period = DP_CONSTRAINT_HAS_PERIOD(form)};
	DeconstructFkConstraintRow(tuple, &constraint.columns, constraint.column, constraint.key,
							   constraint.equal, constraint.key_equal, constraint.column_equal,
							   NULL, NULL);
	ReleaseSysCache(tuple);
	return constraint;
}

/* ---- one equality ---- */

/* The collation by which the index compares values of a column of the key. */
static Oid
index_collation(const ConstraintRow *constraint, AttrNumber key)
{
	Relation index = relation_open(constraint->index, AccessShareLock);
	Oid collation = InvalidOid;

	for (int i = 0; i < IndexRelationGetNumberOfKeyAttributes(index); i++)
		if (index->rd_index->indkey.values[i] == key)
			collation = index->rd_indcollation[i];
	relation_close(index, AccessShareLock);
	return collation;
}

static char *
column_words(Oid relation, AttrNumber column)
{
	return psprintf("column \"%s\" of relation \"%s\"", get_attname(relation, column, false),
					dp_relation_words(relation));
}

static char *
obstacle_of_column(const ConstraintRow *constraint, int i)
{
	DpComparable column = dp_comparable_column(constraint->child, constraint->column[i]);
	DpComparable key = dp_comparable_column(constraint->parent, constraint->key[i]);
	const char *said = column_words(constraint->child, constraint->column[i]);
	Oid unique_by = index_collation(constraint, constraint->key[i]);

	if (!dp_one_equality(key, column))
		return psprintf("It compares %s, of %s, with %s, of %s: values that are equal in one of "
						"the two can differ in the other.",
						said, dp_comparable_words(column),
						column_words(constraint->parent, constraint->key[i]),
						dp_comparable_words(key));
	if (!dp_operator_is_equality_of(constraint->key_equal[i], unique_by, key))
		return psprintf(
			"It compares %s by operator %s of index %s, of %s, which is not the "
			"equality of %s.",
			said, format_operator(constraint->key_equal[i]), get_rel_name(constraint->index),
			dp_comparable_words((DpComparable){key.type, unique_by}), dp_comparable_words(key));
	if (!dp_operator_is_equality_of(constraint->equal[i], key.collation, key) ||
		!dp_operator_is_equality_of(constraint->column_equal[i], column.collation, column))
		return psprintf("It compares %s by operator %s, which is not the equality of %s.", said,
						format_operator(constraint->equal[i]), dp_comparable_words(key));
	return NULL;
}

/*
 * The constraint leads to a row of the parent by its own operators, the index keeps that row the
 * only one by its class and collation, and rows of the child are grouped by their column. All of
 * these must be one equality. With a period it leads to several rows, whatever they are compared
 * by.
 */
static char *
obstacle_of(const ConstraintRow *constraint)
{
	char *obstacle = NULL;

	for (int i = 0; obstacle == NULL && !constraint->period && i < constraint->columns; i++)
		obstacle = obstacle_of_column(constraint, i);
	return obstacle;
}

/* ---- keys ---- */

/* As PostgreSQL compares the two: by the collation of the key. */
static char *
collate_of(const ConstraintRow *constraint, int i)
{
	DpComparable column = dp_comparable_column(constraint->child, constraint->column[i]);
	DpComparable key = dp_comparable_column(constraint->parent, constraint->key[i]);

	if (key.collation == column.collation || !OidIsValid(key.collation) ||
		!OidIsValid(column.collation))
		return "";
	return psprintf(" COLLATE %s", dp_collation_name(key.collation));
}

/*
 * What makes a value one of the type that the operator takes. In pg_catalog nobody adds an operator
 * that fits better. In another schema somebody can, who may create there: one for a domain of the
 * column is found before that of the type below it. A type that is named is compared by what is
 * declared for exactly this type, which there is once. The name of a type is written as it is in
 * the catalog, as "character" would be character(1).
 */
static char *
cast_to(Oid input, Oid column, bool is_builtin)
{
	Oid type = IsPolymorphicType(input) || input == RECORDOID ? getBaseType(column) : input;
	HeapTuple tuple;
	Form_pg_type form;
	char *cast;

	if (type == column && is_builtin)
		return "";
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "dpsyn: an operator of a foreign key has no type");
	form = (Form_pg_type) GETSTRUCT(tuple);
	cast = psprintf("::%s", quote_qualified_identifier(get_namespace_name(form->typnamespace),
													   NameStr(form->typname)));
	ReleaseSysCache(tuple);
	return cast;
}

/* left, right: the types of the columns that it compares. */
static DpForeignKeyOperator
operator_of(Oid number, Oid left, Oid right, const char *collate)
{
	HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(number));
	Form_pg_operator form;
	DpForeignKeyOperator operator;
	bool is_builtin;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "dpsyn: a foreign key has no operator");
	form = (Form_pg_operator) GETSTRUCT(tuple);
	is_builtin = form->oprnamespace == PG_CATALOG_NAMESPACE;
	operator.name =
		psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)),
				 NameStr(form->oprname));
	operator.left = cast_to(form->oprleft, left, is_builtin);
	operator.right = psprintf("%s%s", cast_to(form->oprright, right, is_builtin), collate);
	ReleaseSysCache(tuple);
	return operator;
}

DpForeignKeyOperator
dp_equality_operator(Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_EQ_OPR);

	if (!OidIsValid(entry->eq_opr))
		elog(ERROR, "dpsyn: a unit has a type without an equality");
	return operator_of(entry->eq_opr, type, type, "");
}

static DpForeignKey *
key_of(const ForeignKeyCacheInfo *from)
{
	ConstraintRow constraint = constraint_read(from->conoid);
	int n = constraint.columns;
	DpForeignKey *key = palloc(sizeof(DpForeignKey));

	*key = (DpForeignKey){.parent = constraint.parent,
						  .columns = n,
						  .period = constraint.period,
						  .column = palloc(sizeof(char *) * n),
						  .key = palloc(sizeof(char *) * n),
						  .equal = palloc(sizeof(DpForeignKeyOperator) * n),
						  .same = palloc(sizeof(DpForeignKeyOperator) * n),
						  .is_valid = constraint.is_valid,
						  .obstacle = obstacle_of(&constraint)};
	for (int i = 0; i < n; i++)
	{
		Oid type = get_atttype(constraint.parent, constraint.key[i]);

		key->column[i] = get_attname(constraint.child, constraint.column[i], false);
		key->key[i] = get_attname(constraint.parent, constraint.key[i], false);
		key->equal[i] = operator_of(constraint.equal[i], type,
									get_atttype(constraint.child, constraint.column[i]),
									collate_of(&constraint, i));
		key->same[i] = operator_of(constraint.key_equal[i], type, type, "");
	}
	return key;
}

static bool
same_key(const DpForeignKey *a, const DpForeignKey *b)
{
	bool same = a->parent == b->parent && a->columns == b->columns;

	for (int i = 0; same && i < a->columns; i++)
		same = strcmp(a->column[i], b->column[i]) == 0 && strcmp(a->key[i], b->key[i]) == 0;
	return same;
}

static DpReference *
reference_of(Oid child, Relation declared, const ForeignKeyCacheInfo *from)
{
	DpReference *reference = palloc0(sizeof(DpReference));

	reference->parent = from->confrelid;
	reference->columns = from->nkeys;
	reference->is_enforced = DP_FOREIGN_KEY_IS_ENFORCED(from);
	for (int i = 0; i < from->nkeys; i++)
	{
		/* a partition may have its columns in another order */
		reference->column[i] =
			get_attnum(child, get_attname(RelationGetRelid(declared), from->conkey[i], false));
		reference->key[i] = from->confkey[i];
	}
	return reference;
}

/* The relation cache's own list goes with the next invalidation, which any look at a catalog may bring. */
static List *
declared_keys(Relation relation)
{
	return copyObject(RelationGetFKeyList(relation));
}

static void
collect_references(Oid child, Relation declared, List **references)
{
	ListCell *cell;

	foreach (cell, declared_keys(declared))
		*references = lappend(*references, reference_of(child, declared, lfirst(cell)));
	if (declared->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return;
	/* no lock is kept: a caller that may not read the table must not be in the way of its owner */
	foreach (cell, find_inheritance_children(RelationGetRelid(declared), NoLock))
	{
		Relation partition = try_relation_open(lfirst_oid(cell), AccessShareLock);

		if (partition == NULL)
			continue; /* dropped meanwhile */
		collect_references(child, partition, references);
		relation_close(partition, AccessShareLock);
	}
}

List *
dp_references(Relation child)
{
	List *references = NIL;

	collect_references(RelationGetRelid(child), child, &references);
	return references;
}

static DpForeignKey *
key_find(List *keys, const DpForeignKey *key)
{
	ListCell *cell;

	foreach (cell, keys)
		if (same_key(lfirst(cell), key))
			return lfirst(cell);
	return NULL;
}

static List *
keys_without_doubles(List *keys)
{
	List *different = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		DpForeignKey *key = lfirst(cell), *known = key_find(different, key);

		if (known == NULL)
			different = lappend(different, key);
		else if (key->obstacle == NULL)
			*known = *key;
	}
	return different;
}

/* Its own keys, and what its partitions declare. Rows of another partition may lead to no row, as rows
 * may by a key that is NOT VALID. */
static void
collect_keys(Relation relation, List **keys)
{
	ListCell *cell;

	foreach (cell, declared_keys(relation))
		*keys = lappend(*keys, key_of(lfirst_node(ForeignKeyCacheInfo, cell)));
	if (relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return;
	foreach (cell, find_inheritance_children(RelationGetRelid(relation), NoLock))
	{
		Relation partition = try_relation_open(lfirst_oid(cell), AccessShareLock);

		if (partition == NULL)
			continue; /* dropped meanwhile */
		collect_keys(partition, keys);
		relation_close(partition, AccessShareLock);
	}
}

List *
dp_foreign_keys(Oid child)
{
	Relation relation = relation_open(child, AccessShareLock);
	List *keys = NIL;

	collect_keys(relation, &keys);
	relation_close(relation, AccessShareLock);
	return keys_without_doubles(keys);
}

int
dp_foreign_key_place(const DpForeignKey *key, const char *column)
{
	for (int i = 0; i < key->columns; i++)
		if (strcmp(key->column[i], column) == 0)
			return i;
	return -1;
}

char *
dp_foreign_key_columns(const DpForeignKey *key, const char *child)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < key->columns; i++)
		appendStringInfo(&sql, "%s%s%s%s", i ? ", " : "", child ? child : "", child ? "." : "",
						 quote_identifier(key->column[i]));
	return sql.data;
}

char *
dp_foreign_key_compare(const DpForeignKeyOperator *operator, const char * left, const char *right)
{
	return psprintf("%s%s %s %s%s", left, operator->left, operator->name, right, operator->right);
}

char *
dp_foreign_key_condition(const DpForeignKey *key, const char *parent, const char *child)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < key->columns; i++)
	{
		char *of_parent = psprintf("%s.%s", parent, quote_identifier(key->key[i]));
		char *of_child = psprintf("%s.%s", child, quote_identifier(key->column[i]));

		appendStringInfo(&sql, "%s%s", i ? " AND " : "",
						 dp_foreign_key_compare(&key->equal[i], of_parent, of_child));
	}
	return sql.data;
}
