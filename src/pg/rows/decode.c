/*
 * decode.c -- codes to rows of the caller's type. Columns are matched by name, and those that the
 * release does not model are NULL.
 */
#include "pg/rows/decode.h"

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "utils/syscache.h"

#include "core/rows/range_sampler.h"
#include "pg/domain/bins.h"
#include "pg/domain/grid.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

typedef struct ColumnDecoder
{
	int attribute; /* domain index; -1: not modelled */
	uint32 other;  /* code of the level for the rest; the number of levels if there is none */
	bool other_isnull;
	Datum other_value;
	Datum *value;          /* [labels], of categories */
	DpBins *bins;          /* of bins that are stated */
	DpRangeSampler *range; /* of bins that were found on a grid */
	DpGridCoder *coder;
} ColumnDecoder;

struct DpDecoder
{
	int columns;
	ColumnDecoder *column;
};

static void
range_prepare(ColumnDecoder *column, const DpAttribute *attribute, Form_pg_attribute target)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);

	column->coder = dp_grid_coder(&attribute->range->grid, target->atttypid, target->atttypmod);
	column->range = dp_range_sampler_create(attribute->range, &arena);
	if (column->range == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

static void
column_prepare(ColumnDecoder *column, const DpAttribute *attribute, Form_pg_attribute target)
{
	column->other = attribute->has_other ? attribute->levels - 1 : attribute->levels;
	column->other_isnull = attribute->other == NULL;
	if (attribute->has_other && attribute->other)
		column->other_value = dp_value_in(attribute->other, target->atttypid, target->atttypmod);
	if (attribute->range != NULL)
	{
		range_prepare(column, attribute, target);
		return;
	}
	if (attribute->kind == DP_BINS)
	{
		column->bins = dp_bins_create(attribute, target->atttypid, target->atttypmod);
		return;
	}
	column->value = palloc_extended(sizeof(Datum) * Max(attribute->labels_n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < attribute->labels_n; i++)
		column->value[i] = dp_value_in(attribute->labels[i], target->atttypid, target->atttypmod);
}

/* InvalidOid for a record, since the caller chose its columns. */
static Oid
row_type_owner(Oid type)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	owner = type == RECORDOID ? InvalidOid : ((Form_pg_type) GETSTRUCT(tuple))->typowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Reading a label can run the CHECK of a domain. It gets no more rights than the owner of the row
 * type has. */
DpDecoder *
dp_decoder_create(const DpDomain *domain, TupleDesc target)
{
	DpDecoder *decoder = palloc0(sizeof(DpDecoder));
	DpElevation elevation;
	bool any = false;
	int level;

	dp_become_owner(&elevation, row_type_owner(target->tdtypeid));
	level = dp_values_begin();
	decoder->columns = target->natts;
	decoder->column = palloc0(sizeof(ColumnDecoder) * Max(target->natts, 1));
	for (int i = 0; i < target->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(target, i);
		ColumnDecoder *column = &decoder->column[i];

		column->attribute =
			form->attisdropped ? -1 : dp_domain_find(domain, NameStr(form->attname));
		if (column->attribute < 0)
			continue;
		any = true;
		column_prepare(column, &domain->attribute[column->attribute], form);
	}
	dp_values_end(level);
	dp_unelevate(&elevation);
	if (!any)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the row type has no column of the release"),
				 errhint("Draw into the row type of the protected relation, NULL::relation, or "
						 "one with columns of the same names.")));
	return decoder;
}

void
dp_decoder_restrict(DpDecoder *decoder, int attribute, const char *low, const char *high,
					bool closed)
{
	int level = dp_values_begin();

	for (int i = 0; i < decoder->columns; i++)
		if (decoder->column[i].attribute == attribute && decoder->column[i].bins != NULL)
			dp_bins_restrict(decoder->column[i].bins, low, high, closed);
	dp_values_end(level);
}

void
dp_decode_row(const DpDecoder *decoder, const uint32 *codes, DpPrng *prng, Datum *values,
			  bool *nulls)
{
	for (int i = 0; i < decoder->columns; i++)
	{
		const ColumnDecoder *column = &decoder->column[i];
		uint32 code;

		values[i] = 0;
		nulls[i] = true;
		if (column->attribute < 0)
			continue;
		code = codes[column->attribute];
		nulls[i] = false;
		if (code == column->other)
		{
			values[i] = column->other_value;
			nulls[i] = column->other_isnull;
		}
		else if (column->range)
			values[i] = dp_grid_value(column->coder, dp_range_draw(column->range, code, prng));
		else if (column->bins)
			values[i] = dp_bins_draw(column->bins, code, prng);
		else
			values[i] = column->value[code];
	}
}
