/*
 * domain_condition.c -- the CHECK of a domain type, as one of a table with a column of that type.
 *
 * A table that is made for somebody else may not have the domain: its owner could give it another
 * CHECK tomorrow. What the domain asks of its values today is public, and the table asks it then.
 */
#include "pg/server/compat.h"

#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

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

Datum
dp_domain_condition(PG_FUNCTION_ARGS)
{
	Node *expression = stringToNode(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	Oid relation = PG_GETARG_OID(1);
	AttrNumber number = PG_GETARG_INT16(2);
	char *name = get_rel_name(relation);

	if (name == NULL || get_attname(relation, number, true) == NULL)
		PG_RETURN_NULL();
	expression = put_column(expression, &number);
	PG_RETURN_TEXT_P(cstring_to_text(
		deparse_expression(expression, deparse_context_for(name, relation), false, false)));
}
