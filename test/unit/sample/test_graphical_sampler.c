/*
 * test_graphical_sampler.c -- the distribution of rows drawn from a graphical model, and what
 * stands before it: candidates, groups, products of tables, tables across cliques.
 */
#include "core/methods/aim/aim_plan.h"
#include "core/sample/graphical_fit.h"
#include "core/sample/graphical_sampler.h"
#include "core/sample/conditional_sampler.h"
#include "core/graphical/grouping.h"
#include "core/plan/method.h"
#include "core/estimate/factor_product.h"

#include <math.h>
#include <string.h>

#include "unit_data.h"

/* ---- rows: a - b - c, of 3, 4 and 2 groups; the last group of a is two levels ---- */

#define ATTRIBUTES 3
#define CELLS 24
#define SEEDS 400
#define ROWS 1000

static const uint32_t groups[] = {3, 4, 2};
static const double ab[] = {110, 90, 20, 80, 60, 140, 100, 0, 33, 167, 30, 170};
static const double bc[] = {150, 53, 297, 100, 13, 137, 249, 1};
static const double shares[] = {0.25, 1};

typedef struct Distribution
{
	DpGraphical model;
	DpGraphicalSampler *sampler;
	DpLevelSplit split[ATTRIBUTES][4];
	const DpLevelSplit *splits[ATTRIBUTES];
	uint32_t level[ATTRIBUTES][5];
	double share[CELLS]; /* of the joint over groups */
} Distribution;

/* As fitted: the margins of b differ in nothing, so p(a, b) p(c | b). */
static void
write_distribution(Distribution *distribution)
{
	double pair_ab[12], pair_bc[8];
	const uint32_t first[] = {0, 1}, second[] = {1, 2};
	const DpAttributeSet sets[] = {{2, first}, {2, second}};

	MUST(dp_graphical_marginal(&distribution->model, &sets[0], pair_ab));
	MUST(dp_graphical_marginal(&distribution->model, &sets[1], pair_bc));
	for (uint32_t i = 0; i < CELLS; i++)
	{
		uint32_t a = i / 8, b = i / 2 % 4, c = i % 2;

		distribution->share[i] =
			pair_ab[a * 4 + b] / 1000 * pair_bc[b * 2 + c] / (pair_bc[b * 2] + pair_bc[b * 2 + 1]);
	}
}

static void
build_distribution(DpArena *arena, bool systematic, uint64_t rows, Distribution *distribution)
{
	const DpFitRule rule = {.ridge = 1e-6, .tolerance = 1e-6, .evaluations_max = 500};
	const uint32_t first[] = {0, 1}, second[] = {1, 2};
	const DpAttributeSet sets[] = {{2, first}, {2, second}};

	MUST(dp_graphical_init(
		&distribution->model,
		&(DpGraphicalStart){
			.attributes = ATTRIBUTES, .levels = groups, .total = 1000, .cells_max = 1000},
		arena));
	MUST(dp_graphical_add(&distribution->model, &sets[0], ab, 1));
	MUST(dp_graphical_add(&distribution->model, &sets[1], bc, 1));
	MUST(dp_graphical_fit(&distribution->model, &rule, NULL));
	write_distribution(distribution);
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		for (uint32_t i = 0; i < 5; i++)
			distribution->level[a][i] = i;
		for (uint32_t g = 0; g < groups[a]; g++)
			distribution->split[a][g] = (DpLevelSplit){1, &distribution->level[a][g], NULL};
		distribution->splits[a] = distribution->split[a];
	}
	distribution->split[0][2] =
		(DpLevelSplit){2, &distribution->level[0][2], (double *) (uintptr_t) shares};
	MUST(dp_graphical_sampler_build(&distribution->model, rows, distribution->splits, systematic,
									&distribution->sampler, arena));
}

/* Rows of each cell of the joint over groups; split[0], split[1]: of the two levels. */
static void
count_rows(Distribution *distribution, uint64_t seed, uint32_t rows, uint32_t *count,
		   uint32_t *split)
{
	uint32_t *codes = malloc(sizeof(*codes) * DP_BLOCK_ROWS * ATTRIBUTES);

	memset(count, 0, CELLS * sizeof(*count));
	split[0] = split[1] = 0;
	for (uint32_t first = 0; first < rows; first += DP_BLOCK_ROWS)
	{
		uint32_t n = rows - first < DP_BLOCK_ROWS ? rows - first : DP_BLOCK_ROWS;

		memset(codes, 0xff, sizeof(*codes) * DP_BLOCK_ROWS * ATTRIBUTES);
		dp_graphical_draw_block(distribution->sampler,
								&(DpRowBlock){{seed, 1, first / DP_BLOCK_ROWS}, n}, codes, NULL);
		for (uint32_t i = 0; i < n; i++)
		{
			const uint32_t *row = codes + (size_t) i * ATTRIBUTES;
			uint32_t a = row[0] == 3 ? 2 : row[0];

			if (a < 3 && row[1] < 4 && row[2] < 2)
				count[a * 8 + row[1] * 2 + row[2]]++;
			if (a == 2)
				split[row[0] == 3]++;
		}
	}
	free(codes);
}

