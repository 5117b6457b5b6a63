/*
 * ledger.c -- lines of the ledger, and stored releases, as the release worker writes them.
 *
 * A debit writes one line and adds its cost to two totals, the budget's and the payer's, in one
 * transaction that holds both rows locked. Another line says what became of it. No line is ever
 * changed.
 */
#include "pg/budget/ledger.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/model/noisy_table.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

/* Locks the budget's row before the allocation's, as every transaction that spends does. */
void
dp_ledger_spend(const DpCharge *charge, int sign)
{
	DpArgument epsilon = DP_INT64(sign * charge->cost.epsilon_nano);
	DpArgument delta = DP_INT64(sign * charge->cost.delta_atto);
	DpArgument rho = DP_INT64(sign * charge->cost.rho_pico);

	if (dp_spi_write(
			"UPDATE dp_catalog.dp_dataset SET spent_epsilon_nano = spent_epsilon_nano + $1,"
			" spent_delta_atto = spent_delta_atto + $2,"
			" spent_rho_pico = spent_rho_pico + $3 WHERE id = $4",
			DP_ARGUMENTS(epsilon, delta, rho, DP_INT32(charge->budget))) != 1)
		elog(ERROR, "dpsyn: a budget disappeared");
	if (!OidIsValid(charge->payer))
		return;
	if (dp_spi_write("UPDATE dp_catalog.dp_allocation SET"
					 " spent_epsilon_nano = spent_epsilon_nano + $1,"
					 " spent_delta_atto = spent_delta_atto + $2,"
					 " spent_rho_pico = spent_rho_pico + $3 WHERE dataset = $4 AND role = $5",
					 DP_ARGUMENTS(epsilon, delta, rho, DP_INT32(charge->dataset),
								  DP_OID(charge->payer))) != 1)
		elog(ERROR, "dpsyn: an allocation disappeared");
}

int64
dp_ledger_debit(const DpLedgerLine *line)
{
	DpCharge charge = {line->dataset->budget, line->dataset->id, line->payer->role, line->cost};
	DpArguments arguments =
		DP_ARGUMENTS(DP_INT32(charge.dataset), dp_text_argument(dp_relation_label(line->relation)),
					 DP_OID(line->user), dp_name_argument(dp_role_label(line->user)),
					 DP_OID(charge.payer), dp_text_argument(line->method),
					 dp_text_argument(line->options), dp_text_argument(line->row_type),
					 DP_INT64(charge.cost.epsilon_nano), DP_INT64(charge.cost.delta_atto),
					 DP_INT64(charge.cost.rho_pico), DP_BOOL(line->unprotected));
	DpUserContext user_context;
	int64 number;

	dp_catalog_open(&user_context);
	dp_ledger_spend(&charge, 1);
	(void) dp_spi_write(
		"INSERT INTO dp_catalog.dp_ledger_entry (kind, dataset, relation_name, role, role_name, "
		"payer,"
		" method, options, row_type, epsilon_nano, delta_atto, rho_pico, unprotected)"
		" VALUES ('debit', $1, $2, $3, $4, $5, $6, $7::pg_catalog.jsonb, nullif($8, ''),"
		" $9, $10, $11, $12) RETURNING id",
		arguments);
	number = dp_spi_int64(0, 1);
	dp_catalog_close(&user_context);
	return number;
}

void
dp_ledger_outcome(int64 debit, const DpLedgerLine *line, const char *kind, TimestampTz started)
{
	(void) dp_catalog_write(
		"INSERT INTO dp_catalog.dp_ledger_entry (kind, debit, dataset, relation_name, role, "
		"role_name,"
		" duration) VALUES ($1, $2, $3, $4, $5, $6, pg_catalog.clock_timestamp() - $7)",
		DP_ARGUMENTS(dp_text_argument(kind), DP_INT64(debit), DP_INT32(line->dataset->id),
					 dp_text_argument(dp_relation_label(line->relation)), DP_OID(line->user),
					 dp_name_argument(dp_role_label(line->user)),
					 {TIMESTAMPTZOID, TimestampTzGetDatum(started), false}));
}

