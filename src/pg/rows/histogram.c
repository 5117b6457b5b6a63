/*
 * histogram.c -- dp_release_histogram and dp_histogram_of: releasing a histogram, and the cells of
 * a stored one as rows of a table, which is post-processing of what was paid for.
 */
#include "pg/server/compat.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "pg/rows/sample.h"
#include "pg/server/arguments.h"

PG_FUNCTION_INFO_V1(dp_release_histogram);
PG_FUNCTION_INFO_V1(dp_histogram_of);

Datum
dp_release_histogram(PG_FUNCTION_ARGS)
{
	DpReleaseRequest request = {.method = pstrdup("histogram"), .sets = 1, .rows = -1};

	for (int i = 1; i <= 3; i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("epsilon, delta and options must not be null")));
	request.options = dp_options_argument(fcinfo, 3);
	PG_RETURN_INT64(dp_release_target(fcinfo, 1, &request, "dp_histogram_of"));
}

static TupleDesc
cell_row(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);

	if (!OidIsValid(type) || get_typtype(type) != TYPTYPE_COMPOSITE)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("target must have a row type"),
						errhint("Write NULL::name_of_the_table.")));
	return lookup_rowtype_tupdesc_copy(type, -1);
}

/* A bin is shown as its lower edge, so the lower edges take the place of categories. */
static void
bins_by_edge(DpDomain *domain)
{
	for (uint32 i = 0; i < domain->attributes; i++)
		if (domain->attribute[i].kind == DP_BINS)
		{
			domain->attribute[i].kind = DP_CATEGORIES;
			domain->attribute[i].range = NULL;
			domain->attribute[i].labels_n--;
		}
}

static const DpTable *
table_of(const DpStored *stored)
{
	if (strcmp(stored->model.method, "histogram") != 0 || stored->model.tables != 1 ||
		stored->model.replicates > 1 || stored->model.table[0].n != stored->model.domain.attributes)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("release " INT64_FORMAT " is not a histogram", stored->id),
						errhint("dp_histogram makes one; dp_sample draws rows from any release.")));
	return &stored->model.table[0];
}

/* Writes the codes of a cell, in the order of the domain's attributes. */
static void
cell_codes(const DpModel *model, const DpTable *table, uint64 cell, uint32 *codes)
{
	for (uint32 k = table->n; k-- > 0;)
	{
		uint32 attribute = table->attribute[k];
		uint32 levels = model->domain.attribute[attribute].levels;

		if (table->storage == DP_SPARSE)
			codes[attribute] = table->code[cell * table->n + k];
		else
		{
			codes[attribute] = (uint32) (cell % levels);
			cell /= levels;
		}
	}
}

static void
put_cells(ReturnSetInfo *result, const DpStored *stored, const DpTable *table, TupleDesc row)
{
	DpDecoder *decoder = dp_decoder_create(&stored->model.domain, stored->derived, row);
	uint32 *codes = palloc(sizeof(uint32) * stored->model.domain.attributes);
	Datum *values = palloc(sizeof(Datum) * row->natts);
	bool *isnull = palloc(sizeof(bool) * row->natts);
	MemoryContext cell =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn cell", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(cell);

	for (uint64 i = 0; i < table->cells; i++)
	{
		Datum out[2];
		bool nulls[2] = {false, false};

		cell_codes(&stored->model, table, i, codes);
		dp_decode_row(decoder, codes, NULL, values, isnull);
		out[0] = HeapTupleGetDatum(heap_form_tuple(row, values, isnull));
		out[1] = Int64GetDatum(table->value[i]);
		tuplestore_putvalues(result->setResult, result->setDesc, out, nulls);
		MemoryContextReset(cell);
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(caller);
}

Datum
dp_histogram_of(PG_FUNCTION_ARGS)
{
	TupleDesc row;
	DpStored *stored;
	const DpTable *table;

	dp_check_not_null(fcinfo, 1, "release");
	row = cell_row(fcinfo);
	stored = dp_stored_get(PG_GETARG_INT64(1));
	table = table_of(stored);
	bins_by_edge(&stored->model.domain);
	InitMaterializedSRF(fcinfo, 0);
	put_cells((ReturnSetInfo *) fcinfo->resultinfo, stored, table, row);
	return (Datum) 0;
}
