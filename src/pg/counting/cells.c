/*
 * cells.c -- looking at counts: dp_cells, dp_sets. What they show is exact: whoever has a value of
 * dp_counts could read the rows.
 */
#include "pg/server/compat.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "pg/counting/object.h"
#include "pg/counting/spec.h"
#include "pg/domain/levels.h"
#include "pg/server/bridge.h"

PG_FUNCTION_INFO_V1(dp_cells);
PG_FUNCTION_INFO_V1(dp_sets);

/* Counts that are read set by set: an object, or flat, where other sets are not unpacked. */
typedef struct CountsSource
{
	DpCountsObject *object; /* NULL: flat */
	DpCountsView view;
	DpSpec flat_spec;
	const DpSpec *spec;
} CountsSource;

static void
source_open(CountsSource *source, Datum value)
{
	source->object = dp_counts_object_expanded(value);
	if (source->object != NULL)
	{
		source->object = dp_counts_object_get(value);
		source->spec = &source->object->spec;
	}
	else
	{
		DpArena arena = dp_arena_for(CurrentMemoryContext);

		dp_counts_flat_view(value, &source->view);
		dp_spec_from_bytes(source->view.spec_bytes, source->view.spec_length, &arena,
						   &source->flat_spec);
		source->spec = &source->flat_spec;
	}
}

/* The table of one set, in the current memory context. */
static void
source_table(const CountsSource *source, uint32 set, DpMarginal *table)
{
	const DpSpecSet *shape = &source->spec->set[set];
	DpArena *arena;
	DpError error = {0};
	DpStatus status;

	if (source->object != NULL)
	{
		*table = source->object->counts.table[set];
		return;
	}
	arena = palloc(sizeof(DpArena));
	CHECK_FOR_INTERRUPTS();
	*arena = dp_arena_for(CurrentMemoryContext);
	arena->bytes_max = dp_counts_memory();
	status = dp_marginal_init(table, &source->spec->domain,
							  &(DpAttributeSet){shape->n, shape->attribute}, shape->storage, arena,
							  &error);
	if (status == DP_OK)
		status = dp_counts_read_set(&source->view, source->spec, set, table, &error);
	if (status == DP_ERR_MEMORY)
	{
		char name[160];

		dp_spec_set_name(source->spec, set, name, sizeof(name));
		status = dp_fail(&error, DP_ERR_LIMIT, "the table over %s does not fit in memory", name);
	}
	if (status != DP_OK)
		dp_counts_raise(&error);
}

static Datum
text_array(Datum *texts, const bool *nulls, uint32 n)
{
	int dims[1] = {(int) n};
	int lower[1] = {1};

	return PointerGetDatum(construct_md_array(texts, unconstify(bool *, nulls), 1, dims, lower,
											  TEXTOID, -1, false, TYPALIGN_INT));
}

static Datum
attribute_names(const DpSpec *spec, uint32 set)
{
	const DpSpecSet *shape = &spec->set[set];
	Datum *name = palloc(sizeof(Datum) * shape->n);

	for (uint32 k = 0; k < shape->n; k++)
		name[k] = CStringGetTextDatum(spec->domain.attribute[shape->attribute[k]].name);
	return text_array(name, NULL, shape->n);
}

/* What a level is called: a label, "[0,10)", or the name of "other", which may be NULL. */
static Datum
level_name(const DpAttribute *attribute, uint32 code, bool *isnull)
{
	bool rest = attribute->has_other && code == attribute->levels - 1;
	const char *text = rest ? attribute->other : dp_level_text(attribute, code);

	*isnull = text == NULL;
	return text == NULL ? (Datum) 0 : CStringGetTextDatum(text);
}

static Datum
cell_name(const DpSpec *spec, const DpMarginal *table, const uint32 *code)
{
	Datum *name = palloc(sizeof(Datum) * table->n);
	bool *null = palloc(sizeof(bool) * table->n);

	for (uint32 k = 0; k < table->n; k++)
		name[k] = level_name(&spec->domain.attribute[table->attribute[k]], code[k], &null[k]);
	return text_array(name, null, table->n);
}

/* ---- dp_cells ---- */

static void
put_cells(FunctionCallInfo fcinfo, const CountsSource *source, uint32 set, MemoryContext cells)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpMarginal table;
	uint32 *codes;
	int64 *counts;
	uint64 used;

	source_table(source, set, &table);
	if (dp_marginal_cells(&table, &codes, &counts, &used, &arena) != DP_OK)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	for (uint64 i = 0; i < used; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(cells);
		bool nulls[4] = {false};
		Datum values[4];

		CHECK_FOR_INTERRUPTS();
		values[0] = Int32GetDatum((int32) set + 1);
		values[1] = attribute_names(source->spec, set);
		values[2] = cell_name(source->spec, &table, codes + i * table.n);
		values[3] = Int64GetDatum(counts[i]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(cells);
	}
}

/* dp_cells(counts, set): the non-empty cells of a set, or of all (NULL), in ascending order of
 * codes. */
Datum
dp_cells(PG_FUNCTION_ARGS)
{
	CountsSource source = {0};
	MemoryContext work;
	MemoryContext cells;
	MemoryContext caller;
	uint32 first = 0;
	uint32 end;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	source_open(&source, PG_GETARG_DATUM(0));
	end = source.spec->sets;
	if (!PG_ARGISNULL(1))
	{
		if (PG_GETARG_INT32(1) < 1 || (uint32) PG_GETARG_INT32(1) > end)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("set must be between 1 and %u", end)));
		first = (uint32) PG_GETARG_INT32(1) - 1;
		end = first + 1;
	}
	work = AllocSetContextCreate(CurrentMemoryContext, "dp_cells", ALLOCSET_DEFAULT_SIZES);
	cells = AllocSetContextCreate(CurrentMemoryContext, "dp_cells cell", ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(work);
	for (uint32 set = first; set < end; set++)
	{
		put_cells(fcinfo, &source, set, cells);
		MemoryContextReset(work);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	MemoryContextDelete(cells);
	return (Datum) 0;
}

/* ---- dp_sets ---- */

/* dp_sets(counts): which sets are counted, and how many rows. */
Datum
dp_sets(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	CountsSource source = {0};
	int64 rows;

	InitMaterializedSRF(fcinfo, 0);
	source_open(&source, PG_GETARG_DATUM(0));
	rows = source.object != NULL ? dp_counts_rows(&source.object->counts) : source.view.rows;
	for (uint32 set = 0; set < source.spec->sets; set++)
	{
		uint64 possible = dp_spec_cells(source.spec, set);
		bool nulls[5] = {false};
		Datum values[5];

		CHECK_FOR_INTERRUPTS();
		values[0] = Int32GetDatum((int32) set + 1);
		values[1] = attribute_names(source.spec, set);
		values[2] = BoolGetDatum(source.spec->set[set].storage == DP_SPARSE);
		values[3] = Int64GetDatum((int64) possible);
		nulls[3] = possible > (uint64) PG_INT64_MAX; /* more than anybody counts */
		values[4] = Int64GetDatum(rows);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
