/*
 * suggest.c -- what a custodian may want to declare of a column: from the schema alone, and for
 * dp_suggest_columns what its statements read.
 */
#include "pg/domain/suggest.h"

#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "pg/budget/parent.h"
#include "pg/domain/grid.h"
#include "pg/domain/row_sample.h"
#include "pg/server/catalog.h"
#include "pg/server/labels.h"
#include "pg/server/rights.h"

PG_FUNCTION_INFO_V1(dp_read_as_owner);

/* Whether the table gives the column its values, or it tells units apart: there is nothing to
 * declare. */
static bool
carries_nothing(const DpUnmodelled *column)
{
	static const char *const sources[] = {"primary key", "unique", "sequence", "generated", "unit"};

	for (size_t i = 0; i < lengthof(sources); i++)
		if (strcmp(column->source, sources[i]) == 0)
			return true;
	return false;
}

char *
dp_suggest_call(Oid relation, const DpUnmodelled *column)
{
	if (carries_nothing(column))
		return NULL;
	return psprintf("SELECT dp_define_column(%s, %s, %s);", dp_literal(dp_relation_label(relation)),
					dp_literal(column->name),
					dp_type_has_range(column->type, column->typmod) ? "range => '{low,high}'"
																	: "open => true");
}

/* ---- what is read off the data ---- */

/*
 * The relations that a suggested statement may read: the relation, and ancestors of the same owner.
 */
static List *
relations_read(Oid relation)
{
	List *relations = list_make1_oid(relation);
	DpDataset dataset;
	ListCell *cell;

	if (!dp_dataset_find(relation, false, &dataset) || !dataset.active)
		return relations;
	foreach (cell, dp_dataset_parents(&dataset))
		if (dp_relation_owner(lfirst_oid(cell)) == dp_relation_owner(relation))
			relations = lappend_oid(relations, lfirst_oid(cell));
	return relations;
}

/*
 * Whatever runs of code of the owner's (a view's functions, a policy, a cast) has the owner's
 * rights and no more, a superuser's neither. Who calls it could as well SET ROLE.
 */
Datum
dp_read_as_owner(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	SPIExecuteOptions options = {.read_only = true};
	DpUserContext user_context;
	DpRowSample *sample;

	dp_check_custodian(relation, "read it as its owner");
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	options.dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(options.dest, result->setResult, CurrentMemoryContext, false,
									result->setDesc,
									"the statement does not give the columns that are listed");
	dp_caller_open(&user_context, relations_read(relation));
	sample = dp_row_sample_offer(relation);
	if (sample != NULL)
		sample->readers++;
	PG_TRY();
	{
		if (SPI_execute_extended(text_to_cstring(PG_GETARG_TEXT_PP(1)), &options) != SPI_OK_SELECT)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the statement must be a SELECT from the relation")));
	}
	PG_FINALLY();
	{
		if (sample != NULL)
			sample->readers--;
	}
	PG_END_TRY();
	dp_caller_close(&user_context);
	return (Datum) 0;
}
