/*
 * test_conditional_sampler.c -- rows of a graphical model given known levels: their distribution,
 * by random numbers and by points.
 */
#include <math.h>
#include <string.h>

#include "unit_conditional.h"

#define SEEDS 400

/* Rows of which some attributes are known have the distribution of the model given these. */
static void
test_known(DpArena *arena, const bool *known, const char *which)
{
	double worst = 0;
	bool kept = true;
	Conditional c;

	build_conditional(arena, known, NULL, 1, &c);
	for (uint32_t given = 0; given < CELLS; given++)
	{
		const uint32_t wanted[] = {given / 8, given / 2 % 4, given % 2};
		uint32_t count[CELLS] = {0}, codes[ATTRIBUTES];
		double total = 0;

		dp_conditional_sampler_condition(c.rows, wanted);
		for (uint32_t i = 0; i < ROWS; i++)
		{
			dp_conditional_row_sampler.draw(c.rows, &c.prng, codes);
			for (uint32_t a = 0; a < ATTRIBUTES; a++)
				kept &= !known[a] || codes[a] == wanted[a];
			count[(codes[0] > 2 ? 2 : codes[0]) * 8 + codes[1] * 2 + codes[2]]++;
		}
		for (int pass = 0; pass < 2; pass++)
			for (uint32_t i = 0; i < CELLS; i++)
			{
				const uint32_t cell[] = {i / 8, i / 2 % 4, i % 2};
				double expected = ROWS * c.distribution.share[i] / total;
				bool agrees = true;

				for (uint32_t a = 0; a < ATTRIBUTES; a++)
					agrees &= !known[a] || cell[a] == wanted[a];
				if (!agrees)
					continue;
				if (pass == 0)
					total += c.distribution.share[i];
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
	DpQuasiRandom points;
	Conditional c;

	build_conditional(arena, known, NULL, 5, &c);
	c.fit.systematic = true;
	CHECK_I64(dp_conditional_sampler_dimensions(c.rows), 2, "two cliques are drawn of");
	dp_quasi_random_init(&points, dp_conditional_sampler_dimensions(c.rows));
	for (int seed = 0; seed < SEEDS; seed++)
	{
		const uint32_t wanted[ATTRIBUTES] = {0};
		uint32_t codes[ATTRIBUTES];
		double count[CELLS] = {0};

		dp_quasi_random_shift(&points, &c.prng);
		dp_conditional_sampler_condition(c.rows, wanted);
		for (uint32_t i = 0; i < ROWS; i++)
		{
			dp_quasi_random_get(&points, i, point);
			dp_conditional_sampler_point(c.rows, point);
			dp_conditional_row_sampler.draw(c.rows, &c.prng, codes);
			count[(codes[0] > 2 ? 2 : codes[0]) * 8 + codes[1] * 2 + codes[2]]++;
		}
		for (uint32_t i = 0; i < CELLS; i++)
		{
			mean[i] += count[i] / SEEDS;
			worst = fmax(worst, fabs(count[i] - ROWS * c.distribution.share[i]));
		}
	}
	for (uint32_t i = 0; i < CELLS; i++)
		worst_mean = fmax(worst_mean, fabs(mean[i] - ROWS * c.distribution.share[i]));
	/* independent rows would be off by 11 in the largest cells, and by 40 in one of 400 seeds */
	CHECK(worst < 8, "points: cells get their rows, %.1f off at most", worst);
	CHECK(worst_mean < 0.3, "and on average exactly, %.2f off at most", worst_mean);
	dp_conditional_sampler_point(c.rows, NULL);
	c.fit.systematic = false;
	CHECK_I64(dp_conditional_sampler_dimensions(c.rows), 0,
			  "rows that are to be independent take none");
}

/* A sampler keeps what the row before needed. Rows in any order, drawn by points, with weights that
 * change in between, are those of a sampler that is new for each of them. */
static void
test_nothing_is_left(DpArena *arena)
{
	const bool known[] = {true, false, true}, given[] = {true, false, false};
	bool again, same = true, same_shares = true;
	Conditional c;

	build_conditional(arena, known, given, 5, &c);
	dp_conditional_sampler_record(c.rows, true);
	for (int i = 0; i < 600; i++)
	{
		const uint32_t wanted[] = {(uint32_t) (dp_prng_u64(&c.prng) % 3), 0,
								   (uint32_t) (dp_prng_u64(&c.prng) % 2)};
		const double point[] = {dp_prng_unit(&c.prng), dp_prng_unit(&c.prng)};
		uint32_t codes[ATTRIBUTES], anew[ATTRIBUTES];
		DpConditionalSampler *fresh;
		DpPrng split = c.prng, split_anew = c.prng;

		if (i % 200 == 100) /* the weights change */
		{
			dp_conditional_sampler_point(c.rows, NULL);
			(void) trial_of_raking(&c, &again);
		}
		MUST(dp_conditional_sampler_build(&c.fit, known, &fresh, arena));
		MUST(dp_conditional_sampler_weigh(fresh, c.raking, arena));
		dp_conditional_sampler_record(fresh, true);
		dp_conditional_sampler_condition(c.rows, wanted);
		dp_conditional_sampler_condition(fresh, wanted);
		dp_conditional_sampler_point(c.rows, point);
		dp_conditional_sampler_point(fresh, point);
		for (int twice = 0; twice < 1 + i % 2; twice++)
			dp_conditional_row_sampler.draw(c.rows, &split, codes);
		for (int twice = 0; twice < 1 + i % 2; twice++)
			dp_conditional_row_sampler.draw(fresh, &split_anew, anew);
		same &= memcmp(codes, anew, sizeof(codes)) == 0;
		for (uint32_t b = 0; b < 4; b++)
			same_shares &= dp_conditional_sampler_recorded(c.rows).share[1][b] ==
						   dp_conditional_sampler_recorded(fresh).share[1][b];
	}
	CHECK(same, "a row is the same, whatever was drawn before it");
	CHECK(same_shares, "and so are the shares that it records");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_known(&arena, (bool[]){false, true, false}, "the middle is known");
	test_known(&arena, (bool[]){true, false, true}, "the ends are known");
	test_known(&arena, (bool[]){false, false, true}, "one end is known");
	test_known(&arena, (bool[]){false, false, false}, "nothing is known");
	test_points(&arena);
	test_nothing_is_left(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