void
dp_ledger_statement(const DpDataset *dataset, const char *kind, DpBudget amounts,
					const char *reason)
{
	(void) dp_catalog_write(
		"INSERT INTO dp_catalog.dp_ledger_entry (kind, dataset, relation_name, role, role_name,"
		" epsilon_nano, delta_atto, rho_pico, reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
		DP_ARGUMENTS(dp_text_argument(kind), DP_INT32(dataset->id),
					 dp_text_argument(dp_relation_label(dataset->relation)), DP_OID(GetUserId()),
					 dp_name_argument(dp_role_label(GetUserId())), DP_INT64(amounts.epsilon_nano),
					 DP_INT64(amounts.delta_atto), DP_INT64(amounts.rho_pico),
					 dp_text_argument(reason)));
}

static Datum
model_bytes(const DpModel *model, DpArena *arena)
{
	DpError error = {0};
	unsigned char *bytes = NULL;
	size_t length = 0;

	if (dp_model_serialise(model, &bytes, &length, arena, &error) != DP_OK)
		dp_raise(&error);
	if (length > MaxAllocSize - VARHDRSZ)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the released model is too large to be stored"),
						errhint("Model fewer attributes or lower dense_cells.")));
	return PointerGetDatum(dp_bytea(bytes, length));
}

static DpArgument
texts_argument(const List *words)
{
	Datum *texts = palloc(sizeof(Datum) * Max(list_length(words), 1));
	ListCell *cell;

	foreach (cell, words)
		texts[foreach_current_index(cell)] = CStringGetTextDatum(lfirst(cell));
	return (DpArgument){TEXTARRAYOID,
						PointerGetDatum(construct_array(texts, list_length(words), TEXTOID, -1,
														false, TYPALIGN_INT)),
						false};
}

void
dp_release_keep(int64 debit, const DpLedgerLine *line, const DpModel *model, DpArena *arena)
{
	(void) dp_catalog_write(
		"INSERT INTO dp_catalog.dp_release_store (id, dataset, relation_name, role, payer, method,"
		" options, epsilon_nano, delta_atto, rows, rows_stddev, sets, model, unprotected,"
		" role_name, payer_name, fill, derived, forest, public_relations)"
		" VALUES ($1, $2, $3, $4, $5, $6, $7::pg_catalog.jsonb, $8, $9, $10,"
		" $11, $12, $13, $14, (SELECT rolname FROM pg_catalog.pg_authid WHERE oid = $4),"
		" (SELECT rolname FROM pg_catalog.pg_authid WHERE oid = $5), $15::pg_catalog.jsonb,"
		" $16::pg_catalog.jsonb, nullif($17, 0), $18)",
		DP_ARGUMENTS(DP_INT64(debit), DP_INT32(line->dataset->id),
					 dp_text_argument(dp_relation_label(line->relation)), DP_OID(line->user),
					 DP_OID(line->payer->role), dp_text_argument(line->method),
					 dp_text_argument(line->options), DP_INT64(line->cost.epsilon_nano),
					 DP_INT64(line->cost.delta_atto), DP_INT64(model->rows),
					 {FLOAT8OID, Float8GetDatum(dp_rows_stddev(model)), false},
					 DP_INT32(line->sets), {BYTEAOID, model_bytes(model, arena), false},
					 DP_BOOL(line->unprotected), dp_text_argument(line->fill),
					 dp_text_argument(line->derived), DP_INT64(line->forest),
					 texts_argument(line->public_relations)));
}

void
dp_release_keep_part(int64 debit, const DpReleasePart *part, const DpModel *model, DpArena *arena)
{
	(void) dp_catalog_write(
		"INSERT INTO dp_catalog.dp_release_part (release, number, parent, relation, relation_name,"
		" refers_by, model, derived, fill, root_name, refers_to)"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8::pg_catalog.jsonb, $9::pg_catalog.jsonb, $10, "
		"$11)",
		DP_ARGUMENTS(DP_INT64(debit), DP_INT32(part->number), DP_INT32(part->parent),
					 DP_REGCLASS(part->relation), dp_name_argument(part->name),
					 dp_names_argument(part->reference->column, part->reference->columns),
					 {BYTEAOID, model_bytes(model, arena), false}, dp_text_argument(part->derived),
					 dp_text_argument(part->fill), dp_name_argument(part->root_name),
					 dp_names_argument(part->reference->key, part->reference->columns)));
}
