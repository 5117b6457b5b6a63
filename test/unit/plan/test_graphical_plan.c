/*
 * test_graphical_plan.c -- sizes that methods of graphical models check before anything
 * is spent.
 */
#include "core/plan/graphical_plan.h"

#include "core/plan/graphical_options.h"
#include "unit_data.h"

static void
test_pairs(DpArena *arena)
{
	unsigned wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){231, 0, 0});
	for (int round = 0; round < 200; round++)
	{
		uint32_t levels[10], n = 1 + (uint32_t) dp_prng_below(&prng, 10);
		uint64_t cells = 0;
		DpDomain domain;

		for (uint32_t a = 0; a < n; a++)
			levels[a] = 1 + (uint32_t) dp_prng_below(&prng, 9);
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < a; b++)
				cells += levels[a] * levels[b];
		domain = unit_domain(arena, levels, n);
		wrong += dp_graphical_pair_cells(&domain) != cells;
	}
	CHECK_I64(wrong, 0, "200 domains: cells of all pairs");
}

static DpStatus
one_way_status(const DpDomain *domain, uint32_t sets, uint64_t cells_max, DpError *error)
{
	DpPlan plan = {.sets = sets};

	return dp_graphical_check_one_way(&plan, domain, cells_max, error);
}

static void
test_ones(DpArena *arena)
{
	const uint32_t levels[] = {10, 20, 30};
	DpDomain domain = unit_domain(arena, levels, 3), guess;
	DpZeroSet zeros = {0};
	DpError error;

	CHECK_OK(one_way_status(&domain, 1, 120, &error),
			 "60 levels where a half of 120 cells is theirs");
	CHECK_STATUS(one_way_status(&domain, 1, 119, &error), DP_ERR_LIMIT, "or of 119");
	CHECK(error.status == DP_ERR_LIMIT && strstr(error.hint, "max_model_memory") != NULL,
		  "the error names the remedy");
	domain.attribute[2].levels = DP_MODEL_STRUCTURE_MAX / 4 - 30;
	CHECK_OK(one_way_status(&domain, 4, UINT64_MAX, &error), "as many groups as a model keeps");
	domain.attribute[2].levels++;
	CHECK_STATUS(one_way_status(&domain, 4, UINT64_MAX, &error), DP_ERR_LIMIT,
				 "one more, for each of four sets");
	unit_open(&domain.attribute[1]);
	domain.zeros = (DpZeros){1, &zeros};
	memset(&guess, 0x55, sizeof(guess));
	MUST(dp_graphical_estimate(&domain, &guess, arena));
	CHECK(guess.attribute[1].levels == DP_OPEN_LEVELS_ESTIMATE && !guess.attribute[1].open &&
			  guess.attribute[0].levels == 10,
		  "a plan reckons with so many levels of an open column");
	CHECK(guess.zeros.sets == 1 && guess.priors == 0, "zeros and priors are the domain's");
	CHECK(domain.attribute[1].open && domain.attribute[1].levels == 0,
		  "the domain itself stays as it was");
}

/* More of anything is never less memory, and each set keeps its tables. */
static void
test_memory(DpArena *arena)
{
	const uint32_t levels[] = {10, 20, 30};
	DpDomain domain = unit_domain(arena, levels, 3);
	DpRequest request = {.domain = &domain};
	DpGraphicalSizes sizes = {.clique_cells = 1000};
	DpPlan one = {.request = &request, .sets = 1}, four = one, more = one;

	sizes.counted = 700;
	sizes.margin_cells = 600;
	sizes.released = 500;
	sizes.queried = 400;
	sizes.parts = 30;
	dp_graphical_plan_memory(&one, &sizes);
	four.sets = 4;
	dp_graphical_plan_memory(&four, &sizes);
	CHECK_I64(one.scan_bytes, 700 * 8, "a scan fills what is counted");
	CHECK_I64(four.memory_bytes - one.memory_bytes, 3 * 500 * 8,
			  "each set more keeps what it released");
	sizes.counted += 10;
	dp_graphical_plan_memory(&more, &sizes);
	CHECK_I64(more.memory_bytes - one.memory_bytes, 10 * 8,
			  "a cell more that is counted is 8 bytes");
	more.memory_bytes = 0;
	sizes.queried = UINT64_MAX;
	dp_graphical_plan_memory(&more, &sizes);
	CHECK(more.memory_bytes == UINT64_MAX, "bytes saturate");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_pairs(&arena);
	test_ones(&arena);
	test_memory(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
