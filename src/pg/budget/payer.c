/*
 * payer.c -- who pays for a release, and whether it fits: the role's allocation
 * and the relation's total. Both are filters that only add: what fits is decided
 * by sums of exact integers.
 */
#include "dpsyn.h"

#include "executor/spi.h"
#include "utils/acl.h"

#define ALLOCATION_COLUMNS                                                                         \
	"role, epsilon_nano, delta_atto, spent_epsilon_nano, spent_delta_atto, spent_rho_pico"

/*
 * An allocation is a share of the relation's budget, so its epsilon turns into
 * rho at the relation's delta, and all of its own delta is for stability
 * histograms. A refresh that is due but not yet written counts.
 */
static void
payer_from_row(const DpDataset *dataset, uint64 row, DpPayer *payer)
{
	payer->custodian = false;
	payer->role = dp_spi_oid(row, 1);
	payer->allowed = (DpBudget){dp_spi_int64(row, 2), dp_spi_int64(row, 3), 0};
	payer->spent = (DpBudget){dp_spi_int64(row, 4), dp_spi_int64(row, 5), dp_spi_int64(row, 6)};
	if (dataset->accountant == DP_ZCDP)
		payer->allowed.rho_pico = dp_rho_of_budget(
			payer->allowed.epsilon_nano, dp_zcdp_conversion_delta(dataset->amounts.delta_atto));
	if (dataset->refresh_due)
		payer->spent = (DpBudget){0, 0, 0};
}

/*
 * The user's own grant; else, for the custodian, the total alone; else the one
 * grant of a group that the user is a member of. Returns how many could pay.
 */
static int
payer_choose(const DpDataset *dataset, Oid user, DpPayer *payer)
{
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(dataset->id)};
	bool custodian = dp_is_custodian(dataset->relation, user);
	uint64 rows = dp_spi("SELECT " ALLOCATION_COLUMNS " FROM @.dp_allocation"
						 " WHERE dataset = $1 AND active ORDER BY role",
						 SPI_OK_SELECT, 1, types, values, NULL, true);
	int groups = 0;

	for (uint64 i = 0; i < rows; i++)
	{
		Oid role = dp_spi_oid(i, 1);

		if (role == user)
		{
			payer_from_row(dataset, i, payer);
			return 1;
		}
		if (!custodian && has_privs_of_role(user, role))
		{
			payer_from_row(dataset, i, payer);
			groups++;
		}
	}
	if (!custodian)
		return groups;
	*payer = (DpPayer){.custodian = true, .role = InvalidOid};
	return 1;
}

static void
payer_lock(const DpDataset *dataset, DpPayer *payer)
{
	Oid types[2] = {INT4OID, OIDOID};
	Datum values[2] = {Int32GetDatum(dataset->id), ObjectIdGetDatum(payer->role)};

	if (dp_spi("SELECT " ALLOCATION_COLUMNS " FROM @.dp_allocation"
			   " WHERE dataset = $1 AND role = $2 AND active FOR UPDATE",
			   SPI_OK_SELECT, 2, types, values, NULL, false) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the grant of role %s was revoked meanwhile", dp_role_label(payer->role))));
	payer_from_row(dataset, 0, payer);
}

void
dp_payer_get(const DpDataset *dataset, Oid user, bool for_update, DpPayer *payer)
{
	DpElevation elevation;
	int payers;

	dp_elevate(&elevation);
	SPI_connect();
	payers = payer_choose(dataset, user, payer);
	if (payers == 1 && for_update && !payer->custodian)
		payer_lock(dataset, payer);
	SPI_finish();
	dp_unelevate(&elevation);

	if (payers == 0)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("role %s has no privacy budget for relation %s", dp_role_label(user),
							   dp_relation_label(dataset->relation)),
						errhint("Its custodian can run dp_grant, and commit.")));
	if (payers > 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("more than one grant could pay for role %s", dp_role_label(user)),
				 errdetail("The role is a member of %d roles that hold a budget for relation %s.",
						   payers, dp_relation_label(dataset->relation)),
				 errhint("Choose one with SET ROLE.")));
}

bool
dp_may_ask(const DpDataset *dataset, Oid user)
{
	DpElevation elevation;
	DpPayer payer;
	bool may;

	dp_elevate(&elevation);
	SPI_connect();
	may = payer_choose(dataset, user, &payer) > 0;
	SPI_finish();
	dp_unelevate(&elevation);
	return may;
}

/* ---- whether it fits ---- */

static int64
left_of(int64 allowed, int64 spent)
{
	return Max(allowed - spent, 0);
}

static void
check_fits(DpAccountant accountant, DpBudget allowed, DpBudget spent, DpBudget cost,
		   const char *whose)
{
	bool zcdp = accountant == DP_ZCDP;
	int64 delta_left = left_of(allowed.delta_atto, spent.delta_atto);
	int64 left = zcdp ? left_of(allowed.rho_pico, spent.rho_pico)
					  : left_of(allowed.epsilon_nano, spent.epsilon_nano);
	int64 asked = zcdp ? cost.rho_pico : cost.epsilon_nano;
	int digits = zcdp ? 12 : 9;
	const char *unit = zcdp ? "rho" : "epsilon";
	char words[4][32];

	if (asked <= left && cost.delta_atto <= delta_left)
		return;
	ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
					errmsg("privacy budget of %s is exhausted", whose),
					errdetail("The release costs %s %s and delta %s; left are %s %s and delta %s.",
							  unit, dp_decimal_print(asked, digits, words[0]),
							  dp_decimal_print(cost.delta_atto, 18, words[1]), unit,
							  dp_decimal_print(left, digits, words[2]),
							  dp_decimal_print(delta_left, 18, words[3])),
					errhint("Ask for less, or draw again from a stored release (view dp_releases) "
							"at no cost.")));
}

static void
check_fence(const DpDataset *dataset)
{
	if (!dataset->fence_holds)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the ledger of relation %s was kept in another cluster or database",
							   dp_relation_label(dataset->budget_relation)),
						errdetail("A copy could spend the same budget a second time."),
						errhint("Its custodian can run dp_reconcile with what was spent in all.")));
}

static void
check_limit(const DpDataset *dataset, DpBudget cost)
{
	char words[2][32];

	if (dataset->max_epsilon_nano > 0 && cost.epsilon_nano > dataset->max_epsilon_nano)
		ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
						errmsg("a release of relation %s may ask for epsilon %s at most",
							   dp_relation_label(dataset->relation),
							   dp_decimal_print(dataset->max_epsilon_nano, 9, words[0])),
						errdetail("This one asks for %s.",
								  dp_decimal_print(cost.epsilon_nano, 9, words[1])),
						errhint("Its custodian sets the limit with dp_set_limit.")));
}

void
dp_check_budget(const DpDataset *dataset, const DpPayer *payer, DpBudget cost)
{
	check_fence(dataset);
	check_limit(dataset, cost);
	if (!payer->custodian)
		check_fits(dataset->accountant, payer->allowed, payer->spent, cost,
				   psprintf("role %s for relation %s", dp_role_label(payer->role),
							dp_relation_label(dataset->relation)));
	check_fits(dataset->accountant, dp_budget_allowed(dataset->accountant, dataset->amounts),
			   dataset->spent, cost,
			   psprintf("relation %s", dp_relation_label(dataset->budget_relation)));
}
