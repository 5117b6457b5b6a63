/*
 * payer.c -- who pays for a release, and whether the budget covers it: the role's allocation and
 * the relation's total. Both only add up exact integers and compare the sum with what is allowed.
 */
#include "pg/budget/payer.h"

#include "utils/acl.h"

#include "core/base/decimal.h"
#include "pg/server/catalog.h"

#define ALLOCATION_COLUMNS                                                                         \
	"role, epsilon_nano, delta_atto, spent_epsilon_nano, spent_delta_atto, spent_rho_pico"

/*
 * PostgreSQL uses the number of a dropped role again one day, and hardly ever with the same name.
 * So a grant counts only while its role still has the name that it was granted under. Nothing
 * else tells a role from an earlier one of its number, so a role that was renamed has to be granted
 * its budget again.
 */
#define HELD                                                                                       \
	"EXISTS (SELECT FROM pg_catalog.pg_authid r WHERE r.oid = role AND r.rolname = role_name)"
#define ALLOCATIONS "SELECT " ALLOCATION_COLUMNS " FROM dp_catalog.dp_allocation WHERE dataset = $1"

/*
 * An allocation is a share of the relation's budget. So its epsilon turns into rho at the
 * relation's delta, and the whole of its own delta is for stability histograms. A refresh that is
 * due counts, even if it is not written yet.
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
			(DpBudget){.epsilon_nano = payer->allowed.epsilon_nano,
					   .delta_atto = dp_zcdp_conversion_delta(dataset->amounts.delta_atto)});
	if (dataset->ledger.refresh_due)
		payer->spent = (DpBudget){0, 0, 0};
}

/*
 * Returns how many could pay for user, and fills payer if it is one. The user's own grant pays if
 * there is one. If not, the total alone pays for the custodian, and for anybody else the grant of a
 * role that the user is a member of.
 */
static int
payer_choose(const DpDataset *dataset, Oid user, DpPayer *payer)
{
	bool custodian = dp_is_custodian(dataset->relation, user);
	uint64 rows = dp_spi_read(ALLOCATIONS " AND active AND " HELD " ORDER BY role",
							  DP_ARGUMENTS(DP_INT32(dataset->id)));
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
	if (dp_spi_write(ALLOCATIONS " AND " HELD " AND role = $2 AND active FOR UPDATE",
					 DP_ARGUMENTS(DP_INT32(dataset->id), DP_OID(payer->role))) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the grant of role %s was revoked meanwhile", dp_role_label(payer->role)),
				 errdetail("Nothing was spent."),
				 errhint("The custodian can renew it with dp_grant.")));
	payer_from_row(dataset, 0, payer);
}

/* ERROR: nobody pays for user. It says so if a grant ended because its role was renamed. */
static DP_NORETURN void
refuse_user(const DpDataset *dataset, Oid user)
{
	bool renamed = dp_catalog_finds(ALLOCATIONS " AND active AND NOT " HELD
												" AND pg_catalog.pg_has_role($2, role, 'USAGE')",
									DP_ARGUMENTS(DP_INT32(dataset->id), DP_OID(user)));

	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("role %s has no privacy budget for relation \"%s\"", dp_role_label(user),
					dp_relation_words(dataset->relation)),
			 renamed ? errdetail("It was granted to a role of another name. A grant ends when its "
								 "role is renamed.")
					 : 0,
			 renamed
				 ? errhint("Ask the custodian to run dp_grant again, and commit; what was spent "
						   "stays spent.")
				 : errhint("Its custodian can run dp_grant, and commit.")));
}

void
dp_payer_get(const DpDataset *dataset, Oid user, bool for_update, DpPayer *payer)
{
	DpUserContext user_context;
	int payers;

	dp_catalog_open(&user_context);
	payers = payer_choose(dataset, user, payer);
	if (payers == 1 && for_update && !payer->custodian)
		payer_lock(dataset, payer);
	dp_catalog_close(&user_context);
	if (payers == 0)
		refuse_user(dataset, user);
	if (payers > 1)
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("more than one grant could pay for role %s", dp_role_label(user)),
			 errdetail("The role is a member of %d roles that hold a budget for relation \"%s\".",
					   payers, dp_relation_words(dataset->relation)),
			 errhint("Choose one with SET ROLE.")));
}

bool
dp_may_ask(const DpDataset *dataset, Oid user)
{
	DpUserContext user_context;
	DpPayer payer;
	DpDataset parent;
	bool may;

	dp_catalog_open(&user_context);
	may = payer_choose(dataset, user, &payer) > 0;
	dp_catalog_close(&user_context);
	if (may || !OidIsValid(dataset->parent))
		return may;
	/* who may ask for the root may ask for what is released together with it */
	return dp_dataset_find(dataset->parent, false, &parent) && parent.active &&
		   dp_may_ask(&parent, user);
}

bool
dp_may_draw(const DpDataset *dataset, Oid user)
{
	return dp_catalog_finds(
		"SELECT FROM dp_catalog.dp_release_store r WHERE (r.dataset = $1 OR EXISTS ("
		"SELECT FROM dp_catalog.dp_release_part p WHERE p.release = r.id AND p.relation = $2))"
		" AND NOT r.unprotected AND (r.public OR EXISTS (SELECT FROM pg_catalog.pg_authid a"
		" JOIN ROWS FROM (pg_catalog.unnest(r.readers || r.role || r.payer),"
		" pg_catalog.unnest(r.reader_names || r.role_name || r.payer_name)) who(role, name)"
		" ON a.oid = who.role AND a.rolname = who.name"
		" WHERE pg_catalog.pg_has_role($3, a.oid, 'USAGE')))",
		DP_ARGUMENTS(DP_INT32(dataset->id), DP_REGCLASS(dataset->relation), DP_OID(user)));
}

