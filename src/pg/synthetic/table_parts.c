/*
 * table_parts.c -- indexes, keys, foreign keys, sequences and comments of a table that was made
 * like another one.
 */
#include "pg/synthetic/statement.h"
#include "pg/synthetic/taken_over.h"

#include "access/attmap.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/index.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_constraint.h"
#include "commands/comment.h"
#include "commands/defrem.h"
#include "commands/event_trigger.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_utilcmd.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/server/arguments.h"
#include "pg/server/catalog.h"

/* ---- indexes ---- */

typedef struct NewIndex
{
	Relation like;
	DpTakenColumns taken;
	Oid table;
	Oid oid;
} NewIndex;

static ObjectAddress
define_index(Node *statement, void *context)
{
	const NewIndex *index = context;
	ObjectAddress address;

	EventTriggerAlterTableStart(statement);
	address = DP_DEFINE_INDEX(index->table, (IndexStmt *) statement);
	EventTriggerCollectSimpleCommand(address, InvalidObjectAddress, statement);
	EventTriggerAlterTableEnd();
	return address;
}

/* The columns of source under the numbers that they have there. */
static AttrMap *
same_numbers(Relation source)
{
	AttrMap *map = make_attrmap(RelationGetDescr(source)->natts);

	for (int i = 0; i < map->maplen; i++)
		map->attnums[i] = (AttrNumber) (i + 1);
	return map;
}

static IndexStmt *
index_statement(const NewIndex *index, Relation source)
{
	Oid schema = get_rel_namespace(index->table);
	IndexStmt *statement = generateClonedIndexStmt(
		makeRangeVar(get_namespace_name(schema), get_rel_name(index->table), -1), index->like,
		same_numbers(source), NULL);
	ListCell *cell;

	foreach (cell, statement->indexParams)
	{
		IndexElem *element = lfirst_node(IndexElem, cell);

		if (element->expr != NULL)
			element->expr = dp_taken_expression(element->expr, &index->taken, 0);
	}
	if (statement->whereClause != NULL)
		statement->whereClause = dp_taken_expression(statement->whereClause, &index->taken, 0);
	statement->tableSpace = NULL; /* the caller need not be allowed to use it */
	if (!OidIsValid(get_relname_relid(RelationGetRelationName(index->like), schema)))
		statement->idxname = pstrdup(RelationGetRelationName(index->like));
	return statement;
}

/*
 * Operator classes and collations are looked up by name. Where a column kept its type they must be
 * those of the original.
 */
static void
check_classes(const NewIndex *index)
{
	Relation made = index_open(index->oid, AccessShareLock);
	int keys = IndexRelationGetNumberOfKeyAttributes(made);

	if (keys != IndexRelationGetNumberOfKeyAttributes(index->like))
		dp_raise_not_taken();
	for (int i = 0; i < keys; i++)
	{
		AttrNumber number = index->like->rd_index->indkey.values[i];
		Oid before =
			number == 0 ? InvalidOid : get_atttype(index->like->rd_index->indrelid, number);

		if (number != 0 && index->taken.column[number - 1].type != before)
			continue;
		if (made->rd_opfamily[i] != index->like->rd_opfamily[i] ||
			made->rd_opcintype[i] != index->like->rd_opcintype[i] ||
			made->rd_indcollation[i] != index->like->rd_indcollation[i])
			dp_raise_not_taken();
	}
	index_close(made, AccessShareLock);
}

PG_FUNCTION_INFO_V1(dp_synthetic_index);

Datum
dp_synthetic_index(PG_FUNCTION_ARGS)
{
	NewIndex index = {.table = PG_GETARG_OID(1)};
	IndexStmt *statement;
	Relation source, target;
	Oid of;

	dp_lock_own_table(index.table, ShareLock);
	of = IndexGetRelation(PG_GETARG_OID(0), true);
	if (!OidIsValid(of))
		dp_raise_not_taken();
	source = relation_open(of, AccessShareLock);
	target = relation_open(index.table, NoLock);
	index.like = index_open(PG_GETARG_OID(0), AccessShareLock);
	index.taken = dp_taken_columns(source, target);
	statement = index_statement(&index, source);
	relation_close(target, NoLock);
	index.oid = dp_run_command((Node *) statement, define_index, &index).objectId;
	check_classes(&index);
	index_close(index.like, AccessShareLock);
	relation_close(source, AccessShareLock);
	PG_RETURN_OID(index.oid);
}

static ObjectAddress
drop_index(Node *statement, void *context)
{
	const ObjectAddress *index = context;

	performDeletion(index, DROP_RESTRICT, 0);
	return *index;
}

PG_FUNCTION_INFO_V1(dp_synthetic_drop_index);

Datum
dp_synthetic_drop_index(PG_FUNCTION_ARGS)
{
	Oid table = IndexGetRelation(PG_GETARG_OID(0), true);
	DropStmt *statement = makeNode(DropStmt);
	ObjectAddress index;

	if (!OidIsValid(table))
		dp_raise_not_taken();
	dp_lock_own_table(table, AccessExclusiveLock);
	ObjectAddressSet(index, RelationRelationId, PG_GETARG_OID(0));
	statement->removeType = OBJECT_INDEX;
	(void) dp_run_command((Node *) statement, drop_index, &index);
	PG_RETURN_VOID();
}

