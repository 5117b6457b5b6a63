/*
 * refund.c -- dp_refund: the custodian gives back what a release cost that came
 * to nothing. A new line in the ledger, with its reason; the debit's own line
 * stays. What was released cannot be refunded: it is out.
 */
#include "dpsyn.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dp_refund);

/* A debit and what became of it. */
typedef struct Debit
{
	Oid relation;
	int32 dataset;
	int32 budget;
	Oid payer;
	DpBudget cost;
	bool released;
	bool refunded;
	bool
		settled; /* the budget was refreshed or reconciled since: what it cost is not among what counts */
} Debit;

static bool
debit_find(int64 id, Debit *debit)
{
	Oid types[1] = {INT8OID};
	Datum values[1] = {Int64GetDatum(id)};

	if (dp_spi(
			"SELECT d.relation, e.dataset, e.payer, e.epsilon_nano, e.delta_atto, e.rho_pico,"
			" coalesce(d.budget_of, d.id),"
			" EXISTS (SELECT FROM @.dp_ledger_entry o WHERE o.debit = e.id AND o.kind = "
			"'released'),"
			" EXISTS (SELECT FROM @.dp_ledger_entry o WHERE o.debit = e.id AND o.kind = 'refund'),"
			" EXISTS (SELECT FROM @.dp_ledger_entry o WHERE o.dataset = coalesce(d.budget_of, d.id)"
			"         AND o.kind IN ('refresh', 'reconcile') AND (o.id > e.id OR o.at >= e.at))"
			" FROM @.dp_ledger_entry e JOIN @.dp_dataset d ON d.id = e.dataset"
			" WHERE e.id = $1 AND e.kind = 'debit'",
			SPI_OK_SELECT, 1, types, values, NULL, true) != 1)
		return false;
	debit->relation = dp_spi_oid(0, 1);
	debit->dataset = dp_spi_int32(0, 2);
	debit->payer = dp_spi_oid(0, 3);
	debit->cost = (DpBudget){dp_spi_int64(0, 4), dp_spi_int64(0, 5), dp_spi_int64(0, 6)};
	debit->budget = dp_spi_int32(0, 7);
	debit->released = dp_spi_bool(0, 8);
	debit->refunded = dp_spi_bool(0, 9);
	debit->settled = dp_spi_bool(0, 10);
	return true;
}

/* The same answer for a line that is not there and for one of another custodian. */
static void
check_refundable(int64 id, bool found, const Debit *debit, Oid user)
{
	if (!found || !dp_is_custodian(debit->relation, user))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("there is no debit " INT64_FORMAT " that role %s may refund", id,
						dp_role_label(user)),
				 errhint("The custodian of a relation finds its debits in the view dp_ledger.")));
	if (debit->refunded)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("debit " INT64_FORMAT " was refunded before", id)));
	if (debit->released)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("debit " INT64_FORMAT " was released and cannot be refunded", id),
						errdetail("What a release tells of the data cannot be taken back.")));
	if (debit->settled)
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("debit " INT64_FORMAT " was made before the budget was refreshed or reconciled",
					id),
			 errdetail("What counts now was settled then, so there is nothing to give back.")));
}

/* So that no refresh comes between the check and the line. */
static void
budget_lock(const Debit *debit)
{
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(debit->budget)};

	(void) dp_spi("SELECT FROM @.dp_dataset WHERE id = $1 FOR UPDATE", SPI_OK_SELECT, 1, types,
				  values, NULL, false);
}

/* A unique index makes a second refund, or the release of a debit refunded while it was under way, an error. */
static int64
line_write(int64 id, Oid user, Datum reason)
{
	Oid types[4] = {INT8OID, OIDOID, NAMEOID, TEXTOID};
	Datum values[4] = {Int64GetDatum(id), ObjectIdGetDatum(user),
					   DirectFunctionCall1(namein, CStringGetDatum(dp_role_label(user))), reason};

	(void) dp_spi(
		"INSERT INTO @.dp_ledger_entry (kind, debit, dataset, relation_name, role,"
		" role_name, payer, method, epsilon_nano, delta_atto, rho_pico, reason)"
		" SELECT 'refund', id, dataset, relation_name, $2, $3, payer, method,"
		" epsilon_nano, delta_atto, rho_pico, $4 FROM @.dp_ledger_entry WHERE id = $1 RETURNING id",
		SPI_OK_INSERT_RETURNING, 4, types, values, NULL, false);
	return dp_spi_int64(0, 1);
}

Datum
dp_refund(PG_FUNCTION_ARGS)
{
	int64 id = PG_GETARG_INT64(0);
	Oid user = GetUserId();
	DpElevation elevation;
	Debit debit;
	int64 line;

	if (strspn(text_to_cstring(PG_GETARG_TEXT_PP(1)), " \t\r\n") ==
		strlen(text_to_cstring(PG_GETARG_TEXT_PP(1))))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a refund needs a reason")));
	dp_elevate(&elevation);
	SPI_connect();
	check_refundable(id, debit_find(id, &debit), &debit, user);
	budget_lock(&debit);
	check_refundable(id, debit_find(id, &debit), &debit, user);
	line = line_write(id, user, PG_GETARG_DATUM(1));
	dp_ledger_spend(debit.budget, debit.dataset, debit.payer, debit.cost, -1);
	SPI_finish();
	dp_unelevate(&elevation);
	PG_RETURN_INT64(line);
}
