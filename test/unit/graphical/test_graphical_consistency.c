/*
 * test_graphical_consistency.c -- noisy tables made to agree: nothing is left in impossible cells,
 * all have one total, and margins that tables share are the same.
 *
 * Covers interactions.c.
 */
#include "core/graphical/graphical.h"
#include "core/graphical/potentials.h"

#include "unit_data.h"

static const uint32_t levels[] = {3, 4, 2};

#define TOTAL 1000.0

typedef struct Case
{
	DpGraphical model;
	DpInteractions *interactions;
} Case;

static void
add_table(Case *c, DpPrng *prng, uint32_t a, uint32_t b, double variance)
{
	const uint32_t pair[] = {a, b};
	const DpAttributeSet set = {2, pair};
	double observed[12];

	for (uint32_t i = 0; i < levels[a] * levels[b]; i++)
		observed[i] = TOTAL / (levels[a] * levels[b]) + 40 * (dp_prng_unit(prng) - 0.5);
	MUST(dp_graphical_add(&c->model, &set, observed, variance));
}

static void
start(Case *c, DpPrng *prng, bool zeros, DpArena *arena)
{
	const uint32_t one[] = {1}, both[] = {0, 1};
	const DpAttributeSet set_one = {1, one}, set_both = {2, both};
	const uint64_t cell_one[] = {3}, cell_both[] = {0, 6};

	MUST(dp_graphical_init(
		&c->model,
		&(DpGraphicalStart){.attributes = 3, .levels = levels, .total = TOTAL, .cells_max = 10000},
		arena));
	add_table(c, prng, 0, 1, 100);
	add_table(c, prng, 1, 2, 400);
	add_table(c, prng, 0, 2, 50);
	if (zeros)
	{
		MUST(dp_graphical_forbid(&c->model, &set_one, cell_one, 1));
		MUST(dp_graphical_forbid(&c->model, &set_both, cell_both, 2));
	}
	MUST(dp_interactions_init(&c->interactions, c->model.measured.table, c->model.measured.n,
							  levels, arena));
	MUST(dp_graphical_consistency(&c->model, c->interactions, TOTAL, NULL));
}

/* margin[level] of one attribute in a table. */
static void
margin_of(const DpNoisyMeasurement *table, uint32_t attribute, double *margin)
{
	uint32_t second = levels[table->set.attribute[1]];

	memset(margin, 0, 4 * sizeof(*margin));
	for (uint32_t i = 0; i < table->cells; i++)
		margin[table->set.attribute[0] == attribute ? i / second : i % second] += table->agreed[i];
}

/* The most by which two tables tell different margins of what they share. What stood in
 * impossible cells is moved once more at the end, so that with zeros a part of a row is left. */
static double
disagreement(const Case *c)
{
	double most = 0;

	for (uint32_t attribute = 0; attribute < 3; attribute++)
	{
		double margin[2][4];
		int n = 0;

		for (uint32_t t = 0; t < 3; t++)
			if (c->model.measured.table[t]->set.attribute[0] == attribute ||
				c->model.measured.table[t]->set.attribute[1] == attribute)
				margin_of(c->model.measured.table[t], attribute, margin[n++]);
		for (uint32_t k = 0; k < levels[attribute]; k++)
			most = fmax(most, fabs(margin[0][k] - margin[1][k]));
	}
	return most;
}

static double
total_of(const DpNoisyMeasurement *table)
{
	double sum = 0;

	for (uint32_t i = 0; i < table->cells; i++)
		sum += table->agreed[i];
	return sum;
}

/* The most, in standard deviations, that stands where nothing can. */
static double
in_impossible(const Case *c)
{
	double most = 0;

	for (uint32_t t = 0; t < 3; t++)
	{
		const DpNoisyMeasurement *table = c->model.measured.table[t];

		for (uint32_t i = 0; i < table->cells; i++)
		{
			bool never = t == 0 ? i % 4 == 3 || i == 0 || i == 6 : t == 1 && i / 2 == 3;

			most = never ? fmax(most, fabs(table->agreed[i]) / sqrt(table->variance)) : most;
		}
	}
	return most;
}

static void
test_agree(bool zeros, const char *what)
{
	double apart = 0, totals = 0, impossible = 0;
	bool memory = true;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){201, 0, 0});
	for (int round = 0; round < 50; round++)
	{
		DpArena arena = dp_arena_malloc();
		uint64_t before;
		Case c;

		start(&c, &prng, zeros, &arena);
		before = arena.bytes_used;
		apart = fmax(apart, disagreement(&c));
		for (uint32_t t = 0; t < 3; t++)
			totals = fmax(totals, fabs(total_of(c.model.measured.table[t]) - TOTAL));
		impossible = fmax(impossible, in_impossible(&c));
		MUST(dp_graphical_consistency(&c.model, c.interactions, TOTAL, NULL));
		memory &= arena.bytes_used == before;
		dp_arena_malloc_free(&arena);
	}
	CHECK(apart < (zeros ? 0.5 : 1e-9), "%s: tables tell the same margins (%.3f rows apart)", what,
		  apart);
	CHECK(totals < 1e-9, "%s: and the same total", what);
	if (zeros)
		CHECK(impossible == 0, "%s: nothing is left where nothing can be", what);
	else
		CHECK(impossible > 1, "%s: there is something everywhere", what);
	CHECK(memory, "%s: no memory is kept", what);
}

int
main(void)
{
	test_agree(false, "no zeros");
	test_agree(true, "zeros");
	return unit_finish();
}
