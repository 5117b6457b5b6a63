/*
 * release_tables.c -- dp_release_tables and dp_release_cells: what a release measured, with its
 * noise.
 */
#include "pg/server/compat.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/model/noisy_table.h"
#include "pg/domain/levels.h"
#include "pg/sample/cell_json.h"
#include "pg/sample/release_query.h"
#include "pg/sample/tree_rows.h"
#include "pg/server/arguments.h"

PG_FUNCTION_INFO_V1(dp_release_tables);
PG_FUNCTION_INFO_V1(dp_release_cells);

#define TABLE_COLUMNS 9
#define CELL_COLUMNS 8

/* A stored release with tables, or that of a relation that was released with its root; ERROR for
 * one of rows. argument: which tells the relation. */
static DpStored *
stored_with_tables(FunctionCallInfo fcinfo, int argument)
{
	int64 release = PG_GETARG_INT64(0);
	Oid relation = PG_ARGISNULL(argument) ? InvalidOid : PG_GETARG_OID(argument);
	DpStored *stored = dp_stored_counts_of(release, relation);
	DpStoredPart *part = dp_part_requested(stored, dp_stored_parts(stored), relation);

	if (part != NULL)
		stored = &part->stored;

	if (stored->model.tables == 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("release " INT64_FORMAT " holds no tables", release),
				 errdetail("Method %s releases rows, each of which was paid for when it was drawn.",
						   stored->model.method),
				 errhint("dp_sample reads the rows, and dp_answer counts them.")));
	return stored;
}

static const char *
noise_name(DpNoise noise)
{
	switch (noise)
	{
		case DP_NOISE_LAPLACE:
			return "discrete laplace";
		case DP_NOISE_GAUSSIAN:
			return "discrete gaussian";
		case DP_NOISE_STABILITY:
			return "stability";
		default:
			return "sparse";
	}
}

/* What the table was measured for. number counts from 0 within its set. */
static const char *
stage_of(const DpStored *stored, const DpTable *table, uint32 number)
{
	const char *method = stored->model.method;

	if (table->n == 0)
		return "count rows";
	if (stored->method->gaussian && table->noise == DP_NOISE_GAUSSIAN)
		return number < stored->model.domain.attributes ? "one-way tables" : "chosen tables";
	if (strcmp(method, "mwem") == 0)
		return psprintf("round %u", number + 1);
	if (strcmp(method, "steps") == 0 || strcmp(method, "uh") == 0 || strcmp(method, "flat") == 0)
		return "tree layers";
	return "tables";
}

/* How many of the table's cells have noise of their own, or were released. */
static uint64
cells_of(const DpMeasuredTable *table)
{
	uint64 cells = 0;

	if (table->noisy == NULL)
		return table->table->cells;
	for (uint64 i = 0; i < table->table->cells; i++)
		cells += table->noisy[i];
	return cells;
}

static Datum
names_of(const DpDomain *domain, const DpTable *table)
{
	Datum *names = palloc(sizeof(Datum) * Max(table->n, 1));

	for (uint32 k = 0; k < table->n; k++)
		names[k] = CStringGetTextDatum(domain->attribute[table->attribute[k]].name);
	return dp_text_array(names, (int) table->n);
}