/* The mean over many seeds: every single row has the model's distribution. */
static void
test_distribution(DpArena *arena, bool systematic)
{
	uint32_t count[CELLS], split[2], all = 0;
	double mean[CELLS] = {0}, split_mean[2] = {0}, worst = 0;
	Distribution distribution;

	build_distribution(arena, systematic, ROWS, &distribution);
	for (uint64_t seed = 0; seed < SEEDS; seed++)
	{
		count_rows(&distribution, seed, ROWS, count, split);
		for (uint32_t i = 0; i < CELLS; i++)
			mean[i] += count[i];
		for (uint32_t i = 0; i < CELLS; i++)
			all += count[i];
		split_mean[0] += split[0];
		split_mean[1] += split[1];
	}
	for (uint32_t i = 0; i < CELLS; i++)
	{
		double expected = distribution.share[i] * ROWS * SEEDS;

		worst = fmax(worst, fabs(mean[i] - expected) / sqrt(expected + 1));
	}
	CHECK(all == ROWS * SEEDS, "every row that is asked for is drawn, its codes are levels");
	CHECK(worst < 5, "%s rows: expected counts of the joint, %.1f standard deviations at most",
		  systematic ? "systematic" : "independent", worst);
	CHECK_NEAR(split_mean[0] / (split_mean[0] + split_mean[1]), 0.25, 0.01,
			   "levels of a group by their shares");
}

/* Rows of which some attributes are known have the distribution of the model given these. */
static void
test_known(DpArena *arena, const bool *known, const char *which)
{
	double worst = 0;
	DpGraphicalFit fit = {0};
	DpConditionalSampler *rows;
	DpPrng prng;
	bool kept = true;
	Distribution distribution;

	build_distribution(arena, false, ROWS, &distribution);
	fit.graphical = distribution.model;
	fit.split = distribution.splits;
	MUST(dp_conditional_sampler_build(&fit, known, &rows, arena));
	dp_prng_seed(&prng, (DpStream){1, 1, 1});
	for (uint32_t given = 0; given < CELLS; given++)
	{
		const uint32_t wanted[] = {given / 8, given / 2 % 4, given % 2};
		uint32_t count[CELLS] = {0}, codes[ATTRIBUTES];
		double total = 0;

		dp_conditional_sampler_condition(rows, wanted);
		for (uint32_t i = 0; i < ROWS; i++)
		{
			dp_conditional_row_sampler.draw(rows, &prng, codes);
			for (uint32_t a = 0; a < ATTRIBUTES; a++)
				kept &= !known[a] || codes[a] == wanted[a];
			count[(codes[0] > 2 ? 2 : codes[0]) * 8 + codes[1] * 2 + codes[2]]++;
		}
		for (int pass = 0; pass < 2; pass++)
			for (uint32_t i = 0; i < CELLS; i++)
			{
				const uint32_t cell[] = {i / 8, i / 2 % 4, i % 2};
				double expected = ROWS * distribution.share[i] / total;
				bool agrees = true;

				for (uint32_t a = 0; a < ATTRIBUTES; a++)
					agrees &= !known[a] || cell[a] == wanted[a];
				if (!agrees)
					continue;
				if (pass == 0)
					total += distribution.share[i];
				else if (total > 1e-6)
					worst = fmax(worst, fabs(count[i] - expected) / sqrt(expected + 1));
			}
	}
	CHECK(kept, "%s: what is known stays", which);
	CHECK(worst < 6, "%s: the distribution given what is known, %.1f standard deviations at most",
		  which, worst);
}

/* Rows that take points come in each cell as often as the distribution says, nearly; over many
 * shifts each of them has the distribution. */
