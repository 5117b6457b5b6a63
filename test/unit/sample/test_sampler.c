/*
 * test_sampler.c -- rows in blocks do not depend on who draws them.
 */

#include "unit_data.h"

static void
test_blocks(DpArena *arena)
{
	const uint32_t levels[] = {50, 40, 30};
	DpDomain domain = unit_domain(arena, levels, 3);
	UnitTable table = unit_table(arena, &domain, 4000);
	UnitOptions options = {.lists = 0};
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {DP_EPSILON_ONE, 0, 0};
	UnitRelease release;
	uint32_t a[300];
	uint32_t b[300];
	DpPrng prng;
	DpRng rng;

	for (uint32_t i = 0; i < 4000; i++)
		for (uint32_t k = 0; k < 3; k++)
			table.code[k][i] = (i * (k + 3) / 7) % levels[k];
	unit_fixed_rng(&rng, &prng, 10);
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena));
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 2, 3}, 100},
				  a, NULL);
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 2, 3}, 100},
				  b, NULL);
	CHECK(memcmp(a, b, sizeof(a)) == 0, "a block is the same every time");
	memset(b, 0, sizeof(b));
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 2, 3}, 40}, b,
				  NULL);
	CHECK(memcmp(a, b, 120 * sizeof(*a)) == 0 && b[120] == 0, "fewer rows are its beginning");
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{4, 2, 3}, 100},
				  b, NULL);
	CHECK(memcmp(a, b, sizeof(a)) != 0, "another seed gives others");
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 4, 3}, 100},
				  b, NULL);
	CHECK(memcmp(a, b, sizeof(a)) != 0, "so does another set");
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 2, 4}, 100},
				  b, NULL);
	CHECK(memcmp(a, b, sizeof(a)) != 0, "so does another block");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_blocks(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
