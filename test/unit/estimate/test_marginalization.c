/*
 * test_marginalization.c -- margins by way of tables between, against each by itself.
 */
#include "core/estimate/marginalization.h"
#include "core/base/prng.h"

#include "unit.h"

#define ATTRIBUTES 9
#define MARGINS 40
#define CELLS_MOST 400000

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
	uint32_t all[ATTRIBUTES + 60], member[MARGINS][ATTRIBUTES], owned[ATTRIBUTES];
	DpAttributeSet whole, own, set[MARGINS];
	const DpAttributeSet *margin[MARGINS];
	uint32_t n;
	uint64_t cells, own_cells;
	double *table, *expected, *own_cell, *own_sum;
	double *cell[MARGINS], *sum[MARGINS];
	uint64_t margin_cells[MARGINS];
} Case;

/* Each attribute of the table with a chance of often / 4. Returns the cells of its margin. */
static uint64_t
pick(const Case *c, DpPrng *prng, uint32_t whole, uint64_t often, uint32_t *member,
	 DpAttributeSet *set)
{
	uint64_t cells = 1;

	*set = (DpAttributeSet){0, member};
	for (uint32_t a = 0; a < whole; a++)
		if (dp_prng_below(prng, 4) < often)
		{
			member[set->n++] = a;
			cells *= c->levels[a];
		}
	return cells;
}

/* Random margins of a table, equal ones and that over all attributes among them. */
static void
make_case(Case *c, DpPrng *prng, uint32_t levels, uint32_t more, DpArena *arena)
{
	uint32_t whole = 1 + (uint32_t) dp_prng_below(prng, ATTRIBUTES);

	c->n = (uint32_t) dp_prng_below(prng, MARGINS + 1);
	c->cells = 1;
	for (uint32_t a = 0; a < whole + more; a++)
	{
		c->all[a] = a;
		c->levels[a] = a < whole ? 1 + (uint32_t) dp_prng_below(prng, levels) : 1;
		if (c->cells * c->levels[a] > CELLS_MOST)
			c->levels[a] = 1;
		c->cells *= c->levels[a];
	}
	c->whole = (DpAttributeSet){whole + more, c->all};
	for (uint32_t i = 0; i < c->n; i++)
	{
		c->margin_cells[i] =
			pick(c, prng, whole, 1 + dp_prng_below(prng, 4), c->member[i], &c->set[i]);
		c->margin[i] = &c->set[i];
		c->cell[i] = dp_alloc(arena, c->margin_cells[i], sizeof(double));
		c->sum[i] = dp_alloc(arena, c->margin_cells[i], sizeof(double));
		fill(prng, c->cell[i], c->margin_cells[i]);
	}
	c->own_cells = pick(c, prng, whole, 2, c->owned, &c->own);
	c->own_cell = dp_alloc(arena, c->own_cells, sizeof(double));
	c->own_sum = dp_alloc(arena, c->own_cells, sizeof(double));
	c->table = dp_alloc(arena, c->cells, sizeof(double));
	c->expected = dp_alloc(arena, c->cells, sizeof(double));
	fill(prng, c->table, c->cells);
	memcpy(c->expected, c->table, c->cells * sizeof(double));
}

static bool
is_near(const double *a, const double *b, uint64_t n)
{
	bool near = true;

	for (uint64_t k = 0; k < n; k++)
		near &= fabs(a[k] - b[k]) <= 1e-12 * fabs(b[k]);
	return near;
}

/* Whether the marginalization fills and spreads as each margin does alone. */
static bool
marginalization_fills(Case *c, const DpMarginalization *marginalization, const DpWalk *walk,
					  const DpWalk *own)
{
	bool right;

	for (uint32_t i = 0; i < c->n; i++)
		for (uint64_t k = 0; k < c->margin_cells[i]; k++)
			c->cell[i][k] = 1 + fmod(c->cell[i][k], 7); /* so that products stay in range */
	dp_marginalization_fill(marginalization, c->table);
	for (uint64_t k = 0; k < c->cells; k++)
		c->expected[k] = 1;
	for (uint32_t i = 0; i < c->n; i++)
		dp_walk_multiply(&walk[i], c->expected, c->cell[i]);
	dp_walk_sum(own, c->expected, c->own_sum);
	right =
		is_near(c->table, c->expected, c->cells) && is_near(c->own_cell, c->own_sum, c->own_cells);
	dp_marginalization_spread(marginalization, c->table);
	dp_walk_multiply(own, c->expected, c->own_sum);
	right &= is_near(c->table, c->expected, c->cells);
	for (uint32_t i = 0; i < c->n; i++)
	{
		dp_walk_sum(&walk[i], c->expected, c->sum[i]);
		right &= is_near(c->cell[i], c->sum[i], c->margin_cells[i]);
	}
	return right;
}

/*
 * Whether the marginalization adds and sums as each margin does alone. Counts marginalizations with
 * tables between, and those of several chunks.
 */
static bool
marginalization_agrees(Case *c, DpArena *arena, uint64_t *between, uint64_t *chunks)
{
	DpWalk walk[MARGINS], own;
	DpMarginalization marginalization;
	uint64_t cells = 0;
	bool right;

	MUST(dp_marginalization_init(
		&marginalization, c->levels,
		&(DpMarginalizationSets){
			.whole = &c->whole, .own = &c->own, .margin = c->margin, .n = c->n},
		arena));
	MUST(dp_walk_init(&own, c->levels, &c->whole, &c->own));
	marginalization.own.cell = c->own_cell;
	for (uint32_t i = 0; i < c->n; i++)
	{
		marginalization.table[i].cell = c->cell[i];
		MUST(dp_walk_init(&walk[i], c->levels, &c->whole, &c->set[i]));
		dp_walk_add(&walk[i], c->expected, c->cell[i]);
	}
	dp_marginalization_add(&marginalization, c->table);
	right = memcmp(c->table, c->expected, c->cells * sizeof(double)) == 0;
	dp_marginalization_sum(&marginalization, c->table);
	for (uint32_t i = 0; i < c->n; i++)
	{
		dp_walk_sum(&walk[i], c->table, c->sum[i]);
		right &= memcmp(c->cell[i], c->sum[i], c->margin_cells[i] * sizeof(double)) == 0;
	}
	right &= marginalization_fills(c, &marginalization, walk, &own);
	for (uint32_t i = marginalization.margins; i < marginalization.tables; i++)
		cells += marginalization.table[i].cells;
	*between += cells > 0;
	*chunks += marginalization.chunks > 1;
	right &= cells <= marginalization.chunk_cells &&
			 marginalization.chunks * marginalization.chunk_cells == c->cells;
	dp_marginalization_free(&marginalization, arena);
	return right;
}

int
main(void)
{
	uint64_t between = 0, chunks = 0, wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){31, 1, 1});
	for (int round = 0; round < 300; round++)
	{
		DpArena own = dp_arena_malloc();
		Case c;

		make_case(&c, &prng, round % 5 == 1 ? 20 : 4, round % 10 == 0 ? 60 : 0, &own);
		wrong += !marginalization_agrees(&c, &own, &between, &chunks);
		dp_arena_malloc_free(&own);
	}
	CHECK_I64((int64_t) wrong, 0,
			  "300 random nests: each margin added, multiplied and summed, memory bounded");
	CHECK(between > 30, "%d of them have tables between", (int) between);
	CHECK(chunks > 5, "%d of them have several slabs", (int) chunks);
	return unit_finish();
}
