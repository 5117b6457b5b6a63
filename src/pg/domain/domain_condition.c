/*
 * domain_condition.c -- the CHECK of a domain type, as one of a table with a column of that type.
 *
 * A table that is made for somebody else may not have the domain: its owner could give it another
 * CHECK tomorrow. What the domain asks of its values today is public, and the table asks it then.
 */
#include "pg/server/compat.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "pg/domain/schema_checks.h"

PG_FUNCTION_INFO_V1(dp_domain_condition);

/* The column takes the place of VALUE, with the type that VALUE has. */
static Node *
put_column(Node *node, void *context)
{
	const AttrNumber *number = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, CoerceToDomainValue))
	{
		CoerceToDomainValue *value = (CoerceToDomainValue *) node;

		return (Node *) makeVar(1, *number, value->typeId, value->typeMod, value->collation, 0);
	}
	return expression_tree_mutator(node, put_column, context);
}

/* Whether the domain itself, and not one that it is over, has a CHECK of these words. */
static bool
has_check(Relation catalog, Oid domain, const char *words)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	bool found = false;

	ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(domain));
	scan = systable_beginscan(catalog, ConstraintTypidIndexId, true, NULL, 1, &key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;
		Datum check =
			heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(catalog), &isnull);

		found = !isnull && strcmp(TextDatumGetCString(check), words) == 0;
	}
	systable_endscan(scan);
	return found;
}

/* Whether it is a CHECK of the column's domain type. Trees of other kinds are no expressions, or name
 * what is not there. */
static bool
is_check_of(Oid relation, AttrNumber number, const char *words)
{
	Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
	Oid type = get_atttype(relation, number);
	bool found = false;

	for (; !found && get_typtype(type) == TYPTYPE_DOMAIN; type = dp_domain_base(type))
		found = has_check(catalog, type, words);
	table_close(catalog, AccessShareLock);
	return found;
}

Datum
dp_domain_condition(PG_FUNCTION_ARGS)
{
	char *words = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid relation = PG_GETARG_OID(1);
	AttrNumber number = PG_GETARG_INT16(2);
	char *name = get_rel_name(relation);
	Node *expression;

	if (name == NULL || get_attname(relation, number, true) == NULL ||
		!is_check_of(relation, number, words))
		PG_RETURN_NULL();
	expression = put_column(stringToNode(words), &number);
	PG_RETURN_TEXT_P(cstring_to_text(
		deparse_expression(expression, deparse_context_for(name, relation), false, false)));
}
