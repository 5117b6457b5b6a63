/*
 * answer_rows.c -- the rows of dp_evaluate.
 */
#include "pg/evaluate/table_measures.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#define ANSWER_COLUMNS 6

static Datum
names(const char *const *column, uint32 n)
{
	Datum *name = palloc(sizeof(Datum) * n);
	NameData *data = palloc0(sizeof(NameData) * n);

	for (uint32 i = 0; i < n; i++)
	{
		namestrcpy(&data[i], column[i]);
		name[i] = NameGetDatum(&data[i]);
	}
	return PointerGetDatum(
		construct_array(name, (int) n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

static Datum
number(double value, bool *isnull)
{
	*isnull = isnan(value);
	return Float8GetDatum(value);
}

static void
put_result(void *resultinfo, const DpMeasured *row)
{
	ReturnSetInfo *result = resultinfo;
	Datum values[ANSWER_COLUMNS];
	bool nulls[ANSWER_COLUMNS] = {false};

	values[0] = CStringGetTextDatum(row->measure);
	nulls[1] = row->columns == 0;
	values[1] = nulls[1] ? (Datum) 0 : names(row->column, row->columns);
	values[2] = number(row->value, &nulls[2]);
	values[3] = number(row->original, &nulls[3]);
	values[4] = number(row->synthetic, &nulls[4]);
	nulls[5] = row->detail == NULL;
	values[5] = nulls[5] ? (Datum) 0 : CStringGetTextDatum(row->detail);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

DpMeasuredSink
dp_measured_result(FunctionCallInfo fcinfo)
{
	return (DpMeasuredSink){put_result, fcinfo->resultinfo};
}

void
dp_measured_put(const DpMeasuredSink *sink, const DpMeasured *row)
{
	sink->put(sink->context, row);
}