static Datum
columns_of(const DpDomain *domain, const DpTable *table)
{
	Datum *names = palloc(sizeof(Datum) * Max(table->n, 1));

	for (uint32 k = 0; k < table->n; k++)
		names[k] = DirectFunctionCall1(
			namein, CStringGetDatum(domain->attribute[table->attribute[k]].name));
	return PointerGetDatum(
		construct_array(names, (int) table->n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

Datum
dp_release_tables(PG_FUNCTION_ARGS)
{
	DpStored *stored;
	DpMeasuredTable *table;
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	uint32 at = 0;

	dp_check_not_null(fcinfo, 0, "release");
	stored = stored_with_tables(fcinfo, 1);
	table = dp_stored_tables(stored);
	InitMaterializedSRF(fcinfo, 0);
	for (uint32 set = 1; set <= (uint32) stored->sets; set++)
	{
		DpModel view;

		if (dp_model_view(&stored->model, set, &view) != DP_OK)
			elog(ERROR, "a stored release has fewer sets than its line says");
		for (uint32 t = 0; t < view.tables; t++, at++)
		{
			const DpTable *own = table[at].table;
			double stddev = sqrt(dp_table_variance(own));
			Datum values[TABLE_COLUMNS] = {Int32GetDatum((int32) at + 1),
										   columns_of(&stored->model.domain, own),
										   CStringGetTextDatum(noise_name(own->noise)),
										   Int64GetDatum((int64) cells_of(&table[at])),
										   Float8GetDatum(stddev),
										   Int64GetDatum(own->threshold_rows),
										   CStringGetTextDatum(stage_of(stored, own, t)),
										   Int32GetDatum((int32) set),
										   BoolGetDatum(table[at].group != NULL)};
			bool nulls[TABLE_COLUMNS] = {false};

			CHECK_FOR_INTERRUPTS();
			nulls[5] = own->threshold_rows == 0;
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}

/* ---- cells ---- */

/* The values of a cell as a marginal that dp_fit_marginals reads: a bin is its lower edge. */
static Datum
values_of(const DpDomain *domain, const DpTable *table, const uint32 *code)
{
	Datum *value = palloc(sizeof(Datum) * Max(table->n, 1));
	bool *nulls = palloc0(sizeof(bool) * Max(table->n, 1));
	int size = (int) table->n, lower = 1;

	for (uint32 k = 0; k < table->n; k++)
	{
		const DpAttribute *attribute = &domain->attribute[table->attribute[k]];
		bool other = attribute->has_other && code[k] == attribute->levels - 1;
		const char *text = other ? attribute->other : attribute->labels[code[k]];

		nulls[k] = text == NULL;
		value[k] = text == NULL ? (Datum) 0 : CStringGetTextDatum(text);
	}
	return PointerGetDatum(
		construct_md_array(value, nulls, 1, &size, &lower, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
cell_codes(const DpDomain *domain, const DpTable *table, uint64 cell, uint32 *code)
{
	for (uint32 k = table->n; k-- > 0;)
	{
		uint32 levels = domain->attribute[table->attribute[k]].levels;

		code[k] = table->storage == DP_SPARSE ? table->code[cell * table->n + k]
											  : (uint32) (cell % levels);
		cell = table->storage == DP_SPARSE ? cell : cell / levels;
	}
}

/* The levels of a cell, if each is counted by itself. */
static bool
is_single(const DpDomain *domain, const DpMeasuredTable *from, const uint32 *code)
{
	for (uint32 k = 0; from->group != NULL && k < from->table->n; k++)
	{
		uint32 a = from->table->attribute[k];

		for (uint32 i = 0; i < domain->attribute[a].levels; i++)
			if (i != code[k] && from->group[a][i] == from->group[a][code[k]])
				return false;
	}
	return true;
}

static void
put_table(const DpStored *stored, const DpMeasuredTable *from, int32 number, ReturnSetInfo *result)
{
	const DpTable *table = from->table;
	const DpDomain *domain = &stored->model.domain;
	DpAttributeSet set = {table->n, table->attribute};
	DpCellWriter *writer = dp_cell_writer(domain, &set);
	uint32 *code = palloc0(sizeof(uint32) * Max(table->n, 1));
	double variance = dp_table_variance(table);
	MemoryContext row =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn cell", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(row);

	for (uint64 i = 0; i < table->cells; i++)
	{
		Datum values[CELL_COLUMNS];
		bool nulls[CELL_COLUMNS] = {false};

		CHECK_FOR_INTERRUPTS();
		if (from->noisy != NULL && !from->noisy[i])
			continue;
		cell_codes(domain, table, i, code);
		values[0] = Int32GetDatum(number);
		values[1] = JsonbPGetDatum(dp_cell_json(writer, code, from->group));
		values[2] = Float8GetDatum((double) table->value[i]);
		values[3] = Float8GetDatum(sqrt(variance));
		nulls[4] = nulls[5] = table->n == 0 || !is_single(domain, from, code);
		values[4] = nulls[4] ? (Datum) 0 : names_of(domain, table);
		values[5] = nulls[5] ? (Datum) 0 : values_of(domain, table, code);
		values[6] = Float8GetDatum(variance);
		values[7] = Int64GetDatum(table->threshold_rows);
		nulls[7] = table->threshold_rows == 0;
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row);
}

Datum
dp_release_cells(PG_FUNCTION_ARGS)
{
	DpStored *stored;
	DpMeasuredTable *table;
	int32 number = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);

	dp_check_not_null(fcinfo, 0, "release");
	stored = stored_with_tables(fcinfo, 2);
	if (!PG_ARGISNULL(1) && (number < 1 || (uint32) number > stored->model.tables))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("release " INT64_FORMAT " has no table %d", stored->id, number),
						errdetail("It has tables 1 to %u.", stored->model.tables),
						errhint("dp_release_tables lists them.")));
	table = dp_stored_tables(stored);
	InitMaterializedSRF(fcinfo, 0);
	for (uint32 t = 0; t < stored->model.tables; t++)
		if (number == 0 || t + 1 == (uint32) number)
			put_table(stored, &table[t], (int32) t + 1, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}