void
dp_check_may_ask(const DpDataset *dataset, Oid user)
{
	if (!dp_may_ask(dataset, user))
		refuse_user(dataset, user);
}

/* ---- whether the budget covers it ---- */

static int64
left_of(int64 allowed, int64 spent)
{
	return Max(allowed - spent, 0);
}

/*
 * The sum of epsilons or that of rho must stay within what is allowed, and the sum of delta in any
 * case (docs/methods/mechanisms.md, "Two accounts"). DP_BASIC counts no rho.
 */
static bool
fits(const DpDataset *dataset, DpBudget left, DpBudget cost)
{
	bool epsilon_fits = dataset->ledger.epsilon_known && cost.epsilon_nano <= left.epsilon_nano;
	bool rho_fits = dataset->accountant == DP_ZCDP && cost.rho_pico <= left.rho_pico;

	return (epsilon_fits || rho_fits) && cost.delta_atto <= left.delta_atto;
}

/* "epsilon 1", or "rho 0.46 or epsilon 1". */
static char *
amount_words(const DpDataset *dataset, DpBudget amount)
{
	char words[2][32];

	dp_decimal_print(amount.epsilon_nano, 9, words[0]);
	dp_decimal_print(amount.rho_pico, 12, words[1]);
	if (dataset->accountant != DP_ZCDP)
		return psprintf("epsilon %s", words[0]);
	if (!dataset->ledger.epsilon_known)
		return psprintf("rho %s", words[1]);
	return psprintf("rho %s or epsilon %s", words[1], words[0]);
}

static void
check_fits(const DpDataset *dataset, DpBudget allowed, DpBudget spent, DpBudget cost,
		   const char *whose)
{
	DpBudget left = {left_of(allowed.epsilon_nano, spent.epsilon_nano),
					 left_of(allowed.delta_atto, spent.delta_atto),
					 left_of(allowed.rho_pico, spent.rho_pico)};
	char words[2][32];

	if (fits(dataset, left, cost))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
		 errmsg("privacy budget of %s is exhausted", whose),
		 errdetail("The release costs %s and delta %s; left are %s and delta %s.",
				   amount_words(dataset, cost), dp_decimal_print(cost.delta_atto, 18, words[0]),
				   amount_words(dataset, left), dp_decimal_print(left.delta_atto, 18, words[1])),
		 errhint("Ask for less, or draw again from a stored release (view dp_releases) "
				 "at no cost.")));
}

void
dp_check_fence(const DpDataset *dataset)
{
	if (!dataset->ledger.fence_holds)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the ledger of relation \"%s\" was kept in another cluster or database",
						dp_relation_words(dataset->budget_relation)),
				 errdetail("A copy could spend the same budget a second time. A database "
						   "that was moved to another tablespace looks like one."),
				 errhint("Its custodian can run dp_reconcile with what was spent in all.")));
}

static void
check_limit(const DpDataset *dataset, DpBudget cost)
{
	char words[2][32];

	if (dataset->policy.max_epsilon_nano > 0 &&
		cost.epsilon_nano > dataset->policy.max_epsilon_nano)
		ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
						errmsg("a release of relation \"%s\" may ask for epsilon %s at most",
							   dp_relation_words(dataset->relation),
							   dp_decimal_print(dataset->policy.max_epsilon_nano, 9, words[0])),
						errdetail("This one asks for %s.",
								  dp_decimal_print(cost.epsilon_nano, 9, words[1])),
						errhint("Its custodian sets the limit with dp_alter_protection.")));
}

/*
 * Whether a release fails can depend on the data: memory may not suffice, or a value be too long.
 * That bit is not for sale at next to nothing. What is not private at all costs nothing.
 */
void
dp_check_minimum(const DpDataset *dataset, DpBudget cost, int level)
{
	char words[2][32];

	if (cost.epsilon_nano == 0 || cost.epsilon_nano >= dataset->policy.min_epsilon_nano)
		return;
	ereport(level,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a release of relation \"%s\" must ask for epsilon %s at least",
					dp_relation_words(dataset->relation),
					dp_decimal_print(dataset->policy.min_epsilon_nano, 9, words[0])),
			 errdetail("This one asks for %s. Whether a release fails can depend on the data, so "
					   "that none is next to free.",
					   dp_decimal_print(cost.epsilon_nano, 9, words[1])),
			 errhint("Ask for more. Its custodian sets the minimum with dp_alter_protection.")));
}

void
dp_check_budget(const DpDataset *dataset, const DpPayer *payer, DpBudget cost)
{
	dp_check_fence(dataset);
	check_limit(dataset, cost);
	if (!payer->custodian)
		check_fits(dataset, payer->allowed, payer->spent, cost,
				   psprintf("role %s for relation \"%s\"", dp_role_label(payer->role),
							dp_relation_words(dataset->relation)));
	check_fits(dataset, dp_budget_allowed(dataset->accountant, dataset->amounts),
			   dataset->ledger.spent, cost,
			   psprintf("relation \"%s\"", dp_relation_words(dataset->budget_relation)));
	dp_check_minimum(dataset, cost, ERROR);
}
