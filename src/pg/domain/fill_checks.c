/*
 * fill_checks.c -- whether values that were made up pass the CHECKs of a relation.
 *
 * Constants take the place of the columns in a CHECK, and the planner's own folding computes it.
 * What cannot be folded, or must not be, counts as passed: then only INSERT will tell.
 */
#include "pg/domain/fill_checks.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/domain/schema_checks.h"
#include "pg/server/own_code.h"
#include "pg/server/subtransaction.h"

typedef struct Trial
{
	Relation relation;
	const DpFillValue *value;
	int only;
	int domain; /* the column that VALUE stands for; -1: a CHECK of the table */
	bool concerned;
	bool has_value; /* not all of the columns in the CHECK are NULL */
	bool unknown;   /* the CHECK is about more than known columns, or must not be computed */
	Node *expression;
	bool broken;
} Trial;

static Node *
constant_make(Trial *trial, int index, Oid type, int32 typmod, Oid collation)
{
	const DpFillValue *value = &trial->value[index];
	int16 length;
	bool byval;

	get_typlenbyval(type, &length, &byval);
	trial->concerned = trial->concerned || trial->only < 0 || index == trial->only;
	trial->unknown = trial->unknown || !value->known;
	trial->has_value = trial->has_value || !value->isnull;
	return (Node *) makeConst(type, typmod, collation, length, value->value,
							  value->isnull || !value->known, byval);
}

static Node *
constants_put(Node *node, void *context)
{
	Trial *trial = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var *column = (Var *) node;

		if (column->varattno <= 0)
		{
			trial->unknown = true; /* the whole row, or tableoid */
			return node;
		}
		return constant_make(trial, column->varattno - 1, column->vartype, column->vartypmod,
							 column->varcollid);
	}
	if (IsA(node, CoerceToDomainValue) && trial->domain >= 0)
	{
		CoerceToDomainValue *column = (CoerceToDomainValue *) node;

		return constant_make(trial, trial->domain, column->typeId, column->typeMod,
							 column->collation);
	}
	return expression_tree_mutator(node, constants_put, context);
}

static void
expression_try(void *argument)
{
	Trial *trial = argument;
	Node *result = eval_const_expressions(NULL, trial->expression);

	trial->broken = IsA(result, Const) && !((Const *) result)->constisnull &&
					!DatumGetBool(((Const *) result)->constvalue);
}

/* Whether a CHECK is known to be broken. One that fails on the values is broken too, but of NULL
 * alone that may be due to the CHECK. */
static bool
is_broken(Trial *trial, Node *expression)
{
	trial->concerned = false;
	trial->has_value = false;
	trial->unknown =
		dp_expression_obstacle(expression) != NULL || contain_mutable_functions(expression);
	trial->broken = false;
	if (trial->unknown)
		return false;
	trial->expression = constants_put(expression, trial);
	if (trial->unknown || !trial->concerned)
		return false;
	return dp_run_in_subtransaction(expression_try, trial) ? trial->broken : trial->has_value;
}

static const char *
broken_of_domains(Trial *trial, int index)
{
	Oid type = TupleDescAttr(RelationGetDescr(trial->relation), index)->atttypid;
	Relation catalog;
	const char *name = NULL;

	if (get_typtype(type) != TYPTYPE_DOMAIN || !trial->value[index].known)
		return NULL;
	catalog = table_open(ConstraintRelationId, AccessShareLock);
	trial->domain = index;
	for (; name == NULL && get_typtype(type) == TYPTYPE_DOMAIN; type = dp_domain_base(type))
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple tuple;

		ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(type));
		scan = systable_beginscan(catalog, ConstraintTypidIndexId, true, NULL, 1, &key);
		while (name == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
		{
			Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
			bool isnull;
			Datum words =
				heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(catalog), &isnull);

			if (form->contype == CONSTRAINT_CHECK && !isnull &&
				is_broken(trial, stringToNode(TextDatumGetCString(words))))
				name = pstrdup(NameStr(form->conname));
		}
		systable_endscan(scan);
	}
	trial->domain = -1;
	table_close(catalog, AccessShareLock);
	return name;
}

const char *
dp_fill_broken_check(Relation relation, const DpFillValue *value, int only)
{
	TupleConstr *constraints = RelationGetDescr(relation)->constr;
	Trial trial = {.relation = relation, .value = value, .only = only, .domain = -1};
	const char *name = NULL;

	for (int i = 0; constraints != NULL && i < constraints->num_check; i++)
	{
		ConstrCheck *check = &constraints->check[i];

		if (DP_CHECK_IS_ENFORCED(check) &&
			(only < 0 || dp_check_mentions(check, (AttrNumber) (only + 1))) &&
			is_broken(&trial, stringToNode(check->ccbin)))
			return pstrdup(check->ccname);
	}
	for (int i = 0; name == NULL && i < RelationGetDescr(relation)->natts; i++)
		if (only < 0 || i == only)
			name = broken_of_domains(&trial, i);
	return name;
}
