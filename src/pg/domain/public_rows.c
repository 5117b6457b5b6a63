/*
 * public_rows.c -- dp_public_rows: the rows of a public table, to be copied by whoever asks.
 */
#include "pg/server/compat.h"

#include "executor/spi.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/tuplestore.h"

#include "pg/budget/payer.h"
#include "pg/budget/public_relation.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_public_rows);

#define FETCH_ROWS 10000

/* How a value becomes one of the column that takes it: as it is, or by its text. A column of a
 * synthetic table has the type itself, the type that a domain is over, text, or an array of such. So no
 * code of users runs. */
typedef struct Taken
{
	bool as_it_is;
	FmgrInfo output;
	FmgrInfo input;
	Oid input_parameter;
	int32 typmod;
} Taken;

/* The columns that are asked for, by the names that the caller's list of columns gives them. */
static char *
select_of(Oid relation, TupleDesc row)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < row->natts; i++)
		appendStringInfo(&sql, "%s%s", i > 0 ? ", " : "SELECT ",
						 quote_identifier(NameStr(TupleDescAttr(row, i)->attname)));
	appendStringInfo(&sql, " FROM %s%s",
					 get_rel_relkind(relation) == RELKIND_PARTITIONED_TABLE ? "" : "ONLY ",
					 dp_relation_label(relation));
	return sql.data;
}

static Taken *
taken_of(TupleDesc from, TupleDesc to, MemoryContext context)
{
	Taken *taken = palloc0(sizeof(Taken) * to->natts);

	for (int i = 0; i < to->natts; i++)
	{
		Oid own = TupleDescAttr(from, i)->atttypid, wanted = TupleDescAttr(to, i)->atttypid;
		Oid function;
		bool varlena;

		taken[i].as_it_is = own == wanted || getBaseType(own) == wanted;
		if (!taken[i].as_it_is && getBaseType(wanted) != wanted)
			elog(ERROR, "dpsyn: a column takes no public values");
		taken[i].typmod = TupleDescAttr(to, i)->atttypmod;
		getTypeOutputInfo(own, &function, &varlena);
		fmgr_info_cxt(function, &taken[i].output, context);
		getTypeInputInfo(wanted, &function, &taken[i].input_parameter);
		fmgr_info_cxt(function, &taken[i].input, context);
	}
	return taken;
}

/* Of a batch that was read. */
static void
rows_put(ReturnSetInfo *result, const Taken *taken, MemoryContext batch)
{
	int n = result->setDesc->natts;
	MemoryContext before = MemoryContextSwitchTo(batch);
	Datum *values = palloc(sizeof(Datum) * n);
	bool *nulls = palloc(sizeof(bool) * n);

	for (uint64 r = 0; r < SPI_processed; r++)
	{
		for (int i = 0; i < n; i++)
		{
			values[i] =
				SPI_getbinval(SPI_tuptable->vals[r], SPI_tuptable->tupdesc, i + 1, &nulls[i]);
			if (nulls[i] || taken[i].as_it_is)
				continue;
			values[i] = CStringGetDatum(
				OutputFunctionCall(unconstify(FmgrInfo *, &taken[i].output), values[i]));
			values[i] = InputFunctionCall(unconstify(FmgrInfo *, &taken[i].input),
										  DatumGetCString(values[i]), taken[i].input_parameter,
										  taken[i].typmod);
		}
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	MemoryContextSwitchTo(before);
	MemoryContextReset(batch);
}

/* ---- who may have them ---- */

/* That a table is nobody's data does not say that it is everybody's. Who may read it may copy it, and
 * who has a budget for a protected relation, or may draw from a release of one. */
static void
check_may_copy(Oid relation)
{
	Oid user = GetUserId();
	ListCell *cell;

	if (pg_class_aclcheck(relation, user, ACL_SELECT) == ACLCHECK_OK)
		return;
	foreach (cell, dp_catalog_oids("SELECT relation FROM dp_catalog.dp_dataset"
								   " WHERE active AND dropped_at IS NULL ORDER BY id"))
	{
		DpDataset dataset;

		if (dp_dataset_find(lfirst_oid(cell), false, &dataset) &&
			(dp_may_ask(&dataset, user) || dp_may_draw(&dataset, user)))
			return;
	}
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					errmsg("permission denied for table %s", get_rel_name(relation)),
					errdetail("It is public, and open to who may read it, or has a budget for a "
							  "protected relation.")));
}

Datum
dp_public_rows(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext batch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn batch", ALLOCSET_DEFAULT_SIZES);
	MemoryContext own = CurrentMemoryContext;
	DpUserContext user_context;
	Taken *taken = NULL;
	char *statement;
	Portal portal;

	LockRelationOid(relation, AccessShareLock);
	dp_check_public(relation);
	check_may_copy(relation);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	statement = select_of(relation, result->setDesc);
	dp_public_open(&user_context, relation, statement);
	portal = SPI_cursor_open_with_args(NULL, statement, 0, NULL, NULL, NULL, true, 0);
	do
	{
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (taken == NULL)
		{
			MemoryContext spi = MemoryContextSwitchTo(own);

			taken = taken_of(SPI_tuptable->tupdesc, result->setDesc, own);
			MemoryContextSwitchTo(spi);
		}
		rows_put(result, taken, batch);
		SPI_freetuptable(SPI_tuptable);
		CHECK_FOR_INTERRUPTS();
	} while (SPI_processed > 0);
	SPI_cursor_close(portal);
	dp_public_close(&user_context);
	dp_check_public(relation); /* a partition that came meanwhile was read, too */
	return (Datum) 0;
}
