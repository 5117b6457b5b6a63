/*
 * ledger.c -- lines of the ledger, written by the release worker in
 * transactions of its own. A debit is one line and the two totals it counts
 * against, in one transaction with both rows locked; what became of it is
 * another line. Lines are never changed.
 */
#include "dpsyn.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/builtins.h"

/*
 * The budget's row, then the allocation's, as always. Elevated and connected to SPI.
 * The allocation also learns the name that its role has now.
 */
void
dp_ledger_spend(int32 budget, int32 dataset, Oid payer, DpBudget cost, int sign)
{
	Oid types[5] = {INT8OID, INT8OID, INT8OID, INT4OID, OIDOID};
	Datum values[5] = {Int64GetDatum(sign * cost.epsilon_nano),
					   Int64GetDatum(sign * cost.delta_atto), Int64GetDatum(sign * cost.rho_pico),
					   Int32GetDatum(budget), ObjectIdGetDatum(payer)};

	if (dp_spi("UPDATE @.dp_dataset SET spent_epsilon_nano = spent_epsilon_nano + $1,"
			   " spent_delta_atto = spent_delta_atto + $2,"
			   " spent_rho_pico = spent_rho_pico + $3 WHERE id = $4",
			   SPI_OK_UPDATE, 4, types, values, NULL, false) != 1)
		elog(ERROR, "dpsyn: a budget disappeared");
	if (!OidIsValid(payer))
		return;
	values[3] = Int32GetDatum(dataset);
	if (dp_spi("UPDATE @.dp_allocation SET"
			   " spent_epsilon_nano = spent_epsilon_nano + $1,"
			   " spent_delta_atto = spent_delta_atto + $2,"
			   " spent_rho_pico = spent_rho_pico + $3,"
			   " role_name = coalesce((SELECT rolname FROM pg_catalog.pg_authid WHERE oid = $5),"
			   " role_name) WHERE dataset = $4 AND role = $5",
			   SPI_OK_UPDATE, 5, types, values, NULL, false) != 1)
		elog(ERROR, "dpsyn: an allocation disappeared");
}

/* The caller holds the rows locked and has checked the budget. Returns the line's number. */
int64
dp_ledger_debit(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	DpBudget cost = prepared->plan.cost;
	Oid types[12] = {INT4OID, TEXTOID, OIDOID,  NAMEOID, OIDOID,  TEXTOID,
					 TEXTOID, TEXTOID, INT8OID, INT8OID, INT8OID, BOOLOID};
	Datum values[12];
	char nulls[13] = "            ";
	DpElevation elevation;
	int64 line;

	values[0] = Int32GetDatum(prepared->dataset.id);
	values[1] = CStringGetTextDatum(dp_relation_label(request->relation));
	values[2] = ObjectIdGetDatum(request->user);
	values[3] = DirectFunctionCall1(namein, CStringGetDatum(dp_role_label(request->user)));
	values[4] = ObjectIdGetDatum(prepared->payer.role);
	nulls[4] = prepared->payer.custodian ? 'n' : ' ';
	values[5] = CStringGetTextDatum(request->method);
	values[6] = CStringGetTextDatum(request->options);
	values[7] = CStringGetTextDatum(request->row_type);
	values[8] = Int64GetDatum(cost.epsilon_nano);
	values[9] = Int64GetDatum(cost.delta_atto);
	values[10] = Int64GetDatum(cost.rho_pico);
	values[11] = BoolGetDatum(prepared->plan.method->unprotected);

	dp_elevate(&elevation);
	SPI_connect();
	dp_ledger_spend(prepared->dataset.budget, prepared->dataset.id, prepared->payer.role, cost, 1);
	dp_spi("INSERT INTO @.dp_ledger_entry (kind, dataset, relation_name, role, role_name, payer,"
		   " method, options, row_type, epsilon_nano, delta_atto, rho_pico, unprotected)"
		   " VALUES ('debit', $1, $2,"
		   " $3, $4, $5, $6, $7::pg_catalog.jsonb, nullif($8, ''), $9, $10, $11, $12) RETURNING id",
		   SPI_OK_INSERT_RETURNING, 12, types, values, nulls, false);
	line = dp_spi_int64(0, 1);
	SPI_finish();
	dp_unelevate(&elevation);
	return line;
}

