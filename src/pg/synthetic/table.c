/*
 * table.c -- makes an empty table like a relation: its columns, defaults, generated columns,
 * CHECKs and comments.
 *
 * dp_catalog.dp_synthetic_columns and dp_catalog.dp_synthetic_constraints decide what becomes of
 * each. What they let through is judged once more, as the tree that is stored in the new table.
 */
#include "pg/synthetic/statement.h"
#include "pg/synthetic/taken_over.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_constraint.h"
#include "catalog/toasting.h"
#include "commands/comment.h"
#include "commands/event_trigger.h"
#include "commands/tablecmds.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/server/catalog.h"
#include "pg/server/names.h"

/* A column of the new table. */
typedef struct NewColumn
{
	AttrNumber of; /* its number in the original */
	bool has_expression;
	bool not_null;
} NewColumn;

/* A CHECK of the new table. */
typedef struct NewCheck
{
	Oid constraint;
	AttrNumber value; /* of a domain: whose column; else 0 */
	char *name;       /* NULL: any */
} NewCheck;

typedef struct NewTable
{
	Relation source;
	Oid oid;
	int columns;
	NewColumn *column;
	int checks;
	NewCheck *check;
	DpTakenColumns taken;
} NewTable;

/* ---- what is wanted ---- */

static Oid
collation_of(Form_pg_attribute form, Oid type)
{
	return type_is_collatable(type) ? form->attcollation : InvalidOid;
}

static void
read_columns(NewTable *table, MemoryContext context)
{
	TupleDesc from = RelationGetDescr(table->source);
	DpUserContext user_context;
	MemoryContext spi;
	uint64 rows;

	dp_caller_open(&user_context, NIL);
	dp_expect_own();
	rows = dp_spi_read_as_caller(
		"SELECT c.number::pg_catalog.int4, c.type, c.typmod, c.has_expression, c.is_required"
		" FROM dp_catalog.dp_synthetic_columns($1) c ORDER BY c.number",
		DP_ARGUMENTS(DP_REGCLASS(RelationGetRelid(table->source))));
	spi = MemoryContextSwitchTo(context);
	table->column = palloc0(sizeof(NewColumn) * Max(rows, 1));
	table->taken.n = from->natts;
	table->taken.column = palloc0(sizeof(DpTakenColumn) * Max(from->natts, 1));
	for (uint64 i = 0; i < rows; i++)
	{
		int of = dp_spi_int32(i, 1);
		Oid type = dp_spi_oid(i, 2);

		if (of < 1 || of > from->natts)
			dp_raise_not_taken();
		table->column[table->columns++] = (NewColumn){.of = (AttrNumber) of,
													  .has_expression = dp_spi_bool(i, 4),
													  .not_null = dp_spi_bool(i, 5)};
		table->taken.column[of - 1] =
			(DpTakenColumn){.number = (AttrNumber) table->columns,
							.type = type,
							.typmod = dp_spi_int32(i, 3),
							.collation = collation_of(TupleDescAttr(from, of - 1), type)};
	}
	MemoryContextSwitchTo(spi);
	dp_caller_close(&user_context);
}

static void
read_checks(NewTable *table, MemoryContext context)
{
	DpUserContext user_context;
	MemoryContext spi;
	uint64 rows;

	dp_caller_open(&user_context, NIL);
	dp_expect_own();
	rows = dp_spi_read_as_caller(
		"SELECT c.id, c.number::pg_catalog.int4, c.name"
		" FROM dp_catalog.dp_synthetic_constraints($1) c"
		" WHERE c.kind OPERATOR(pg_catalog.=) 'c'::pg_catalog.\"char\" AND c.left_out IS NULL",
		DP_ARGUMENTS(DP_REGCLASS(RelationGetRelid(table->source))));
	spi = MemoryContextSwitchTo(context);
	table->check = palloc0(sizeof(NewCheck) * Max(rows, 1));
	for (uint64 i = 0; i < rows; i++)
		table->check[table->checks++] = (NewCheck){.constraint = dp_spi_oid(i, 1),
												   .value = (AttrNumber) dp_spi_int32(i, 2),
												   .name = dp_spi_text(i, 3)};
	MemoryContextSwitchTo(spi);
	dp_caller_close(&user_context);
}

/* ---- trees ---- */

