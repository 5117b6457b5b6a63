/*
 * test_draw.c -- rows are drawn again while they hold a structural zero.
 */
#include "core/sample/draw.h"

#include "unit_draw.h"
#include "unit_zeros.h"

#define ROWS 4000

/*
 * Independent columns cannot show a zero over two of them. A row is drawn from them on condition
 * that it is allowed.
 */
static void
test_rejection(DpArena *arena)
{
	static const uint32_t levels[] = {2, 2};
	DpZeroSet set = SET(arena, "01", "11");
	DpDomain domain = domain_with(arena, levels, 2, &set, 1);
	UnitTable table = unit_table(arena, &domain, ROWS);
	UnitOptions options = {.lists = 0};
	UnitRelease release = {.sampler = NULL};
	uint32_t *codes = dp_alloc(arena, 50000, 2 * sizeof(*codes));
	uint32_t again[2 * 100];
	double share[4] = {0};
	DpDrawer drawer;
	DpPrng noise;
	DpRng rng;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		table.code[0][i] = i % 4 == 0;
		table.code[1][i] = i % 2;
	}
	unit_fixed_rng(&rng, &noise, 48);
	unit_number(&options, "parents", "0");
	MUST(unit_release(&release, "privbayes", &table, (DpUnit){DP_ADD_REMOVE, 1},
					  epsilon(INT64_C(1000000000000)), &options.options, &rng, arena));
	MUST(draw_rows(&release.model, arena, 50000, codes));
	for (uint32_t i = 0; i < 50000; i++)
		share[codes[2 * i] * 2 + codes[2 * i + 1]] += 1.0 / 50000;
	/* 3/8, 3/8, 1/8, given no 1/8 */
	CHECK_NEAR(share[0], 3.0 / 7, 0.012, "cell 00");
	CHECK_NEAR(share[1], 3.0 / 7, 0.012, "cell 01");
	CHECK_NEAR(share[2], 1.0 / 7, 0.009, "cell 10");
	MUST(dp_drawer_prepare(unit_sampler(&release.model), &release.model, &drawer, NULL, arena,
						   NULL));
	MUST(dp_draw_rows(&drawer, &(DpRowBlock){{1, 1, 0}, 100}, again, NULL, NULL));
	CHECK(memcmp(again, codes, sizeof(again)) == 0, "a shorter block begins as a longer one");

	/* now only rows that the columns never give are allowed */
	for (uint32_t i = 0; i < ROWS; i++)
		table.code[0][i] = table.code[1][i] = 0;
	domain.zeros.set[0] = SET(arena, "01", "00", "01", "10");
	MUST(unit_release(&release, "privbayes", &table, (DpUnit){DP_ADD_REMOVE, 1},
					  epsilon(INT64_C(1000000000000)), &options.options, &rng, arena));
	MUST(dp_drawer_prepare(unit_sampler(&release.model), &release.model, &drawer, NULL, arena,
						   NULL));
	CHECK_OK(dp_draw_rows(&drawer, &(DpRowBlock){{1, 1, 0}, 100}, again, NULL, NULL),
			 "where hardly a row is allowed rows are repaired");
	for (int i = 0; i < 100; i++)
		CHECK(again[2 * i] == 1 && again[2 * i + 1] == 1, "into one that is");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_rejection(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
