/*
 * checks.c -- the CHECKs of a relation, which of them may be evaluated, and why others may not.
 *
 * A CHECK was written by the owner of a table or of a type, and is evaluated in the session of
 * whoever draws rows. So that neither runs code of the other, an expression is evaluated only if
 * pg/server/untrusted_code.h finds no obstacle. So that nobody keeps the other waiting, it is read
 * and evaluated within limits (pg/server/expression_work.h).
 */
#include "pg/domain/checks.h"

#include "access/detoast.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/domain/moment.h"
#include "pg/domain/null_counts.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/subtransaction.h"

/* ---- what counts ---- */

Oid
dp_domain_base(Oid domain)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(domain));
	Oid base;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", domain);
	base = ((Form_pg_type) GETSTRUCT(tuple))->typbasetype;
	ReleaseSysCache(tuple);
	return base;
}

#define DOMAINS_MAX 32

bool
dp_domain_is_deep(Oid type)
{
	int domains = 0;

	for (; get_typtype(type) == TYPTYPE_DOMAIN; type = dp_domain_base(type))
		if (++domains > DOMAINS_MAX)
			return true;
	return false;
}

/* PostgreSQL does not enforce the constraints of a foreign table, which a partition may be. */
static bool
constraints_are_enforced(Relation relation)
{
	ListCell *cell;

	if (relation->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		return false;
	if (!relation->rd_rel->relhassubclass)
		return true;
	foreach (cell, find_all_inheritors(RelationGetRelid(relation), NoLock, NULL))
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			return false;
	return true;
}

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

/* Numbers of the columns that the words of an expression are about. */
static Bitmapset *
columns_of_words(const char *words)
{
	static const char name[] = ":varattno ";
	Bitmapset *columns = NULL;

	while ((words = strstr(words, name)) != NULL)
	{
		int number = atoi(words += strlen(name));

		if (number > 0 && number <= MaxHeapAttributeNumber)
			columns = bms_add_member(columns, number);
	}
	return columns;
}

/* Words that were not read. */
static DpCheck *
check_unseen(const char *name, Bitmapset *columns)
{
	DpCheck *check = palloc0(sizeof(DpCheck));

	check->name = pstrdup(name);
	check->columns = columns;
	check->obstacle = pstrdup("it is longer than what is read of a relation's constraints");
	return check;
}

static DpCheck *
check_create(const char *name, Node *written, size_t bytes, DpWork *work)
{
	DpCheck *check = palloc0(sizeof(DpCheck));
	Node *expression = written = dp_moments_fixed(written, &check->of_now);

	check->name = pstrdup(name);
	check->written = written;
	check->bytes = (double) bytes;
	check->columns = columns_of(written);
	check->obstacle = dp_expression_obstacle(written);
	if (check->obstacle != NULL)
		return check;
	/* constants are computed here, once: 1 / 0 is an error */
	check->is_long = !dp_expression_may_run(written, 0, 1, work);
	expression = dp_null_counts_as_tests(expression, NULL);
	if (check->is_long)
		check->obstacle = pstrdup("evaluating it can take long");
	else if (dp_run_in_subtransaction(plan_expression, &expression))
		check->expression = expression;
	else
		check->obstacle = pstrdup("it has no value");
	return check;
}

DpCheck *
dp_check_of_value(const char *column, AttrNumber number, Node *value)
{
	DpWork work = {DP_RELATION_WORK_MAX};
	DpCheck *check = check_create(column, value, 0, &work);

	check->column = number;
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

#define DOMAIN_WORK 1000 /* of looking for the CHECKs of one */

/* One CHECK of a domain type, as one of the column. */
static DpCheck *
check_of_domain(const char *name, Datum words, const Var *column, DpWork *work)
{
	Node *written = NULL;

	/* words that are too long are not even fetched */
	if (toast_raw_datum_size(words) <= work->left)
		written = dp_expression_read(TextDatumGetCString(words), work);
	if (written == NULL)
		return check_unseen(name, bms_make_singleton(column->varattno));
	return check_create(name, put_column(written, unconstify(Var *, column)),
						toast_raw_datum_size(words), work);
}

/* Appends the CHECKs of the column's type, if it is a domain, and of the domains below it. */
static void
domain_checks(Form_pg_attribute form, DpChecks *checks)
{
	Var *column = makeVar(1, form->attnum, form->atttypid, form->atttypmod, form->attcollation, 0);
	Oid type = form->atttypid;

	if (dp_domain_is_deep(type))
	{
		checks->unseen = bms_add_member(checks->unseen, form->attnum);
		return;
	}
	for (; get_typtype(type) == TYPTYPE_DOMAIN; type = dp_domain_base(type))
	{
		Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple tuple;

		if (!dp_work_spend(&checks->work, DOMAIN_WORK))
		{
			checks->unseen = bms_add_member(checks->unseen, form->attnum);
			table_close(catalog, AccessShareLock);
			return;
		}
		ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(type));
		scan = systable_beginscan(catalog, ConstraintTypidIndexId, true, NULL, 1, &key);
		while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		{
			Form_pg_constraint constraint = (Form_pg_constraint) GETSTRUCT(tuple);
			bool isnull;
			Datum words =
				heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(catalog), &isnull);
			DpCheck *check;

			if (constraint->contype != CONSTRAINT_CHECK || isnull)
				continue;
			check = check_of_domain(NameStr(constraint->conname), words, column, &checks->work);
			check->holds = constraint->convalidated;
			check->of_type = true;
			checks->all = lappend(checks->all, check);
		}
		systable_endscan(scan);
		table_close(catalog, AccessShareLock);
	}
}