static Node *
default_of(const NewTable *table, AttrNumber number)
{
	const TupleConstr *constr = RelationGetDescr(table->source)->constr;
	Oid type = table->taken.column[number - 1].type;

	for (int i = 0; constr != NULL && i < constr->num_defval; i++)
		if (constr->defval[i].adnum == number)
		{
			Node *value =
				dp_taken_expression(stringToNode(constr->defval[i].adbin), &table->taken, 0);

			if (exprType(value) != type)
				dp_raise_not_taken();
			return value;
		}
	dp_raise_not_taken();
}

static ColumnDef *
column_definition(const NewTable *table, const NewColumn *column)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(table->source), column->of - 1);
	const DpTakenColumn *taken = &table->taken.column[column->of - 1];
	ColumnDef *definition = makeColumnDef(pstrdup(NameStr(form->attname)), taken->type,
										  taken->typmod, taken->collation);

	if (form->attisdropped ||
		(getBaseType(taken->type) != getBaseType(form->atttypid) && column->has_expression))
		dp_raise_not_taken();
	definition->is_not_null = column->not_null;
	if (column->has_expression)
	{
		definition->cooked_default = default_of(table, column->of);
		definition->generated = form->attgenerated;
	}
	return definition;
}

static Constraint *
check_definition(const NewTable *table, const NewCheck *check)
{
	HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(check->constraint));
	Constraint *definition = makeNode(Constraint);
	bool isnull = true;
	Datum words;

	if (!HeapTupleIsValid(tuple))
		dp_raise_not_taken();
	words = SysCacheGetAttr(CONSTROID, tuple, Anum_pg_constraint_conbin, &isnull);
	if (isnull)
		dp_raise_not_taken();
	definition->contype = CONSTR_CHECK;
	definition->conname = check->name;
	definition->location = -1;
	definition->initially_valid = true;
	DP_CONSTRAINT_ENFORCE(definition);
	definition->cooked_expr = nodeToString(
		dp_taken_expression(stringToNode(TextDatumGetCString(words)), &table->taken, check->value));
	ReleaseSysCache(tuple);
	return definition;
}

/* ---- making ---- */

static void
copy_comments(const NewTable *table)
{
	for (int i = 0; i < table->columns; i++)
	{
		char *comment =
			GetComment(RelationGetRelid(table->source), RelationRelationId, table->column[i].of);

		if (comment != NULL)
			CreateComments(table->oid, RelationRelationId, i + 1, comment);
	}
}

static ObjectAddress
create(Node *statement, void *context)
{
	ObjectAddress address =
		DefineRelation((CreateStmt *) statement, RELKIND_RELATION, InvalidOid, NULL, "");

	EventTriggerCollectSimpleCommand(address, InvalidObjectAddress, statement);
	CommandCounterIncrement();
	NewRelationCreateToastTable(address.objectId, (Datum) 0);
	return address;
}

static CreateStmt *
create_statement(const NewTable *table, char *schema)
{
	CreateStmt *statement = makeNode(CreateStmt);

	statement->relation = makeRangeVar(schema, pstrdup(RelationGetRelationName(table->source)), -1);
	statement->oncommit = ONCOMMIT_NOOP;
	for (int i = 0; i < table->columns; i++)
	{
		ColumnDef *column = column_definition(table, &table->column[i]);

		statement->tableElts = lappend(statement->tableElts, column);
		if (column->is_not_null)
			DP_NOT_NULL_CONSTRAINT(statement, column->colname);
	}
	for (int i = 0; i < table->checks; i++)
		statement->constraints =
			lappend(statement->constraints, check_definition(table, &table->check[i]));
	return statement;
}

PG_FUNCTION_INFO_V1(dp_synthetic_table);

/* The rights are those that CREATE TABLE asks for. */
Datum
dp_synthetic_table(PG_FUNCTION_ARGS)
{
	NewTable table = {.source = dp_relation_open(PG_GETARG_OID(0), AccessShareLock)};
	char *schema = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	CreateStmt *statement;

	read_columns(&table, CurrentMemoryContext);
	read_checks(&table, CurrentMemoryContext);
	statement = create_statement(&table, schema);
	table.oid = dp_run_command((Node *) statement, create, NULL).objectId;
	copy_comments(&table);
	relation_close(table.source, AccessShareLock);
	CommandCounterIncrement();
	PG_RETURN_OID(table.oid);
}
