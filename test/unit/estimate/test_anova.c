/*
 * test_anova.c -- contrasts, and interaction components of noisy tables.
 */
#include "core/estimate/anova.h"
#include "core/estimate/joint.h"

#include "unit_joint.h"

static void
test_contrasts(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {3, 2, 4};
	double *x = random_array(arena, prng, 24, -5, 5), *y = dp_memdup(arena, x, 24 * sizeof(*x));
	double before = 0, after = 0;

	dp_contrasts(y, false, levels, 7);
	for (int i = 0; i < 24; i++)
	{
		before += x[i] * x[i];
		after += y[i] * y[i];
	}
	CHECK_NEAR(after, before, 1e-10, "contrasts are orthonormal");
	dp_contrasts(y, true, levels, 7);
	CHECK_NEAR(largest_difference(x, y, 24), 0, 1e-12, "and can be taken back");
}

static void
test_clean(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {2, 3, 4};
	double *joint = random_joint(arena, prng, 24), want[24];
	DpNoisyTable table[3] = {table_of(arena, levels, 3, joint, 3, 1000, 1),
							 table_of(arena, levels, 3, joint, 6, 1000, 4),
							 table_of(arena, levels, 3, joint, 5, 1000, 9)};
	DpNoisyTable pooled[2] = {table[0], table[1]};
	double *clean[3], mean[3], noisy[3], total;

	MUST(dp_anova_clean(
		&(DpNoisyTables){.levels = levels, .tables = 3, .table = table, .rows = 1000}, false, clean,
		NULL, arena));
	plain_margin(levels, 3, joint, 6, want);
	CHECK_NEAR(largest_difference(clean[1], want, 12), 0, 1e-12, "consistent tables stay");
	/*
	 * Shift mass between levels 0 and 1 of the second attribute in the first table: 6 rows a cell.
	 */
	for (int a = 0; a < 2; a++)
	{
		table[0].value[a * 3] += 6;
		table[0].value[a * 3 + 1] -= 6;
	}
	MUST(dp_anova_clean(
		&(DpNoisyTables){.levels = levels, .tables = 2, .table = pooled, .rows = 1000}, false,
		clean, NULL, arena));
	plain_margin((uint32_t[]){2, 3}, 2, clean[0], 2, mean);
	plain_margin((uint32_t[]){3, 4}, 2, clean[1], 1, noisy);
	CHECK_NEAR(largest_difference(mean, noisy, 3), 0, 1e-12, "what tables share, they agree on");
	plain_margin(levels, 3, joint, 2, want);
	/* Variances of the margin: 2 x 1 and 4 x 4 rows^2, so the first has 8/9 of the say. */
	CHECK_NEAR(mean[0] - want[0], 12.0 / 1000 * 8 / 9, 1e-12, "by inverse variance");
	table[2].variance = 1e9;
	MUST(dp_anova_clean(
		&(DpNoisyTables){.levels = levels, .tables = 1, .table = &table[2], .rows = 1000}, true,
		clean, NULL, arena));
	total = clean[0][0];
	for (int i = 1; i < 8; i++)
		total = fabs(clean[0][i] - 1.0 / 8) > 1e-12 ? -1 : total;
	CHECK_NEAR(total, 1.0 / 8, 1e-12, "what is noise alone is shrunk to nothing");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){6, 0, 0});
	test_contrasts(&arena, &prng);
	test_clean(&arena, &prng);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
