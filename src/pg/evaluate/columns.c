/*
 * columns.c -- which columns of two relations can be compared, and how.
 */
#include "pg/evaluate/two_tables.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"

#include "pg/server/numbers.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"

void
dp_check_readable(Oid relation, const char *argument)
{
	switch (get_rel_relkind(relation))
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_FOREIGN_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
			return;
		case '\0':
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
							errmsg("relation with OID %u does not exist", relation)));
		default:
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("relation \"%s\" has no rows to read", dp_relation_words(relation)),
					 errdetail("The argument %s must be a table, a view or a materialized view.",
							   argument)));
	}
}

void
dp_two_tables_take(DpTwoTables *tables, Oid original, Oid synthetic)
{
	tables->context = CurrentMemoryContext;
	tables->relation[DP_ORIGINAL] = original;
	tables->relation[DP_SYNTHETIC] = synthetic;
	dp_check_readable(original, "original");
	dp_check_readable(synthetic, "synthetic");
	if (original == synthetic)
		ereport(NOTICE,
				(errmsg("relation \"%s\" is compared with itself", dp_relation_words(original)),
				 errhint("If two are of this name, write the schema of each: search_path finds the "
						 "same one for both.")));
}

void
dp_two_tables_arguments(FunctionCallInfo fcinfo, DpTwoTables *tables)
{
	dp_check_not_null(fcinfo, 0, "original");
	dp_check_not_null(fcinfo, 1, "synthetic");
	dp_two_tables_take(tables, PG_GETARG_OID(0), PG_GETARG_OID(1));
}

void
dp_two_tables_skip(DpTwoTables *tables, const char *column, const char *why)
{
	DpSkipped *skipped = palloc(sizeof(DpSkipped));

	skipped->column = column;
	skipped->why = why;
	tables->skipped = lappend(tables->skipped, skipped);
}

const List *
dp_two_tables_sources(const DpTwoTables *tables, DpSide side)
{
	return tables->from[side] != NULL ? tables->sources[side]
									  : list_make1_oid(tables->relation[side]);
}

/* ---- types ---- */

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == NAMEOID ||
		   get_typtype(type) == TYPTYPE_ENUM;
}

static bool
is_word(Oid type)
{
	return type == BOOLOID || type == CHAROID || get_typtype(type) == TYPTYPE_ENUM;
}

/* Sets how two types compare; false: they do not. */
static bool
choose_kind(DpComparedColumn *column)
{
	Oid first = column->type[0];
	Oid second = column->type[1];

	column->time = dp_is_time(first);
	if ((dp_is_number(first) && dp_is_number(second)) || (dp_is_time(first) && dp_is_time(second)))
		column->kind = DP_KIND_NUMBER;
	else if (first == second && is_word(first))
		column->kind = DP_KIND_WORD;
	else if (first == second || (is_text(first) && is_text(second)))
		column->kind = DP_KIND_TEXT;
	else
		return false;
	return true;
}

/* ---- columns ---- */

static Form_pg_attribute
find_column(TupleDesc desc, const char *name)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(desc, i);

		if (!form->attisdropped && strcmp(NameStr(form->attname), name) == 0)
			return form;
	}
	return NULL;
}

static bool
is_wanted(const DpTwoTables *tables, const char *name)
{
	ListCell *cell;

	foreach (cell, tables->wanted)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return tables->wanted == NIL;
}

static void
add_column(DpTwoTables *tables, Form_pg_attribute original, Form_pg_attribute synthetic)
{
	DpComparedColumn *column = &tables->column[tables->columns];

	*column = (DpComparedColumn){
		.name = pstrdup(NameStr(original->attname)),
		.type = {getBaseType(original->atttypid), getBaseType(synthetic->atttypid)},
		.own_type = original->atttypid,
		.own_typmod = original->atttypmod,
		.collation = original->attcollation};
	if (choose_kind(column))
		tables->columns++;
	else
		dp_two_tables_skip(tables, column->name,
						   psprintf("its types, %s and %s, do not compare",
									format_type_be(original->atttypid),
									format_type_be(synthetic->atttypid)));
}

static void
add_columns(DpTwoTables *tables, TupleDesc original, TupleDesc synthetic)
{
	for (int i = 0; i < original->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(original, i);
		Form_pg_attribute other;

		if (form->attisdropped || !is_wanted(tables, NameStr(form->attname)))
			continue;
		other = find_column(synthetic, NameStr(form->attname));
		if (other != NULL)
			add_column(tables, form, other);
		else
			dp_two_tables_skip(tables, pstrdup(NameStr(form->attname)),
							   "the synthetic relation has no such column");
	}
	for (int i = 0; i < synthetic->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(synthetic, i);

		if (!form->attisdropped && is_wanted(tables, NameStr(form->attname)) &&
			find_column(original, NameStr(form->attname)) == NULL)
			dp_two_tables_skip(tables, pstrdup(NameStr(form->attname)),
							   "the original relation has no such column");
	}
}

/* The columns that a SELECT from these relations gives. */
static TupleDesc
columns_of_statement(const char *sql, const List *sources, MemoryContext context)
{
	DpUserContext user_context;
	SPIPlanPtr plan;
	TupleDesc desc;
	MemoryContext spi;

	dp_caller_open(&user_context, sources);
	plan = SPI_prepare(sql, 0, NULL);
	if (plan == NULL)
		elog(ERROR, "dpsyn: a statement cannot be prepared: %s",
			 SPI_result_code_string(SPI_result));
	spi = MemoryContextSwitchTo(context);
	desc = CreateTupleDescCopy(
		((CachedPlanSource *) linitial(SPI_plan_get_plan_sources(plan)))->resultDesc);
	MemoryContextSwitchTo(spi);
	dp_caller_close(&user_context);
	return desc;
}

static TupleDesc
columns_of_side(const DpTwoTables *tables, DpSide side)
{
	Relation relation;
	TupleDesc desc;

	if (tables->from[side] != NULL)
		return columns_of_statement(psprintf("SELECT * FROM %s", tables->from[side]),
									dp_two_tables_sources(tables, side), CurrentMemoryContext);
	relation = relation_open(tables->relation[side], AccessShareLock);
	desc = CreateTupleDescCopy(RelationGetDescr(relation));
	relation_close(relation, NoLock);
	return desc;
}

void
dp_two_tables_columns(DpTwoTables *tables)
{
	TupleDesc original = columns_of_side(tables, DP_ORIGINAL);
	TupleDesc synthetic = columns_of_side(tables, DP_SYNTHETIC);
	ListCell *cell;

	tables->column = palloc0(sizeof(DpComparedColumn) * Max(original->natts, 1));
	foreach (cell, tables->wanted)
		if (find_column(original, lfirst(cell)) == NULL &&
			find_column(synthetic, lfirst(cell)) == NULL)
			dp_no_such_column(lfirst(cell), tables->relation[DP_ORIGINAL], NULL);
	add_columns(tables, original, synthetic);
	if (tables->columns == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("relations %s and %s have no column in common that can be compared",
							   dp_relation_label(tables->relation[DP_ORIGINAL]),
							   dp_relation_label(tables->relation[DP_SYNTHETIC])),
						errhint("Columns are matched by name, and need types that compare.")));
}