/* ---- foreign keys ---- */

/* Names of columns, as String nodes, by the numbers that a constraint keeps. */
static List *
names_of(HeapTuple constraint, AttrNumber member, Oid relation)
{
	bool isnull;
	Datum numbers = SysCacheGetAttr(CONSTROID, constraint, member, &isnull);
	List *names = NIL;
	Datum *number;
	int n;

	if (isnull)
		return NIL;
	number = dp_elements(numbers, NULL, &n);
	for (int i = 0; i < n; i++)
	{
		char *name = get_attname(relation, DatumGetInt16(number[i]), true);

		if (name == NULL)
			dp_raise_not_taken();
		names = lappend(names, makeString(name));
	}
	return names;
}

static Constraint *
foreign_key_like(HeapTuple tuple, Oid parent)
{
	Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
	Constraint *key = makeNode(Constraint);

	if (form->contype != CONSTRAINT_FOREIGN)
		dp_raise_not_taken();
	key->contype = CONSTR_FOREIGN;
	key->location = -1;
	key->deferrable = form->condeferrable;
	key->initdeferred = form->condeferred;
	key->old_pktable_oid = parent;
	key->fk_attrs = names_of(tuple, Anum_pg_constraint_conkey, form->conrelid);
	key->pk_attrs = names_of(tuple, Anum_pg_constraint_confkey, form->confrelid);
	key->fk_matchtype =
		list_length(key->fk_attrs) > 1 ? form->confmatchtype : FKCONSTR_MATCH_SIMPLE;
	key->fk_upd_action = form->confupdtype;
	key->fk_del_action = form->confdeltype;
	key->fk_del_set_cols = names_of(tuple, Anum_pg_constraint_confdelsetcols, form->conrelid);
	key->initially_valid = true;
	DP_CONSTRAINT_ENFORCE(key);
	return key;
}

PG_FUNCTION_INFO_V1(dp_synthetic_foreign_key);

/* The table that a foreign key leads to: one of one's own, or a public one that one may refer to. */
static void
lock_referenced(Oid table)
{
	if (DP_OWNS_RELATION(table, GetUserId()))
	{
		dp_lock_own_table(table, ShareRowExclusiveLock);
		return;
	}
	if (pg_class_aclcheck(table, GetUserId(), ACL_REFERENCES) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table));
	LockRelationOid(table, ShareRowExclusiveLock);
}

/* A foreign key like another one, from a table to a table. */
Datum
dp_synthetic_foreign_key(PG_FUNCTION_ARGS)
{
	HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(PG_GETARG_OID(0)));
	AlterTableCmd *part = makeNode(AlterTableCmd);
	Constraint *key;
	NameData name;

	if (!HeapTupleIsValid(tuple))
		dp_raise_not_taken();
	key = foreign_key_like(tuple, PG_GETARG_OID(2));
	name = ((Form_pg_constraint) GETSTRUCT(tuple))->conname;
	if (!ConstraintNameIsUsed(CONSTRAINT_RELATION, PG_GETARG_OID(1), NameStr(name)))
		key->conname = pstrdup(NameStr(name)); /* else PostgreSQL finds one */
	ReleaseSysCache(tuple);
	lock_referenced(PG_GETARG_OID(2));
	key->pktable = makeRangeVar(get_namespace_name(get_rel_namespace(PG_GETARG_OID(2))),
								get_rel_name(PG_GETARG_OID(2)), -1);
	part->subtype = AT_AddConstraint;
	part->def = (Node *) key;
	dp_alter_table(PG_GETARG_OID(1), part);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dp_synthetic_drop_constraint);

Datum
dp_synthetic_drop_constraint(PG_FUNCTION_ARGS)
{
	AlterTableCmd *part = makeNode(AlterTableCmd);

	part->subtype = AT_DropConstraint;
	part->name = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	part->behavior = DROP_RESTRICT;
	dp_alter_table(PG_GETARG_OID(0), part);
	PG_RETURN_VOID();
}

/* ---- sequences, comments ---- */

PG_FUNCTION_INFO_V1(dp_synthetic_identity);

/* Makes a column GENERATED BY DEFAULT AS IDENTITY (START WITH ...). */
Datum
dp_synthetic_identity(PG_FUNCTION_ARGS)
{
	AlterTableCmd *part = makeNode(AlterTableCmd);
	Constraint *identity = makeNode(Constraint);
	char *first = psprintf(INT64_FORMAT, PG_GETARG_INT64(2));

	identity->contype = CONSTR_IDENTITY;
	identity->generated_when = ATTRIBUTE_IDENTITY_BY_DEFAULT;
	identity->location = -1;
	identity->options = list_make1(makeDefElem("start", (Node *) makeFloat(first), -1));
	part->subtype = AT_AddIdentity;
	part->name = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	part->def = (Node *) identity;
	dp_alter_table(PG_GETARG_OID(0), part);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dp_synthetic_comment);

Datum
dp_synthetic_comment(PG_FUNCTION_ARGS)
{
	dp_lock_own_table(PG_GETARG_OID(0), ShareUpdateExclusiveLock);
	CreateComments(PG_GETARG_OID(0), RelationRelationId, 0, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	PG_RETURN_VOID();
}
