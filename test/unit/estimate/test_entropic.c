/*
 * test_entropic.c -- the entropic fit: it has the largest entropy among the joints with its
 * margins.
 */
#include "core/estimate/joint.h"
#include "core/sample/fit_entropic.h"

#include "unit_joint.h"

/* Iterative proportional fitting from the uniform distribution: the maximum-entropy joint. */
static double *
proportional_fit(DpArena *arena, const uint32_t *levels, uint32_t n, const double *joint,
				 const uint32_t *mask, uint32_t sets, int rounds)
{
	uint64_t cells = dp_joint_set_cells(levels, (UINT32_C(1) << n) - 1);
	double *x = dp_alloc(arena, cells, sizeof(*x));
	double *want = dp_alloc(arena, cells, sizeof(*x)), *have = dp_alloc(arena, cells, sizeof(*x));

	for (uint64_t i = 0; i < cells; i++)
		x[i] = 1.0 / (double) cells;
	for (int r = 0; r < rounds; r++)
		for (uint32_t s = 0; s < sets; s++)
		{
			plain_margin(levels, n, joint, mask[s], want);
			plain_margin(levels, n, x, mask[s], have);
			for (uint64_t i = 0; i < cells; i++)
			{
				uint64_t cell = plain_cell(levels, n, i, mask[s]);

				x[i] *= want[cell] / have[cell];
			}
		}
	return x;
}

static void
check_entropy(DpArena *arena, DpPrng *prng, const uint32_t *levels, uint32_t n,
			  const uint32_t *mask, uint32_t sets, const char *name)
{
	uint64_t cells = dp_joint_set_cells(levels, (UINT32_C(1) << n) - 1);
	double *joint = random_joint(arena, prng, cells);
	double *want = proportional_fit(arena, levels, n, joint, mask, sets, 3000);
	double *got = dp_alloc(arena, cells, sizeof(*got));
	DpNoisyTable table[16];
	DpDomain nothing_known = {.attributes = 0};
	DpFitProblem problem = {.attributes = n,
							.cells = cells,
							.tables = sets,
							.table = table,
							.rows = 5000,
							.domain = &nothing_known};
	DpJoint fitted;

	memcpy(problem.levels, levels, n * sizeof(*levels));
	for (uint32_t s = 0; s < sets; s++)
		table[s] = table_of(arena, levels, n, joint, mask[s], 5000, 1e-20);
	MUST(dp_fit_entropic(&problem, NULL, &fitted, NULL, arena));
	dp_joint_fill(&fitted, got, NULL);
	CHECK_NEAR(largest_difference(got, want, cells), 0, 1e-6, "%s: the maximum-entropy joint",
			   name);
	dp_joint_free(&fitted);
}

static void
test_entropy(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {2, 2, 3, 3}, mask[16];

	check_entropy(arena, prng, levels, 4, mask, all_of_size(4, 2, mask), "all pairs");
	check_entropy(arena, prng, levels, 4, mask, all_of_size(4, 3, mask), "all triples");
	check_entropy(arena, prng, levels, 4, (uint32_t[]){3, 6, 12}, 3, "a chain");
	check_entropy(arena, prng, levels, 4, (uint32_t[]){3, 12}, 2, "pairs that never meet");
	check_entropy(arena, prng, levels, 4, (uint32_t[]){7, 3, 12, 8}, 4, "mixed sizes");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){6, 0, 0});
	test_entropy(&arena, &prng);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