static void
test_points(DpArena *arena)
{
	const bool known[] = {false, false, false};
	double mean[CELLS] = {0}, worst_mean = 0, worst = 0, point[DP_QUASI_RANDOM_DIMENSIONS_MAX];
	DpGraphicalFit fit = {.systematic = true};
	DpQuasiRandom points;
	DpConditionalSampler *rows;
	DpPrng prng;
	Distribution distribution;

	build_distribution(arena, false, ROWS, &distribution);
	fit.graphical = distribution.model;
	fit.split = distribution.splits;
	MUST(dp_conditional_sampler_build(&fit, known, &rows, arena));
	dp_prng_seed(&prng, (DpStream){5, 1, 1});
	CHECK_I64(dp_conditional_sampler_dimensions(rows), 2, "two cliques are drawn of");
	dp_quasi_random_init(&points, dp_conditional_sampler_dimensions(rows));
	for (int seed = 0; seed < SEEDS; seed++)
	{
		const uint32_t wanted[ATTRIBUTES] = {0};
		uint32_t codes[ATTRIBUTES];
		double count[CELLS] = {0};

		dp_quasi_random_shift(&points, &prng);
		dp_conditional_sampler_condition(rows, wanted);
		for (uint32_t i = 0; i < ROWS; i++)
		{
			dp_quasi_random_get(&points, i, point);
			dp_conditional_sampler_point(rows, point);
			dp_conditional_row_sampler.draw(rows, &prng, codes);
			count[(codes[0] > 2 ? 2 : codes[0]) * 8 + codes[1] * 2 + codes[2]]++;
		}
		for (uint32_t i = 0; i < CELLS; i++)
		{
			mean[i] += count[i] / SEEDS;
			worst = fmax(worst, fabs(count[i] - ROWS * distribution.share[i]));
		}
	}
	for (uint32_t i = 0; i < CELLS; i++)
		worst_mean = fmax(worst_mean, fabs(mean[i] - ROWS * distribution.share[i]));
	/* independent rows would be off by 11 in the largest cells, and by 40 in one of 400 seeds */
	CHECK(worst < 8, "points: cells get their rows, %.1f off at most", worst);
	CHECK(worst_mean < 0.3, "and on average exactly, %.2f off at most", worst_mean);
	dp_conditional_sampler_point(rows, NULL);
	fit.systematic = false;
	CHECK_I64(dp_conditional_sampler_dimensions(rows), 0,
			  "rows that are to be independent take none");
}

/* The distance of b given a, over rows, from the distribution. */
static double
distance_given_a(const Distribution *distribution, const double *count)
{
	double distance = 0, all = 0;

	for (uint32_t a = 0; a < 3; a++)
	{
		double rows = 0, share = 0;

		for (uint32_t b = 0; b < 4; b++)
		{
			rows += count[a * 4 + b];
			share += distribution->share[a * 8 + b * 2] + distribution->share[a * 8 + b * 2 + 1];
		}
		for (uint32_t b = 0; b < 4; b++)
			distance += fabs(count[a * 4 + b] - rows *
													(distribution->share[a * 8 + b * 2] +
													 distribution->share[a * 8 + b * 2 + 1]) /
													share) /
						2;
		all += rows;
	}
	return distance / all;
}

/* Draws b given an a of the distribution and a c that follows from a, of which the model knows
 * nothing. */
static double
trial_of_raking(const Distribution *distribution, DpConditionalSampler *rows, DpRaking *raking,
				DpPrng *prng, bool *again)
{
	double count[12] = {0};

	dp_conditional_sampler_record(rows, true);
	for (uint32_t i = 0; i < 30 * ROWS; i++)
	{
		double at = dp_prng_unit(prng);
		uint32_t codes[ATTRIBUTES] = {0}, cell;

		for (cell = 0; cell + 1 < CELLS && at >= distribution->share[cell]; cell++)
			at -= distribution->share[cell];
		codes[0] = cell / 8;
		codes[2] = codes[0] != 1;
		dp_conditional_sampler_condition(rows, codes);
		dp_conditional_row_sampler.draw(rows, prng, codes);
		dp_raking_count(raking, codes, dp_conditional_sampler_recorded(rows), 1);
		count[codes[0] * 4 + codes[1]]++;
	}
	*again = dp_raking_end_trial(raking);
	return distance_given_a(distribution, count);
}

/* What is known is told twice by a and c, so that rows drift from b given a; trials end that. */
static void
test_raking(DpArena *arena)
{
	const bool known[] = {true, false, true}, given[] = {true, false, false};
	double before, after = 1;
	DpGraphicalFit fit = {0};
	DpConditionalSampler *rows;
	DpRaking *raking;
	DpPrng prng;
	bool again;
	Distribution distribution;

	build_distribution(arena, false, ROWS, &distribution);
	fit.graphical = distribution.model;
	fit.split = distribution.splits;
	MUST(dp_conditional_sampler_build(&fit, known, &rows, arena));
	MUST(dp_raking_build(&fit, known, given, &raking, NULL, arena));
	MUST(dp_conditional_sampler_weigh(rows, raking, arena));
	dp_prng_seed(&prng, (DpStream){3, 1, 1});
	before = trial_of_raking(&distribution, rows, raking, &prng, &again);
	CHECK(before > 0.05 && again, "rows drift from the model at first: %.3f", before);
	for (int trial = 1; trial < DP_RAKING_TRIALS; trial++)
		after = trial_of_raking(&distribution, rows, raking, &prng, &again);
	CHECK(after < 0.02, "and after some trials no more: %.3f", after);
}

