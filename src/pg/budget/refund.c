/*
 * refund.c -- dp_refund: the custodian gives back what a release cost that came to nothing.
 *
 * A refund is a new line in the ledger, with its reason; the debit's own line stays. A debit whose
 * release was stored cannot be refunded, since the analyst may have read it.
 */
#include "pg/server/compat.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "pg/budget/ledger.h"
#include "pg/budget/payer.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_refund);

/* A debit and what became of it. */
typedef struct Debit
{
	Oid relation; /* InvalidOid: it was dropped */
	Oid spender;  /* the relation, or another one with the same budget; InvalidOid: there is none */
	DpCharge charge;
	bool released;
	bool refunded;
	bool
		settled; /* the budget was refreshed or reconciled since, so that its cost is not counted */
} Debit;

static bool
debit_find(int64 id, Debit *debit)
{
	if (dp_spi_read(
			"SELECT CASE WHEN d.dropped_at IS NULL THEN d.relation END, e.dataset, e.payer,"
			" e.epsilon_nano, e.delta_atto, e.rho_pico,"
			" coalesce(d.budget_of, d.id),"
			" EXISTS (SELECT FROM dp_catalog.dp_ledger_entry o WHERE o.debit = e.id AND o.kind = "
			"'released'),"
			" EXISTS (SELECT FROM dp_catalog.dp_ledger_entry o WHERE o.debit = e.id AND o.kind = "
			"'refund'),"
			" EXISTS (SELECT FROM dp_catalog.dp_ledger_entry o WHERE o.dataset = "
			"coalesce(d.budget_of, d.id)"
			"         AND o.kind IN ('refresh', 'reconcile') AND (o.id > e.id OR o.at >= e.at)),"
			" (SELECT s.relation FROM dp_catalog.dp_dataset s WHERE s.dropped_at IS NULL"
			"  AND coalesce(s.budget_of, s.id) = coalesce(d.budget_of, d.id)"
			"  ORDER BY s.id = d.id DESC LIMIT 1)"
			" FROM dp_catalog.dp_ledger_entry e JOIN dp_catalog.dp_dataset d ON d.id = e.dataset"
			" WHERE e.id = $1 AND e.kind = 'debit'",
			DP_ARGUMENTS(DP_INT64(id))) != 1)
		return false;
	debit->relation = dp_spi_oid(0, 1);
	debit->charge = (DpCharge){dp_spi_int32(0, 7),
							   dp_spi_int32(0, 2),
							   dp_spi_oid(0, 3),
							   {dp_spi_int64(0, 4), dp_spi_int64(0, 5), dp_spi_int64(0, 6)}};
	debit->released = dp_spi_bool(0, 8);
	debit->refunded = dp_spi_bool(0, 9);
	debit->settled = dp_spi_bool(0, 10);
	debit->spender = dp_spi_oid(0, 11);
	return true;
}

/* ERROR unless user may refund the debit. The answer does not tell a line that is not there from
 * a line of another custodian. */
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
						errdetail("What a release reveals of the data cannot be taken back.")));
	if (debit->settled)
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("debit " INT64_FORMAT " was made before the budget was refreshed or reconciled",
					id),
			 errdetail("What counts now was set then, so there is nothing to give back.")));
}

/*
 * So that no refresh comes between the check and the line. In a copy that lacks the last lines a
 * debit that was answered can look as if nothing came of it: dp_reconcile settles it first. If all
 * relations with this budget were dropped, it cannot be spent any more, and nothing is locked.
 */
static void
budget_lock(const Debit *debit)
{
	DpDataset dataset;

	if (!OidIsValid(debit->spender))
		return;
	(void) dp_dataset_find(debit->spender, true, &dataset);
	dp_check_fence(&dataset);
}

/* A unique index makes a second refund an error. It also refuses the release of a debit that is
 * refunded while the release is under way. */
static int64
line_write(int64 id, Oid user, Datum reason)
{
	uint64 written = dp_spi_write(
		"INSERT INTO dp_catalog.dp_ledger_entry (kind, debit, dataset, relation_name, role,"
		" role_name, payer, method, epsilon_nano, delta_atto, rho_pico, reason)"
		" SELECT 'refund', id, dataset, relation_name, $2, $3, payer, method,"
		" epsilon_nano, delta_atto, rho_pico, $4 FROM dp_catalog.dp_ledger_entry WHERE id = $1 "
		"RETURNING id",
		DP_ARGUMENTS(DP_INT64(id), DP_OID(user), dp_name_argument(dp_role_label(user)),
					 {TEXTOID, reason, false}));

	if (written != 1)
		dp_raise_newer();
	return dp_spi_int64(0, 1);
}

Datum
dp_refund(PG_FUNCTION_ARGS)
{
	int64 id = PG_ARGISNULL(0) ? 0 : PG_GETARG_INT64(0);
	Oid user = GetUserId();
	DpUserContext user_context;
	Debit debit;
	int64 line;

	dp_check_no_null(fcinfo);
	if (strspn(text_to_cstring(PG_GETARG_TEXT_PP(1)), " \t\r\n") ==
		strlen(text_to_cstring(PG_GETARG_TEXT_PP(1))))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a refund needs a reason")));
	dp_catalog_open(&user_context);
	check_refundable(id, debit_find(id, &debit), &debit, user);
	budget_lock(&debit);
	check_refundable(id, debit_find(id, &debit), &debit, user);
	line = line_write(id, user, PG_GETARG_DATUM(1));
	dp_ledger_spend(&debit.charge, -1);
	dp_catalog_close(&user_context);
	PG_RETURN_INT64(line);
}
