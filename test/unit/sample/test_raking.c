/*
 * test_raking.c -- weights that bring drawn rows to the margins of the model.
 */
#include <string.h>

#include "unit_conditional.h"

/* What is known is told twice by a and c, so that rows drift from b given a; trials end that. */
static void
test_raking(DpArena *arena)
{
	const bool known[] = {true, false, true}, given[] = {true, false, false};
	double before, after = 1;
	bool again;
	Conditional c;

	build_conditional(arena, known, given, 3, &c);
	before = trial_of_raking(&c, &again);
	CHECK(before > 0.05 && again, "rows drift from the model at first: %.3f", before);
	for (int trial = 1; trial < DP_RAKING_TRIALS; trial++)
		after = trial_of_raking(&c, &again);
	CHECK(after < 0.02, "and after some trials no more: %.3f", after);
}

/* Another process draws with the weights that it is sent as the one that has found them. */
static void
test_weights_are_sent(DpArena *arena)
{
	const bool known[] = {true, false, true}, given[] = {true, false, false};
	DpConditionalSampler *there, *unweighed;
	DpRaking *read, *none;
	DpPrng prng_there, prng_unweighed;
	bool again;
	unsigned char *bytes;
	uint32_t other_there = 0, other_unweighed = 0;
	Conditional c;

	build_conditional(arena, known, given, 6, &c);
	MUST(dp_conditional_sampler_build(&c.fit, known, &there, arena));
	MUST(dp_conditional_sampler_build(&c.fit, known, &unweighed, arena));
	MUST(dp_raking_build(&c.fit, known, given, &none, NULL, arena));
	for (int trial = 0; trial < DP_RAKING_TRIALS; trial++)
		(void) trial_of_raking(&c, &again);
	bytes = dp_alloc(arena, dp_raking_weights_bytes(c.raking) + 1, 1);
	dp_raking_weights_write(c.raking, bytes + 1); /* at an odd address */
	MUST(dp_raking_weights_read(&c.fit, known, bytes + 1, &read, arena));
	MUST(dp_conditional_sampler_weigh(there, read, arena));
	MUST(dp_conditional_sampler_weigh(unweighed, none, arena));
	prng_there = prng_unweighed = c.prng;
	for (uint32_t i = 0; i < 1000; i++)
	{
		const uint32_t wanted[] = {i % 3, 0, i % 2};
		uint32_t codes[ATTRIBUTES], sent[ATTRIBUTES], plain[ATTRIBUTES];

		dp_conditional_sampler_condition(c.rows, wanted);
		dp_conditional_sampler_condition(there, wanted);
		dp_conditional_sampler_condition(unweighed, wanted);
		dp_conditional_row_sampler.draw(c.rows, &c.prng, codes);
		dp_conditional_row_sampler.draw(there, &prng_there, sent);
		dp_conditional_row_sampler.draw(unweighed, &prng_unweighed, plain);
		other_there += memcmp(codes, sent, sizeof(codes)) != 0;
		other_unweighed += memcmp(codes, plain, sizeof(codes)) != 0;
	}
	CHECK(other_there == 0, "%u of 1000 rows are others with weights that were sent", other_there);
	CHECK(other_unweighed > 20, "without weights %u of 1000 are", other_unweighed);
}

static void
test_sizes(void)
{
	uint64_t rows;

	CHECK(dp_raking_size(1, &rows) == 0 && rows == 256, "the least trial is of 256 rows");
	CHECK(dp_raking_size(1459, &rows) == 3 && rows == 2048, "of 1,459 rows it is of 2,048");
	CHECK(dp_raking_size(1000000, &rows) == DP_RAKING_SIZES - 1 && rows == 16384,
		  "the largest is of 16,384");
	CHECK(dp_raking_trials_rows(2048, 4096) == DP_RAKING_TRIALS * 4096.0,
		  "as many belong to them as to those that are asked for");
	CHECK(dp_raking_trials_rows(1e6, 1e7) == 1.0 * DP_RAKING_TRIALS * DP_RAKING_ROWS,
		  "and no more than what a trial looks at");
}

/* What the model knows all of does not drift, and one trial says so. */
static void
test_no_raking(DpArena *arena)
{
	const bool known[] = {true, false, false}, given[] = {true, false, false};
	bool again;
	Conditional c;

	build_conditional(arena, known, given, 4, &c);
	(void) trial_of_raking(&c, &again);
	CHECK(!again, "rows of the model itself need no second trial");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_raking(&arena);
	test_weights_are_sent(&arena);
	test_no_raking(&arena);
	test_sizes();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