/* ---- all of a relation ---- */

static DpCheck *
check_of_table(const ConstrCheck *constraint, DpWork *work)
{
	Node *written = dp_expression_read(constraint->ccbin, work);
	DpCheck *check =
		written == NULL
			? check_unseen(constraint->ccname, columns_of_words(constraint->ccbin))
			: check_create(constraint->ccname, written, strlen(constraint->ccbin), work);

	check->holds = constraint->ccvalid && !constraint->ccnoinherit;
	return check;
}

DpChecks *
dp_checks_read(Relation relation)
{
	TupleDesc desc = RelationGetDescr(relation);
	DpChecks *checks = palloc0(sizeof(DpChecks));
	ListCell *cell;

	checks->enforced = constraints_are_enforced(relation);
	checks->work.left = DP_RELATION_WORK_MAX;
	for (int i = 0; desc->constr != NULL && i < desc->constr->num_check; i++)
		if (DP_CHECK_IS_ENFORCED(&desc->constr->check[i]))
			checks->all =
				lappend(checks->all, check_of_table(&desc->constr->check[i], &checks->work));
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			domain_checks(TupleDescAttr(desc, i), checks);
	foreach (cell, checks->all)
	{
		const DpCheck *check = lfirst(cell);

		checks->of_now |= check->of_now;
		if (check->written == NULL || check->is_long)
			checks->unseen = bms_add_members(checks->unseen, check->columns);
	}
	return checks;
}

DpChecks *
dp_checks_read_at(Relation relation, TimestampTz now)
{
	TimestampTz before = dp_moment_set(now);
	DpChecks *volatile checks = NULL;

	PG_TRY();
	{
		checks = dp_checks_read(relation);
	}
	PG_FINALLY();
	{
		(void) dp_moment_set(before);
	}
	PG_END_TRY();
	return checks;
}

List *
dp_checks_of_rows(Relation relation, const DpChecks *checks)
{
	char kind = relation->rd_rel->relkind;

	/* PostgreSQL does not make the CHECKs of a foreign table */
	return kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE ? checks->all : NIL;
}

List *
dp_generated_read(Relation relation, DpWork *work)
{
	TupleDesc desc = RelationGetDescr(relation);
	List *generated = NIL;

	for (int i = 0; desc->constr != NULL && i < desc->constr->num_defval; i++)
	{
		const AttrDefault *value = &desc->constr->defval[i];
		Form_pg_attribute form = TupleDescAttr(desc, value->adnum - 1);
		Node *written;
		DpCheck *check;

		if (form->attisdropped || form->attgenerated == '\0')
			continue;
		written = dp_expression_read(value->adbin, work);
		check = written == NULL
					? check_unseen(NameStr(form->attname), columns_of_words(value->adbin))
					: check_create(NameStr(form->attname), written, strlen(value->adbin), work);
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
