/*
 * request_forest.c -- who pays for several trees that one call releases.
 *
 * Each tree costs its own root's budget. All are debited in one transaction, or none: the rows of
 * the ledger that pay for any of them are locked first, then each budget is held against the sum of
 * what is to be paid from it.
 *
 * Whoever spends locks the row of a dataset that spends another one's budget, then the row of the
 * budget, then allocations (dp_dataset_get, dp_payer_get). So here all rows of the first kind come
 * first, and budgets by their numbers after them; else two releases could wait for each other.
 */
#include "pg/release/request.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "pg/server/catalog.h"

/* Rows of datasets that spend the budget of another one. */
static void
lock_own_rows(DpPrepared *const *prepared, int trees)
{
	Datum *ids = palloc(sizeof(Datum) * trees);
	DpUserContext user_context;
	int n = 0;

	for (int i = 0; i < trees; i++)
		if (prepared[i]->dataset.budget != prepared[i]->dataset.id)
			ids[n++] = Int32GetDatum(prepared[i]->dataset.id);
	if (n == 0)
		return;
	dp_catalog_open(&user_context);
	(void) dp_spi_write(
		"SELECT FROM dp_catalog.dp_dataset WHERE id = ANY ($1) ORDER BY id FOR UPDATE",
		DP_ARGUMENTS(
			{INT4ARRAYOID,
			 PointerGetDatum(construct_array(ids, n, INT4OID, sizeof(int32), true, TYPALIGN_INT)),
			 false}));
	dp_catalog_close(&user_context);
}

static bool
pays_before(const DpDataset *one, const DpDataset *other)
{
	return one->budget < other->budget || (one->budget == other->budget && one->id < other->id);
}

/* The trees by the primary keys of the rows that pay: [trees] their numbers. */
static int *
order_of_payment(DpPrepared *const *prepared, int trees)
{
	int *order = palloc(sizeof(int) * trees);

	for (int i = 0; i < trees; i++)
	{
		int at = i;

		for (; at > 0 && pays_before(&prepared[i]->dataset, &prepared[order[at - 1]]->dataset);
			 at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return order;
}

void
dp_forest_lock(const DpReleaseForest *forest, DpPrepared *const *prepared)
{
	int *order = order_of_payment(prepared, forest->trees);

	if (forest->trees > 1)
		lock_own_rows(prepared, forest->trees);
	for (int i = 0; i < forest->trees; i++)
		dp_prepared_lock(&forest->tree[order[i]], prepared[order[i]]);
}

static void
add_cost(DpBudget *spent, DpBudget cost)
{
	spent->epsilon_nano += cost.epsilon_nano;
	spent->delta_atto += cost.delta_atto;
	spent->rho_pico += cost.rho_pico;
}

/* Relations may share a budget, and several questions about one relation share its grant. */
void
dp_forest_add_costs(DpPrepared *const *prepared, int trees)
{
	for (int i = 0; i < trees; i++)
		for (int before = 0; before < i; before++)
		{
			if (prepared[before]->dataset.budget == prepared[i]->dataset.budget)
				add_cost(&prepared[i]->dataset.ledger.spent, prepared[before]->plan.cost);
			if (prepared[before]->dataset.id == prepared[i]->dataset.id)
				add_cost(&prepared[i]->payer.spent, prepared[before]->plan.cost);
		}
}

void
dp_forest_check_budgets(DpPrepared *const *prepared, int trees)
{
	dp_forest_add_costs(prepared, trees);
	for (int i = 0; i < trees; i++)
		dp_check_budget(&prepared[i]->dataset, &prepared[i]->payer, prepared[i]->plan.cost);
}
