/*
 * checks.c -- the CHECKs of a relation that may be evaluated, and why others may not.
 *
 * A CHECK was written by the owner of a table or of a type, and is evaluated in the session of
 * whoever draws rows. So that neither runs code of the other, an expression is evaluated only if
 * pg/server/own_code.h finds no obstacle.
 */
#include "pg/domain/checks.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
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

/* ---- expressions ---- */

static Bitmapset *
columns_of(Node *expression)
{
	Bitmapset *found = NULL;
	Bitmapset *columns = NULL;
	int number = -1;

	pull_varattnos(expression, 1, &found);
	while ((number = bms_next_member(found, number)) >= 0)
	{
		int column = number + FirstLowInvalidHeapAttributeNumber;

		if (column > 0)
			columns = bms_add_member(columns, column);
	}
	return columns;
}

static void
plan_expression(void *argument)
{
	Node **expression = argument;

	*expression = (Node *) expression_planner((Expr *) *expression);
}

static DpCheck *
check_create(const char *name, Node *expression)
{
	DpCheck *check = palloc0(sizeof(DpCheck));

	check->name = pstrdup(name);
	check->columns = columns_of(expression);
	check->obstacle = dp_expression_obstacle(expression);
	if (check->obstacle != NULL)
		return check;
	/* constants are computed here, once: 1 / 0 is an error */
	if (dp_run_in_subtransaction(plan_expression, &expression))
		check->expression = expression;
	else
		check->obstacle = pstrdup("it has no value");
	return check;
}

/* ---- domain types ---- */

static Node *
put_column(Node *node, void *context)
{
	const Var *column = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, CoerceToDomainValue))
	{
		CoerceToDomainValue *value = (CoerceToDomainValue *) node;

		return (Node *) makeRelabelType((Expr *) copyObject(unconstify(Var *, column)),
										value->typeId, value->typeMod, value->collation,
										COERCE_IMPLICIT_CAST);
	}
	return expression_tree_mutator(node, put_column, context);
}

/* Appends the CHECKs of the column's type, if it is a domain, and of the domains below it. */
static void
domain_checks(Form_pg_attribute form, List **checks)
{
	Var *column = makeVar(1, form->attnum, form->atttypid, form->atttypmod, form->attcollation, 0);
	Oid type = form->atttypid;

	while (get_typtype(type) == TYPTYPE_DOMAIN)
	{
		Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple tuple;

		ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(type));
		scan = systable_beginscan(catalog, ConstraintTypidIndexId, true, NULL, 1, &key);
		while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		{
			Form_pg_constraint constraint = (Form_pg_constraint) GETSTRUCT(tuple);
			bool isnull;
			Datum words =
				heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(catalog), &isnull);

			if (constraint->contype == CONSTRAINT_CHECK && !isnull)
				*checks = lappend(
					*checks,
					check_create(NameStr(constraint->conname),
								 put_column(stringToNode(TextDatumGetCString(words)), column)));
		}
		systable_endscan(scan);
		table_close(catalog, AccessShareLock);
		type = dp_domain_base(type);
	}
}

/* ---- all of a relation ---- */

List *
dp_checks_read(Relation relation)
{
	TupleDesc desc = RelationGetDescr(relation);
	char kind = relation->rd_rel->relkind;
	List *checks = NIL;

	/* PostgreSQL does not make the CHECKs of a foreign table */
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		return NIL;
	for (int i = 0; desc->constr != NULL && i < desc->constr->num_check; i++)
		if (DP_CHECK_IS_ENFORCED(&desc->constr->check[i]))
			checks = lappend(checks, check_create(desc->constr->check[i].ccname,
												  stringToNode(desc->constr->check[i].ccbin)));
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			domain_checks(TupleDescAttr(desc, i), &checks);
	return checks;
}

List *
dp_generated_read(Relation relation)
{
	TupleDesc desc = RelationGetDescr(relation);
	List *generated = NIL;

	for (int i = 0; desc->constr != NULL && i < desc->constr->num_defval; i++)
	{
		const AttrDefault *value = &desc->constr->defval[i];
		Form_pg_attribute form = TupleDescAttr(desc, value->adnum - 1);
		DpCheck *check;

		if (form->attisdropped || form->attgenerated == '\0')
			continue;
		check = check_create(NameStr(form->attname), stringToNode(value->adbin));
		check->column = value->adnum;
		check->not_null = form->attnotnull;
		/* the value would have to be brought to the domain, whose CHECKs would run */
		if (check->expression != NULL && exprType(check->expression) != form->atttypid &&
			getBaseType(form->atttypid) != exprType(check->expression))
		{
			check->expression = NULL;
			check->obstacle = pstrdup("it is of another type than its column");
		}
		generated = lappend(generated, check);
	}
	return generated;
}