/* Another process draws with the weights that it is sent as the one that has found them. */
static void
test_weights_are_sent(DpArena *arena)
{
	const bool known[] = {true, false, true}, given[] = {true, false, false};
	DpGraphicalFit fit = {0};
	DpConditionalSampler *rows, *there, *unweighed;
	DpRaking *raking, *read, *none;
	DpPrng prng, prng_there, prng_unweighed;
	bool again;
	unsigned char *bytes;
	uint32_t other_there = 0, other_unweighed = 0;
	Distribution distribution;

	build_distribution(arena, false, ROWS, &distribution);
	fit.graphical = distribution.model;
	fit.split = distribution.splits;
	MUST(dp_conditional_sampler_build(&fit, known, &rows, arena));
	MUST(dp_conditional_sampler_build(&fit, known, &there, arena));
	MUST(dp_conditional_sampler_build(&fit, known, &unweighed, arena));
	MUST(dp_raking_build(&fit, known, given, &raking, NULL, arena));
	MUST(dp_raking_build(&fit, known, given, &none, NULL, arena));
	MUST(dp_conditional_sampler_weigh(rows, raking, arena));
	dp_prng_seed(&prng, (DpStream){6, 1, 1});
	for (int trial = 0; trial < DP_RAKING_TRIALS; trial++)
		(void) trial_of_raking(&distribution, rows, raking, &prng, &again);
	bytes = dp_alloc(arena, dp_raking_weights_bytes(raking) + 1, 1);
	dp_raking_weights_write(raking, bytes + 1); /* at an odd address */
	MUST(dp_raking_weights_read(&fit, known, bytes + 1, &read, arena));
	MUST(dp_conditional_sampler_weigh(there, read, arena));
	MUST(dp_conditional_sampler_weigh(unweighed, none, arena));
	prng_there = prng_unweighed = prng;
	for (uint32_t i = 0; i < 1000; i++)
	{
		const uint32_t wanted[] = {i % 3, 0, i % 2};
		uint32_t codes[ATTRIBUTES], sent[ATTRIBUTES], plain[ATTRIBUTES];

		dp_conditional_sampler_condition(rows, wanted);
		dp_conditional_sampler_condition(there, wanted);
		dp_conditional_sampler_condition(unweighed, wanted);
		dp_conditional_row_sampler.draw(rows, &prng, codes);
		dp_conditional_row_sampler.draw(there, &prng_there, sent);
		dp_conditional_row_sampler.draw(unweighed, &prng_unweighed, plain);
		other_there += memcmp(codes, sent, sizeof(codes)) != 0;
		other_unweighed += memcmp(codes, plain, sizeof(codes)) != 0;
	}
	CHECK(other_there == 0, "%u of 1000 rows are others with weights that were sent", other_there);
	CHECK(other_unweighed > 20, "without weights %u of 1000 are", other_unweighed);
}

/* What the model knows all of does not drift, and one trial says so. */
static void
test_no_raking(DpArena *arena)
{
	const bool known[] = {true, false, false}, given[] = {true, false, false};
	DpGraphicalFit fit = {0};
	DpConditionalSampler *rows;
	DpRaking *raking;
	DpPrng prng;
	bool again;
	Distribution distribution;

	build_distribution(arena, false, ROWS, &distribution);
	fit.graphical = distribution.model;
	fit.split = distribution.splits;
	MUST(dp_conditional_sampler_build(&fit, known, &rows, arena));
	MUST(dp_raking_build(&fit, known, given, &raking, NULL, arena));
	MUST(dp_conditional_sampler_weigh(rows, raking, arena));
	dp_prng_seed(&prng, (DpStream){4, 1, 1});
	(void) trial_of_raking(&distribution, rows, raking, &prng, &again);
	CHECK(!again, "rows of the model itself need no second trial");
}

/* A sampler keeps what the row before needed. Rows in any order, drawn by points, with weights that
 * change in between, are those of a sampler that is new for each of them. */
