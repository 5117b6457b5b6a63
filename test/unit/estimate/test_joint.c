/*
 * test_joint.c -- margins of a product of factors, beside those that are written out.
 */
#include "core/estimate/joint.h"

#include "unit_joint.h"

/* x by its definition, and each margin of it. */
static void
check_joint(DpArena *arena, DpPrng *prng, const uint32_t *levels, uint32_t n, const uint32_t *mask,
			uint32_t sets, const char *name)
{
	DpJoint joint;
	double **theta = dp_alloc(arena, sets, sizeof(*theta));
	double *x, *filled, *margin, total = 0, worst = 0;

	MUST(dp_joint_init(&joint, levels, n, mask, sets, arena));
	MUST(dp_joint_ready(&joint));
	x = dp_alloc(arena, joint.cells, sizeof(*x));
	filled = dp_alloc(arena, joint.cells, sizeof(*filled));
	margin = dp_alloc(arena, joint.cells, sizeof(*margin));
	for (uint32_t s = 0; s < sets; s++)
		theta[s] = random_array(arena, prng, joint.set_cells[s], -3, 3);
	for (uint64_t i = 0; i < joint.cells; i++)
	{
		for (uint32_t s = 0; s < sets; s++)
			x[i] += theta[s][plain_cell(levels, n, i, mask[s])];
		x[i] = exp(x[i]);
		total += x[i];
	}
	for (uint64_t i = 0; i < joint.cells; i++)
		x[i] /= total;
	MUST(dp_joint_evaluate(&joint, theta, NULL));
	for (uint32_t s = 0; s < sets; s++)
	{
		plain_margin(levels, n, x, mask[s], margin);
		worst = fmax(worst, largest_difference(margin, joint.margin[s], joint.set_cells[s]));
		dp_joint_project(levels, n, x, mask[s], filled);
		worst = fmax(worst, largest_difference(margin, filled, joint.set_cells[s]));
	}
	CHECK_NEAR(worst, 0, 1e-12, "%s: margins", name);
	dp_joint_fill(&joint, filled, NULL);
	CHECK_NEAR(largest_difference(x, filled, joint.cells), 0, 1e-12, "%s: cells", name);
	dp_joint_free(&joint);
}

static void
test_joint(DpArena *arena, DpPrng *prng)
{
	uint32_t few[] = {2, 3, 4}, many[] = {5, 3, 4, 2, 6, 7, 3}, two[16], one[] = {1};
	uint32_t mask[512], single[] = {1};
	DpJoint joint;

	for (uint32_t i = 0; i < 16; i++)
		two[i] = 2;
	check_joint(arena, prng, few, 3, (uint32_t[]){7}, 1, "the whole joint table");
	check_joint(arena, prng, few, 3, (uint32_t[]){7, 3, 1, 4, 6}, 5, "sets within sets");
	check_joint(arena, prng, many, 7, mask, all_of_size(7, 2, mask), "pairs of seven");
	check_joint(arena, prng, many, 7, mask, all_of_size(7, 3, mask), "triples of seven");
	check_joint(arena, prng, many, 7, (uint32_t[]){3, 24, 96, 4}, 4, "sets that do not meet");
	check_joint(arena, prng, many, 7, (uint32_t[]){127, 85, 3, 42, 1}, 5, "mixed sizes");
	check_joint(arena, prng, two, 16, mask, all_of_size(16, 2, mask), "120 pairs, several slabs");
	check_joint(arena, prng, one, 1, single, 1, "a single cell");
	check_joint(arena, prng, (uint32_t[]){40000, 2}, 2, (uint32_t[]){1, 2, 3}, 3, "a long axis");
	CHECK_STATUS(dp_joint_init(&joint, two, 16, (uint32_t[]){0}, 1, arena), DP_ERR_ARGUMENT,
				 "an empty set is refused");
	CHECK_STATUS(dp_joint_init(&joint, two, 2, (uint32_t[]){4}, 1, arena), DP_ERR_ARGUMENT,
				 "so is a set of what is not there");
	CHECK_STATUS(dp_joint_init(&joint, (uint32_t[]){100001, 1000}, 2, single, 1, arena),
				 DP_ERR_LIMIT, "and a joint table that is too large");
}

static void
test_underflow(DpArena *arena)
{
	uint32_t levels[] = {2, 2}, mask[] = {1, 2};
	double a[] = {0, -2000}, b[] = {-2000, 0}, nan[] = {NAN, 0};
	double *theta[] = {a, b};
	DpJoint joint;

	MUST(dp_joint_init(&joint, levels, 2, mask, 2, arena));
	MUST(dp_joint_ready(&joint));
	CHECK_OK(dp_joint_evaluate(&joint, theta, NULL), "some cells may vanish");
	CHECK_NEAR(joint.margin[1][1], 1, 0, "and the rest have all");
	theta[0] = nan;
	CHECK_STATUS(dp_joint_evaluate(&joint, theta, NULL), DP_ERR_RANGE, "what is no number is not");
	dp_joint_free(&joint);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){6, 0, 0});
	test_joint(&arena, &prng);
	test_underflow(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
