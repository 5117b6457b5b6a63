/*
 * graphical_plan.c -- sizes, from public facts.
 */
#include "graphical_plan.h"

#include "graphical.h"
#include "graphical_options.h"
#include "graphical_public.h"
#include "saturate.h"

DpStatus
dp_graphical_guess(const DpDomain *domain, DpArena *arena, DpDomain *guess)
{
	guess->attributes = domain->attributes;
	guess->attribute =
		dp_memdup(arena, domain->attribute, domain->attributes * sizeof(*domain->attribute));
	if (guess->attribute == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < guess->attributes; a++)
	{
		if (!guess->attribute[a].open)
			continue;
		guess->attribute[a].open = false;
		guess->attribute[a].levels = DP_OPEN_LEVELS_GUESS;
	}
	return DP_OK;
}

DpStatus
dp_graphical_too_many(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the tables to be counted have too many cells");
	dp_fail_detail(error, "The limit is %llu.", (unsigned long long) DP_MODEL_CELLS_MAX);
	dp_fail_hint(error, "Model fewer columns, or fewer sets of them.");
	return DP_ERR_LIMIT;
}

DpStatus
dp_graphical_check_ones(const DpDomain *domain, uint64_t cells_max, DpError *error)
{
	uint64_t cells = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
		cells = dp_add_saturated(cells, domain->attribute[a].levels);
	if (cells <= cells_max / 2)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "the columns have too many levels for the model's memory");
	dp_fail_detail(error, "They have %llu, and the limit is %llu.", (unsigned long long) cells,
				   (unsigned long long) cells_max / 2);
	dp_fail_hint(error,
				 "Raise dpsyn.model_memory or \"max_model_memory\", or model fewer columns.");
	return DP_ERR_LIMIT;
}

uint64_t
dp_graphical_pair_cells(const DpDomain *domain)
{
	uint64_t cells = 0, so_far = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint64_t levels = domain->attribute[a].levels;

		cells = dp_add_saturated(cells, dp_multiply_saturated(so_far, levels));
		so_far = dp_add_saturated(so_far, levels);
	}
	return cells;
}

uint64_t
dp_graphical_plan_bytes(const DpDomain *domain, uint64_t counted, uint64_t clique_cells)
{
	uint64_t table_cells =
		dp_add_saturated(counted, dp_graphical_public_cells(domain, clique_cells));
	/* counted, taken apart, and grouped; noisy as the model keeps it and as the fit sees it */
	uint64_t exact = dp_multiply_saturated(counted, 3 * sizeof(int64_t));
	uint64_t noisy = dp_multiply_saturated(counted, sizeof(int64_t));

	return dp_add_saturated(dp_add_saturated(exact, noisy),
							dp_graphical_bytes(clique_cells, table_cells));
}
