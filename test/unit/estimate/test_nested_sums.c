/*
 * test_nested_sums.c -- margins by way of tables between, against each by itself.
 */
#include "core/estimate/nested_sums.h"
#include "core/base/prng.h"

#include "unit.h"

#define ATTRIBUTES 9
#define MARGINS 40

/* Small whole numbers: their sums are exact in any order. */
static void
fill(DpPrng *prng, double *cell, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		cell[i] = (double) dp_prng_below(prng, 1000);
}

typedef struct Case
{
	uint32_t levels[ATTRIBUTES + 60];
	uint32_t all[ATTRIBUTES + 60], member[MARGINS][ATTRIBUTES];
	DpAttributeSet whole, set[MARGINS];
	const DpAttributeSet *margin[MARGINS];
	uint32_t n;
	uint64_t cells;
	double *table, *expected;
	double *cell[MARGINS], *sum[MARGINS];
	uint64_t margin_cells[MARGINS];
} Case;

/* Random margins of a table, equal ones and that over all attributes among them. */
static void
make_case(Case *c, DpPrng *prng, uint32_t more, DpArena *arena)
{
	uint32_t whole = 1 + (uint32_t) dp_prng_below(prng, ATTRIBUTES);

	c->n = (uint32_t) dp_prng_below(prng, MARGINS + 1);
	c->cells = 1;
	for (uint32_t a = 0; a < whole + more; a++)
	{
		c->all[a] = a;
		c->levels[a] = a < whole ? 1 + (uint32_t) dp_prng_below(prng, 4) : 1;
		c->cells *= c->levels[a];
	}
	c->whole = (DpAttributeSet){whole + more, c->all};
	for (uint32_t i = 0; i < c->n; i++)
	{
		uint64_t often = 1 + dp_prng_below(prng, 4);

		c->set[i] = (DpAttributeSet){0, c->member[i]};
		c->margin_cells[i] = 1;
		for (uint32_t a = 0; a < whole; a++)
			if (dp_prng_below(prng, 4) < often)
			{
				c->member[i][c->set[i].n++] = a;
				c->margin_cells[i] *= c->levels[a];
			}
		c->margin[i] = &c->set[i];
		c->cell[i] = dp_alloc(arena, c->margin_cells[i], sizeof(double));
		c->sum[i] = dp_alloc(arena, c->margin_cells[i], sizeof(double));
		fill(prng, c->cell[i], c->margin_cells[i]);
	}
	c->table = dp_alloc(arena, c->cells, sizeof(double));
	c->expected = dp_alloc(arena, c->cells, sizeof(double));
	fill(prng, c->table, c->cells);
	memcpy(c->expected, c->table, c->cells * sizeof(double));
}

/* Whether the nest multiplies as each margin does alone. */
static bool
nest_multiplies(Case *c, const DpNest *nest, const DpWalk *walk)
{
	bool right = true;

	dp_nest_multiply(nest, c->table, c->cells);
	for (uint64_t k = 0; k < c->cells; k++)
		c->expected[k] = 1;
	for (uint32_t i = 0; i < c->n; i++)
		dp_walk_multiply(&walk[i], c->expected, c->cell[i]);
	for (uint64_t k = 0; k < c->cells; k++)
		right &= fabs(c->table[k] - c->expected[k]) <= 1e-12 * fabs(c->expected[k]);
	return right;
}

/*
 * Whether the nest adds and sums as each margin does alone. *between counts the tables in between.
 */
static bool
nest_agrees(Case *c, DpArena *arena, uint64_t *between)
{
	DpWalk walk[MARGINS];
	DpNest nest;
	uint64_t cells = 0;
	bool right;

	MUST(dp_nest_init(&nest, c->levels, &c->whole, c->margin, c->n, arena));
	for (uint32_t i = 0; i < c->n; i++)
	{
		nest.table[i].cell = c->cell[i];
		MUST(dp_walk_init(&walk[i], c->levels, &c->whole, &c->set[i]));
		dp_walk_add(&walk[i], c->expected, c->cell[i]);
	}
	dp_nest_add(&nest, c->table);
	right = memcmp(c->table, c->expected, c->cells * sizeof(double)) == 0;
	dp_nest_sum(&nest, c->table);
	for (uint32_t i = 0; i < c->n; i++)
	{
		dp_walk_sum(&walk[i], c->table, c->sum[i]);
		right &= memcmp(c->cell[i], c->sum[i], c->margin_cells[i] * sizeof(double)) == 0;
	}
	right &= nest_multiplies(c, &nest, walk);
	for (uint32_t i = nest.margins; i < nest.tables; i++)
		cells += nest.table[i].cells;
	*between += cells > 0;
	dp_nest_free(&nest, arena);
	return right && cells <= c->cells;
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	uint64_t between = 0, wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){31, 1, 1});
	for (int round = 0; round < 300; round++)
	{
		Case c;

		make_case(&c, &prng, round % 10 == 0 ? 60 : 0, &arena);
		wrong += !nest_agrees(&c, &arena, &between);
	}
	CHECK_I64((int64_t) wrong, 0,
			  "300 random nests: each margin added, multiplied and summed, memory bounded");
	CHECK(between > 30, "%d of them have tables between", (int) between);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
