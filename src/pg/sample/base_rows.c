/*
 * base_rows.c -- columns of rows that other rows belong to.
 */
#include "pg/sample/base_rows.h"

#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/domain/distance.h"
#include "pg/domain/range_part.h"
#include "pg/sample/tree_rows.h"

/* A table whose rows are made. */
typedef struct BaseRows
{
	DpBaseTable table;
	int n;
	int *base;      /* [n] of the decoder */
	DpBaseIn *in;   /* [n] of table.job's row type */
	bool *by_value; /* [n] */
	int16 *length;  /* [n] */
	uint64 first;   /* number of the first row of the block */
	uint64 rows;
	uint64 capacity;
	NullableDatum *value; /* [rows x n] */
	uint32 *codes;        /* of a block, where the table is the root */
	bool is_begun;
	MemoryContext lasting;
	MemoryContext of_block;
} BaseRows;

typedef struct BaseState
{
	DpBaseSource source;
	int tables;
	BaseRows *table;
} BaseState;

/* ---- preparing ---- */

List *
dp_base_tables(const DpDecoder *decoder)
{
	List *tables = NIL;

	for (int b = 0; b < dp_decoder_bases_above(decoder); b++)
	{
		const char *name = dp_decoder_base_above(decoder, b)->table;
		bool known = name == NULL;
		ListCell *cell;

		foreach (cell, tables)
			known |= strcmp(lfirst(cell), name) == 0;
		if (!known)
			tables = lappend(tables, pstrdup(name));
	}
	return tables;
}

/* The type of what a column has, or an end of it. */
static Oid
type_in(Oid column, DpRangePart end)
{
	return end == DP_NO_RANGE_PART ? getBaseType(column) : dp_range_end_type(column);
}

/* A copy of the value is of its own type, the base of a distance of any that fits. */
static bool
fits(Oid type, Oid in)
{
	return type == in || dp_distance_fits(type, in);
}

static int
find_column(TupleDesc row, const char *name, Oid type, DpRangePart end)
{
	for (int i = 0; i < row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(row, i);

		if (!form->attisdropped && strcmp(NameStr(form->attname), name) == 0 &&
			fits(type, type_in(form->atttypid, end)))
			return i;
	}
	return -1;
}

DpBaseIn
dp_base_in(TupleDesc row, const DpBaseColumn *base)
{
	DpBaseIn in = {.column = find_column(row, base->column, base->type, DP_NO_RANGE_PART)};
	char *range;

	if (in.column < 0)
		in.end = dp_range_end_named(base->column, &range);
	if (in.end != DP_NO_RANGE_PART)
		in.column = find_column(row, range, base->type, in.end);
	if (in.column >= 0)
	{
		in.type = TupleDescAttr(row, in.column)->atttypid;
		in.from = type_in(in.type, in.end);
		in.as = base->type;
		return in;
	}
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("rows of \"%s\" have no column \"%s\" of type %s", base->table, base->column,
					format_type_be(base->type)),
			 errdetail("Rows that belong to them hold it, or their distance from it."),
			 errhint("Draw into a row type without the column that is modelled so, or give that "
					 "table the column that it has in the release.")));
}

NullableDatum
dp_base_value(const DpBaseIn *in, const Datum *values, const bool *nulls)
{
	NullableDatum value = {values[in->column], nulls[in->column]};

	if (in->end != DP_NO_RANGE_PART && !value.isnull)
		value = dp_range_end(value.value, in->type, in->end);
	if (!value.isnull)
		value.value = dp_distance_base_value(value.value, in->from, in->as);
	return value;
}