void
dp_ledger_outcome(int64 debit, const DpReleaseRequest *request, int32 dataset, const char *kind,
				  TimestampTz started)
{
	Oid types[7] = {TEXTOID, INT8OID, INT4OID, TEXTOID, OIDOID, NAMEOID, TIMESTAMPTZOID};
	Datum values[7];
	DpElevation elevation;

	values[0] = CStringGetTextDatum(kind);
	values[1] = Int64GetDatum(debit);
	values[2] = Int32GetDatum(dataset);
	values[3] = CStringGetTextDatum(dp_relation_label(request->relation));
	values[4] = ObjectIdGetDatum(request->user);
	values[5] = DirectFunctionCall1(namein, CStringGetDatum(dp_role_label(request->user)));
	values[6] = TimestampTzGetDatum(started);
	dp_elevate(&elevation);
	SPI_connect();
	dp_spi("INSERT INTO @.dp_ledger_entry (kind, debit, dataset, relation_name, role, role_name,"
		   " duration) VALUES ($1, $2, $3, $4, $5, $6, pg_catalog.clock_timestamp() - $7)",
		   SPI_OK_INSERT, 7, types, values, NULL, false);
	SPI_finish();
	dp_unelevate(&elevation);
}

static Datum
model_bytes(const DpModel *model, DpArena *arena)
{
	DpError error = {0};
	unsigned char *bytes;
	size_t length;
	bytea *result;

	if (dp_model_serialise(model, arena, &bytes, &length, &error) != DP_OK)
		dp_raise(&error);
	if (length > MaxAllocSize - VARHDRSZ)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the released model is too large to be stored"),
						errhint("Model fewer attributes or lower dense_cells.")));
	result = palloc(length + VARHDRSZ);
	SET_VARSIZE(result, length + VARHDRSZ);
	memcpy(VARDATA(result), bytes, length);
	return PointerGetDatum(result);
}

void
dp_release_keep(int64 debit, const DpReleaseRequest *request, const DpPrepared *prepared,
				const DpModel *model, DpArena *arena)
{
	Oid types[13] = {INT8OID, INT4OID, TEXTOID, OIDOID,  OIDOID,   TEXTOID, TEXTOID,
					 INT8OID, INT8OID, INT8OID, INT4OID, BYTEAOID, BOOLOID};
	Datum values[13];
	char nulls[14] = "             ";
	DpElevation elevation;

	values[0] = Int64GetDatum(debit);
	values[1] = Int32GetDatum(prepared->dataset.id);
	values[2] = CStringGetTextDatum(dp_relation_label(request->relation));
	values[3] = ObjectIdGetDatum(request->user);
	values[4] = ObjectIdGetDatum(prepared->payer.role);
	nulls[4] = prepared->payer.custodian ? 'n' : ' ';
	values[5] = CStringGetTextDatum(request->method);
	values[6] = CStringGetTextDatum(request->options);
	values[7] = Int64GetDatum(prepared->plan.cost.epsilon_nano);
	values[8] = Int64GetDatum(prepared->plan.cost.delta_atto);
	values[9] = Int64GetDatum(model->rows);
	values[10] = Int32GetDatum(request->sets);
	values[11] = model_bytes(model, arena);
	values[12] = BoolGetDatum(prepared->plan.method->unprotected);
	dp_elevate(&elevation);
	SPI_connect();
	dp_spi("INSERT INTO @.dp_release_store (id, dataset, relation_name, role, payer, method,"
		   " options, epsilon_nano, delta_atto, rows, sets, model, unprotected) VALUES ($1, $2, $3,"
		   " $4, $5, $6, $7::pg_catalog.jsonb, $8, $9, $10, $11, $12, $13)",
		   SPI_OK_INSERT, 13, types, values, nulls, false);
	SPI_finish();
	dp_unelevate(&elevation);
}