static void
test_nothing_is_left(DpArena *arena)
{
	const bool known[] = {true, false, true}, given[] = {true, false, false};
	DpGraphicalFit fit = {0};
	DpConditionalSampler *rows;
	DpRaking *raking;
	DpPrng prng;
	bool again, same = true, same_shares = true;
	Distribution distribution;

	build_distribution(arena, false, ROWS, &distribution);
	fit.graphical = distribution.model;
	fit.split = distribution.splits;
	MUST(dp_conditional_sampler_build(&fit, known, &rows, arena));
	MUST(dp_raking_build(&fit, known, given, &raking, NULL, arena));
	MUST(dp_conditional_sampler_weigh(rows, raking, arena));
	dp_prng_seed(&prng, (DpStream){5, 1, 1});
	dp_conditional_sampler_record(rows, true);
	for (int i = 0; i < 600; i++)
	{
		const uint32_t wanted[] = {(uint32_t) (dp_prng_u64(&prng) % 3), 0,
								   (uint32_t) (dp_prng_u64(&prng) % 2)};
		const double point[] = {dp_prng_unit(&prng), dp_prng_unit(&prng)};
		uint32_t codes[ATTRIBUTES], anew[ATTRIBUTES];
		DpConditionalSampler *fresh;
		DpPrng split = prng, split_anew = prng;

		if (i % 200 == 100) /* the weights change */
		{
			dp_conditional_sampler_point(rows, NULL);
			(void) trial_of_raking(&distribution, rows, raking, &prng, &again);
		}
		MUST(dp_conditional_sampler_build(&fit, known, &fresh, arena));
		MUST(dp_conditional_sampler_weigh(fresh, raking, arena));
		dp_conditional_sampler_record(fresh, true);
		dp_conditional_sampler_condition(rows, wanted);
		dp_conditional_sampler_condition(fresh, wanted);
		dp_conditional_sampler_point(rows, point);
		dp_conditional_sampler_point(fresh, point);
		for (int twice = 0; twice < 1 + i % 2; twice++)
			dp_conditional_row_sampler.draw(rows, &split, codes);
		for (int twice = 0; twice < 1 + i % 2; twice++)
			dp_conditional_row_sampler.draw(fresh, &split_anew, anew);
		same &= memcmp(codes, anew, sizeof(codes)) == 0;
		for (uint32_t b = 0; b < 4; b++)
			same_shares &= dp_conditional_sampler_recorded(rows).share[1][b] ==
						   dp_conditional_sampler_recorded(fresh).share[1][b];
	}
	CHECK(same, "a row is the same, whatever was drawn before it");
	CHECK(same_shares, "and so are the shares that it records");
}

/* Largest difference of a systematic count from the expected one: cliques in their order. */
static double
worst_gap(const Distribution *distribution, const uint32_t *count, uint32_t rows)
{
	double a_b[12] = {0}, b[4] = {0}, b_c[8] = {0}, worst = 0;
	bool root_ab = distribution->model.tree.clique[0].set.attribute[0] == 0;

	for (uint32_t i = 0; i < CELLS; i++)
	{
		a_b[i / 2] += count[i];
		b[i / 2 % 4] += count[i];
		b_c[i / 2 % 4 * 2 + i % 2] += count[i];
	}
	for (uint32_t i = 0; i < CELLS; i++)
	{
		uint32_t k = i / 2 % 4, c = i % 2;
		double p_ab = 0, p_bc = 0, p_b = 0;

		for (uint32_t j = 0; j < CELLS; j++)
		{
			p_ab += j / 2 == i / 2 ? distribution->share[j] : 0;
			p_bc += j / 2 % 4 == k && j % 2 == c ? distribution->share[j] : 0;
			p_b += j / 2 % 4 == k ? distribution->share[j] : 0;
		}
		/* the root's cells of all rows, the other's of those that agree on b */
		worst = fmax(worst, fabs(a_b[i / 2] - p_ab * (root_ab ? rows : b[k] / p_b)));
		worst = fmax(worst, fabs(b_c[k * 2 + c] - p_bc * (root_ab ? b[k] / p_b : rows)));
	}
	return worst;
}

