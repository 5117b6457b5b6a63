/*
 * test_network_factors.c -- a network as a fitted model: each attribute as its table says, and by
 * fewer of the others where the table says nothing.
 */
#include "core/sample/network_factors.h"

#include "unit_data.h"

#define P 3
#define CELLS (3 * 2 * 2)

/* x given a and b: with a = 0, b = 1 and with a = 1, b = 0 nothing is known but what a says, with
 * a = 2 nothing at all. */
static const double counts[] = {30, 10, 0, 0, 0, 0, 5, 15, 0, 0, 0, 0};
static const double wanted[] = {0.75, 0.75, 0.25, 0.25, 35.0 / 60, 35.0 / 60};

static DpTable
table_of(const uint32_t *attribute, uint32_t n, uint64_t cells, DpArena *arena)
{
	return (DpTable){.n = n,
					 .attribute = dp_memdup(arena, attribute, n * sizeof(*attribute)),
					 .storage = DP_DENSE,
					 .cells = cells,
					 .value = dp_alloc(arena, cells, sizeof(int64_t)),
					 .noise = DP_NOISE_LAPLACE,
					 .cost = {.epsilon_nano = 1000000000},
					 .sensitivity_l1 = 1};
}

int
main(void)
{
	static const uint32_t sizes[P] = {3, 2, 2}, every[P] = {0, 1, 2};
	double first[] = {40, 40, 20, 20, 10, 10}, second[CELLS], share[CELLS] = {0}, off = 0, all = 0;
	DpArena arena = dp_arena_malloc();
	DpModel model = {.method = "privbayes", .rows = 140};
	DpTable table[2];
	DpGraphicalFit *fit;

	memcpy(second, counts, sizeof(second));
	model.domain = unit_domain(&arena, sizes, P);
	table[0] = table_of(every, 2, 6, &arena);
	table[1] = table_of(every, P, CELLS, &arena);
	DpNetworkTable network[2] = {
		{.from = {.domain = &model.domain, .table = &table[0], .estimate = first, .rows = 140}},
		{.from = {.domain = &model.domain, .table = &table[1], .estimate = second, .rows = 60},
		 .conditional = true}};

	MUST(dp_network_factors(&model, network, 2, &fit, NULL, &arena));
	MUST(dp_graphical_fit_marginal(fit, &(DpAttributeSet){P, (uint32_t *) every}, share, NULL,
								   &arena));
	for (uint32_t key = 0; key < CELLS / 2; key++)
	{
		double of = share[2 * key] + share[2 * key + 1];

		CHECK_NEAR(of, first[key] / 140, 1e-9, "key %u has its share", key);
		off = fmax(off, fabs(share[2 * key] / of - wanted[key]));
		all += of;
	}
	CHECK(off < 1e-9, "a key without rows goes by its longest prefix that has some (%g off)", off);
	CHECK_NEAR(all, 1, 1e-9, "shares add up to one");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
