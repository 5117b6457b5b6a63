/*
 * foreign_key.c -- the foreign keys of a table, as statements write them.
 */
#include "pg/server/foreign_key.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_operator.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

static char *
operator_label(Oid number)
{
	HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(number));
	Form_pg_operator form;
	char *label;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "dpsyn: a foreign key has no operator");
	form = (Form_pg_operator) GETSTRUCT(tuple);
	label = psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)),
					 NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return label;
}

static bool
has_period(Oid constraint)
{
	HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(constraint));
	bool period;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "dpsyn: a foreign key is gone");
	period = DP_CONSTRAINT_HAS_PERIOD((Form_pg_constraint) GETSTRUCT(tuple));
	ReleaseSysCache(tuple);
	return period;
}

static DpForeignKey *
key_of(const ForeignKeyCacheInfo *from)
{
	DpForeignKey *key = palloc(sizeof(DpForeignKey));

	*key = (DpForeignKey){.parent = from->confrelid,
						  .columns = from->nkeys,
						  .period = has_period(from->conoid),
						  .column = palloc(sizeof(char *) * from->nkeys),
						  .key = palloc(sizeof(char *) * from->nkeys),
						  .equal = palloc(sizeof(char *) * from->nkeys)};
	for (int i = 0; i < from->nkeys; i++)
	{
		key->column[i] = get_attname(from->conrelid, from->conkey[i], false);
		key->key[i] = get_attname(from->confrelid, from->confkey[i], false);
		key->equal[i] = operator_label(from->conpfeqop[i]);
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

List *
dp_foreign_keys(Oid child)
{
	Relation relation = relation_open(child, AccessShareLock);
	List *keys = NIL;
	ListCell *cell, *other;

	foreach (cell, RelationGetFKeyList(relation))
	{
		DpForeignKey *key = key_of(lfirst_node(ForeignKeyCacheInfo, cell));
		bool found = false;

		foreach (other, keys)
			found |= same_key(lfirst(other), key);
		if (!found)
			keys = lappend(keys, key);
	}
	relation_close(relation, AccessShareLock);
	return keys;
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
dp_foreign_key_condition(const DpForeignKey *key, const char *parent, const char *child)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < key->columns; i++)
		appendStringInfo(&sql, "%s%s.%s %s %s.%s", i ? " AND " : "", parent,
						 quote_identifier(key->key[i]), key->equal[i], child,
						 quote_identifier(key->column[i]));
	return sql.data;
}