static void
test_rounding(DpArena *arena)
{
	static const uint32_t many[] = {1, 2, 7, 1023, 1024, 1025, 5000, 262144, 300000};
	uint32_t count[CELLS], split[2];
	Distribution distribution;

	build_distribution(arena, true, ROWS, &distribution);
	for (uint32_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
	{
		double batches = ceil(many[i] / 262144.0), gap;

		dp_graphical_expect(distribution.sampler, many[i]);
		count_rows(&distribution, 3, many[i], count, split);
		gap = worst_gap(&distribution, count, many[i]);
		CHECK(gap < batches + 1e-6, "%u rows: cells of each clique are rounded, %.3f off at most",
			  many[i], gap);
	}
}

static void
test_order(DpArena *arena)
{
	uint32_t codes[2][3 * DP_BLOCK_ROWS * ATTRIBUTES];
	Distribution distribution;

	build_distribution(arena, true, 3 * DP_BLOCK_ROWS, &distribution);
	for (uint32_t i = 0; i < 3; i++)
	{
		dp_graphical_draw_block(distribution.sampler, &(DpRowBlock){{9, 1, i}, DP_BLOCK_ROWS},
								codes[0] + i * DP_BLOCK_ROWS * ATTRIBUTES, NULL);
		dp_graphical_draw_block(distribution.sampler, &(DpRowBlock){{8, 1, i}, DP_BLOCK_ROWS},
								codes[1], NULL); /* in between */
	}
	for (uint32_t i = 3; i-- > 0;)
		dp_graphical_draw_block(distribution.sampler, &(DpRowBlock){{9, 1, i}, DP_BLOCK_ROWS},
								codes[1] + i * DP_BLOCK_ROWS * ATTRIBUTES, NULL);
	CHECK(memcmp(codes[0], codes[1], sizeof(codes[0])) == 0,
		  "blocks are the same in whatever order they are asked for");
}

/* ---- candidates ---- */

static void
test_candidates(DpArena *arena)
{
	static uint32_t three[] = {0, 1, 2}, two[] = {2, 3}, nine[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	static const uint32_t wanted[][3] = {{0, 9, 9}, {1, 9, 9}, {2, 9, 9}, {3, 9, 9}, {4, 9, 9},
										 {0, 1, 9}, {0, 2, 9}, {1, 2, 9}, {2, 3, 9}, {0, 1, 2}};
	DpWorkloadSet sets[] = {{{3, three}, DP_WEIGHT_ONE}, {{2, two}, 2 * DP_WEIGHT_ONE}};
	DpWorkloadSet large = {{9, nine}, DP_WEIGHT_ONE};
	DpWorkload workload = {2, sets}, too_large = {1, &large};
	DpCandidates candidates;
	bool same = true;
	double most;

	MUST(dp_candidates_make(&workload, 5, &candidates, NULL, arena, NULL));
	for (uint32_t i = 0; i < 10 && candidates.n == 10; i++)
		for (uint32_t k = 0; k < 3; k++)
			same &= k < candidates.set[i].n ? candidates.set[i].attribute[k] == wanted[i][k]
											: wanted[i][k] == 9;
	CHECK(candidates.n == 10 && same, "all subsets once, by size, and each attribute");
	most = dp_candidates_most(&candidates, candidates.set, candidates.n);
	CHECK_I64(dp_candidate_weight(&candidates, &candidates.set[9], most), DP_CANDIDATE_WEIGHT_ONE,
			  "{0, 1, 2} meets the first in 3 and the second, of weight 2, in 1");
	CHECK_I64(dp_candidate_weight(&candidates, &candidates.set[8], most), DP_CANDIDATE_WEIGHT_ONE,
			  "{2, 3} the second in 2");
	CHECK_I64(dp_candidate_weight(&candidates, &candidates.set[0], most),
			  (DP_CANDIDATE_WEIGHT_ONE + 2) / 5, "{0} the first in 1");
	CHECK_I64(dp_candidate_weight(&candidates, &candidates.set[4], most), 0, "{4} none");
	CHECK_STATUS(dp_candidates_make(&too_large, 9, &candidates, NULL, arena, NULL), DP_ERR_LIMIT,
				 "nine attributes are too many");
}

/* ---- groups ---- */

static void
test_groups(DpArena *arena)
{
	static const uint32_t levels[] = {5, 3};
	static const uint32_t wanted[] = {0, 1, 1, 2, 1, 0, 1, 2};
	static const uint32_t pair[] = {0, 1};
	const DpAttributeSet first = {1, pair}, both = {2, pair};
	int64_t many[] = {100, 1, -2, 50, 0}, few[] = {100, 1, 50};
	int64_t *noisy[] = {many, few};
	const double deviation[] = {10, 10};
	const int64_t count[] = {5, 1, 2, 3, 4};
	int64_t grouped[9], back[15], all[15];
	double picked[3];
	DpDomain domain = unit_domain(arena, levels, 2);
	DpGrouping grouping;

	MUST(dp_grouping_init(&grouping, &domain, arena));
	CHECK(grouping.levels[0] == 5 && dp_grouping_cells(&grouping, &both) == 15,
		  "at first each level is a group");
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &(DpGroupingMerge){true, 6}, arena));
	CHECK(memcmp(grouping.structure, wanted, sizeof(wanted)) == 0 && grouping.levels[0] == 3 &&
			  grouping.levels[1] == 3,
		  "levels below three deviations are one group; one alone stays what it is");
	MUST(dp_grouping_collapse(&grouping, &first, count, grouped, arena));
	CHECK(grouped[0] == 5 && grouped[1] == 7 && grouped[2] == 3, "sums over groups");
	MUST(dp_grouping_expand(&grouping, &first, grouped, back, arena));
	CHECK(back[0] == 5 && back[1] == 7 && back[2] == 0 && back[3] == 3 && back[4] == 0,
		  "a group's first level stands for it");
	MUST(dp_grouping_pick(&grouping, &first, back, picked, arena));
	CHECK(picked[0] == 5 && picked[1] == 7 && picked[2] == 3, "and gives it back");
	for (uint32_t i = 0; i < 15; i++)
		all[i] = 1;
	MUST(dp_grouping_collapse(&grouping, &both, all, grouped, arena));
	CHECK(grouped[0] == 1 && grouped[3] == 3 && grouped[5] == 3 && grouped[8] == 1,
		  "of two attributes");
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &(DpGroupingMerge){true, 4}, arena));
	CHECK(grouping.levels[0] + grouping.levels[1] <= 4, "fewer groups where there is no room");
	CHECK_STATUS(dp_grouping_merge(&grouping, noisy, deviation, &(DpGroupingMerge){true, 1}, arena),
				 DP_ERR_LIMIT, "each attribute needs one");
}