static void
rows_prepare(BaseRows *rows, const DpDecoder *decoder, const DpBaseTable *table)
{
	int bases = dp_decoder_bases_above(decoder);

	rows->table = *table;
	rows->lasting = CurrentMemoryContext;
	rows->of_block =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn base rows", ALLOCSET_DEFAULT_SIZES);
	rows->base = palloc(sizeof(int) * bases);
	rows->in = palloc(sizeof(DpBaseIn) * bases);
	rows->by_value = palloc(sizeof(bool) * bases);
	rows->length = palloc(sizeof(int16) * bases);
	for (int b = 0; b < bases; b++)
	{
		const DpBaseColumn *base = dp_decoder_base_above(decoder, b);

		if (base->table == NULL || strcmp(base->table, table->name) != 0)
			continue;
		rows->base[rows->n] = b;
		rows->in[rows->n] = dp_base_in(table->job->row, base);
		get_typlenbyval(base->type, &rows->length[rows->n], &rows->by_value[rows->n]);
		rows->n++;
	}
	if (table->job->tree == NULL)
		rows->codes = palloc(dp_job_block_bytes(table->job));
}

/* ---- the rows of a block ---- */

static void
reserve(BaseRows *rows, uint64 n)
{
	Size bytes;

	if (n <= rows->capacity)
		return;
	rows->capacity = n + n / 2;
	bytes = sizeof(NullableDatum) * rows->capacity * rows->n;
	rows->value = rows->value == NULL ? MemoryContextAllocHuge(rows->lasting, bytes)
									  : repalloc_huge(rows->value, bytes);
}

/* Of a row that could not differ from others there is nothing: what belongs to it is not kept. */
static void
put_row(void *state, uint64 number, Datum *values, bool *nulls)
{
	BaseRows *rows = state;
	MemoryContext caller = MemoryContextSwitchTo(rows->of_block);

	if (rows->rows == 0)
		rows->first = number;
	reserve(rows, number - rows->first + 1);
	for (; rows->first + rows->rows <= number; rows->rows++)
		for (int k = 0; k < rows->n; k++)
			rows->value[rows->rows * rows->n + k] = (NullableDatum){0, true};
	for (int k = 0; k < rows->n; k++)
	{
		NullableDatum value = dp_base_value(&rows->in[k], values, nulls);

		if (!value.isnull)
			value.value = datumCopy(value.value, rows->by_value[k], rows->length[k]);
		rows->value[(number - rows->first) * rows->n + k] = value;
	}
	MemoryContextSwitchTo(caller);
}

static void
rows_make(BaseRows *rows, uint64 block)
{
	DpDrawJob *job = rows->table.job;
	DpRowSink sink = {put_row, rows};

	rows->rows = 0;
	MemoryContextReset(rows->of_block);
	if (block >= dp_job_blocks(job))
		return;
	if (!rows->is_begun)
	{
		job->first_block = block;
		if (job->tree != NULL)
			dp_tree_rows_begin(job->tree, job, block);
		else
			dp_job_begin(job);
		rows->is_begun = true;
	}
	if (job->tree != NULL)
	{
		dp_tree_rows_make(job->tree, job, block, NULL, &sink);
		return;
	}
	dp_job_draw(job, block, rows->codes, &job->progress.tick);
	dp_job_make(job, block, rows->codes, &sink);
}

static void
make_block(void *state, uint64 block)
{
	BaseState *bases = state;

	for (int i = 0; i < bases->tables; i++)
		rows_make(&bases->table[i], block);
}

static void
give(void *state, DpDecoder *decoder, const DpPatternRow *above)
{
	BaseState *bases = state;

	for (int i = 0; i < bases->tables; i++)
	{
		const BaseRows *rows = &bases->table[i];
		uint64 number = above[rows->table.up].number;
		bool there = number >= rows->first && number - rows->first < rows->rows;

		for (int k = 0; k < rows->n; k++)
			dp_decoder_give_base(decoder, rows->base[k],
								 there ? rows->value[(number - rows->first) * rows->n + k]
									   : (NullableDatum){0, true});
	}
}

DpBaseSource *
dp_base_source(const DpDrawJob *job, const List *tables)
{
	BaseState *bases = palloc0(sizeof(BaseState));
	const ListCell *cell;

	bases->source = (DpBaseSource){make_block, give, bases};
	bases->table = palloc0(sizeof(BaseRows) * list_length(tables));
	foreach (cell, tables)
		rows_prepare(&bases->table[bases->tables++], job->decoder, lfirst(cell));
	return &bases->source;
}