/* Blocks {0,1,2}, {3,4} and {5}, chapters {0..4} and {5}, and the rest. */
static void
test_hierarchy(DpArena *arena)
{
	static const uint32_t levels[] = {7, 7};
	static const uint8_t border[] = {0, 0, 0, 1, 0, 2};
	static const uint32_t wanted[] = {0, 1, 0, 2, 2, 3, 3, 0, 1, 0, 0, 2, 0, 2};
	int64_t stays[] = {25, 100, 24, 20, 25, 3, 5}, goes_on[] = {5, 100, 9, 0, 20, 50, 1};
	int64_t *noisy[] = {stays, goes_on};
	const double deviation[] = {10, 10};
	DpDomain domain = unit_domain(arena, levels, 2);
	DpGrouping grouping;

	for (uint32_t a = 0; a < 2; a++)
	{
		domain.attribute[a].has_other = true;
		domain.attribute[a].labels_n = 6;
		domain.attribute[a].boundary = border;
	}
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &(DpGroupingMerge){false, 0}, arena));
	CHECK(memcmp(grouping.structure, wanted, 7 * sizeof(*wanted)) == 0,
		  "rare levels stay with those of their block, and leave the frequent one alone");
	CHECK(grouping.group[1][0] == grouping.group[1][2] && grouping.group[1][1] == 1 &&
			  grouping.group[1][0] == grouping.group[1][3] &&
			  grouping.group[1][0] == grouping.group[1][4] && grouping.group[1][5] == 2 &&
			  grouping.group[1][6] == 0,
		  "rare blocks go on together to their chapter, and to the rest of all");
	domain.attribute[0].boundary = NULL;
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &(DpGroupingMerge){false, 0}, arena));
	CHECK_I64(grouping.levels[0], 7, "who has no hierarchy is left alone");
}

/* The level "other" is the last one. */
static void
test_rest(DpArena *arena)
{
	static const uint32_t levels[] = {4, 4, 4, 1};
	static const uint32_t wanted[] = {0, 1, 2, 1, 0, 1, 2, 3, 0, 1, 0, 0, 0};
	int64_t joins[] = {100, 40, 60, 29}, stays[] = {100, 40, 60, 30}, rare[] = {1, 90, 2, 3};
	int64_t alone[] = {0};
	int64_t *noisy[] = {joins, stays, rare, alone};
	const double deviation[] = {10, 10, 10, 10};
	DpDomain domain = unit_domain(arena, levels, 4);
	DpGrouping grouping;
	DpModel model = {.domain = domain};

	for (uint32_t a = 0; a < 4; a++)
		domain.attribute[a].has_other = true;
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_grouping_join_other(&grouping, noisy, deviation, arena));
	CHECK(memcmp(grouping.structure, wanted, 8 * sizeof(*wanted)) == 0 && grouping.levels[0] == 3 &&
			  grouping.levels[1] == 4,
		  "a rare rest joins the smallest level, another one stays");
	CHECK(grouping.levels[3] == 1, "a level without others stays");
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &(DpGroupingMerge){true, 20}, arena));
	MUST(dp_grouping_join_other(&grouping, noisy, deviation, arena));
	CHECK(memcmp(grouping.structure, wanted, sizeof(wanted)) == 0 && grouping.levels[2] == 2,
		  "and so does a rest that is rare together with others");
	model.structure = grouping.structure;
	model.structure_n = grouping.structure_n;
	MUST(dp_grouping_parse(&grouping, &model, arena, NULL));
	CHECK(grouping.levels[0] == 3 && grouping.levels[1] == 4 && grouping.levels[2] == 2,
		  "a model gives the same groups back");
}

/* ---- products ---- */

/* Sizes are random; each of the kinds of attribute that the walk meets may be missing. */
static void
test_products(DpArena *arena)
{
	double worst = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 5, 1});
	for (int round = 0; round < 300; round++)
	{
		uint64_t used = arena->bytes_used, cells[3] = {1, 1, 1}, joint = 1;
		double a[1300], b[1300], out[1300], wanted[1300] = {0};
		DpProductAxis axis[5];
		uint32_t n = 1 + (uint32_t) dp_prng_below(&prng, 5);

		for (uint32_t k = n; k-- > 0;)
		{
			uint32_t kind = (uint32_t) dp_prng_below(&prng, 4);
			uint32_t size = 1 + (uint32_t) dp_prng_below(&prng, 4);

			axis[k] = (DpProductAxis){size, kind == 2 ? 0 : cells[0], kind == 1 ? 0 : cells[1],
									  kind == 3 ? 0 : cells[2]};
			cells[0] *= kind == 2 ? 1 : size;
			cells[1] *= kind == 1 ? 1 : size;
			cells[2] *= kind == 3 ? 1 : size;
			joint *= size;
		}
		for (uint32_t i = 0; i < 1300; i++)
		{
			a[i] = dp_prng_unit(&prng);
			b[i] = dp_prng_unit(&prng);
		}
		for (uint64_t i = 0; i < joint; i++)
		{
			uint64_t left = i, at[3] = {0, 0, 0};

			for (uint32_t k = n; k-- > 0; left /= axis[k].size)
			{
				at[0] += left % axis[k].size * axis[k].a;
				at[1] += left % axis[k].size * axis[k].b;
				at[2] += left % axis[k].size * axis[k].out;
			}
			wanted[at[2]] += a[at[0]] * b[at[1]];
		}
		MUST(dp_factor_product(axis, n, a, b, out, arena));
		for (uint64_t i = 0; i < cells[2]; i++)
			worst = fmax(worst, fabs(out[i] - wanted[i]));
		worst += arena->bytes_used != used;
	}
	CHECK(worst < 1e-9, "300 products of random tables, %.1e off", worst);
}

/* ---- tables across cliques ---- */

typedef struct Chain
{
	uint32_t levels[68];
	DpGraph graph;
	DpJunctionTree tree;
	DpBelief belief;
} Chain;

/*
 * Two cliques of 66 attributes. They share all but the first and the last, which alone have levels.
 */
static void
build_wide(DpArena *arena, Chain *chain)
{
	uint32_t attribute[67];
	const DpAttributeSet low = {66, attribute}, high = {66, attribute + 1};

	for (uint32_t a = 0; a < 67; a++)
	{
		attribute[a] = a;
		chain->levels[a] = a == 0 || a == 66 ? 3 : 1;
	}
	MUST(dp_graph_init(&chain->graph, chain->levels, 67, arena));
	dp_graph_join(&chain->graph, &low);
	dp_graph_join(&chain->graph, &high);
	MUST(dp_junction_tree_build(&chain->graph, 1000, &chain->tree, NULL, arena));
	MUST(dp_belief_init(&chain->belief, &chain->tree, chain->levels, 90, arena));
	dp_belief_clear(&chain->belief);
	(void) dp_belief_calibrate(&chain->belief);
}

static void
build_chain(DpArena *arena, Chain *chain)
{
	for (uint32_t a = 0; a < 5; a++)
		chain->levels[a] = 4;
	MUST(dp_graph_init(&chain->graph, chain->levels, 5, arena));
	for (uint32_t a = 0; a < 4; a++)
	{
		const uint32_t pair[] = {a, a + 1};

		dp_graph_join(&chain->graph, &(DpAttributeSet){2, pair});
	}
	MUST(dp_junction_tree_build(&chain->graph, 1000, &chain->tree, NULL, arena));
	MUST(dp_belief_init(&chain->belief, &chain->tree, chain->levels, 64, arena));
	dp_belief_clear(&chain->belief);
	(void) dp_belief_calibrate(&chain->belief);
}

static void
test_queries(DpArena *arena)
{
	const uint32_t ends[] = {0, 66}, far[] = {0, 2, 4};
	const DpAttributeSet across = {2, ends}, three = {3, far};
	double out[64];
	uint64_t used;
	Chain chain;

	build_wide(arena, &chain);
	used = arena->bytes_used;
	CHECK_STATUS(dp_belief_marginal(&chain.belief, &across, 1000, out, arena), DP_ERR_LIMIT,
				 "too many attributes on the way are a limit, no failure");
	CHECK(arena->bytes_used == used, "and leave nothing behind");
	build_chain(arena, &chain);
	used = arena->bytes_used;
	CHECK_STATUS(dp_belief_marginal(&chain.belief, &three, 64 + 16, out, arena), DP_ERR_LIMIT,
				 "so are too many cells at a time");
	CHECK(arena->bytes_used == used, "which leave nothing behind either");
	MUST(dp_belief_marginal(&chain.belief, &three, 1000, out, arena));
	CHECK(arena->bytes_used == used && fabs(out[0] - 1) < 1e-12 && fabs(out[63] - 1) < 1e-12,
		  "with room for them it is answered");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_distribution(&arena, true);
	test_distribution(&arena, false);
	test_known(&arena, (bool[]){false, true, false}, "the middle is known");
	test_known(&arena, (bool[]){true, false, true}, "the ends are known");
	test_known(&arena, (bool[]){false, false, true}, "one end is known");
	test_known(&arena, (bool[]){false, false, false}, "nothing is known");
	test_points(&arena);
	test_raking(&arena);
	test_weights_are_sent(&arena);
	test_no_raking(&arena);
	test_nothing_is_left(&arena);
	test_rounding(&arena);
	test_order(&arena);
	test_candidates(&arena);
	test_groups(&arena);
	test_hierarchy(&arena);
	test_rest(&arena);
	test_products(&arena);
	test_queries(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
