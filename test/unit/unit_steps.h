/*
 * unit_steps.h -- a measurement of four attributes for choices of steps, and the scores of
 * candidates by their definition.
 */
#ifndef UNIT_STEPS_H
#define UNIT_STEPS_H

#include "core/select/aic.h"

#include "unit_data.h"

#define ROWS 240
#define ATTRIBUTES 4
#define SURE (INT64_C(100000) * DP_EPSILON_ONE)

static const uint32_t levels[ATTRIBUTES] = {3, 2, 4, 2};

typedef struct Case
{
	DpArena arena;
	DpDomain domain;
	UnitTable table;
	DpCounter counter;
	DpRequest request;
	DpPlan plan;
	DpMeter meter;
	DpPrng prng;
	DpRng rng;
	DpMeasurement m;
} Case;

/* For AIC: attribute 3 is most certain, and what is most certain next differs by its value. */
static inline void
fill_uneven(Case *c)
{
	for (uint32_t i = 0; i < ROWS; i++)
	{
		bool rare = dp_prng_below(&c->prng, 8) == 0;

		c->table.code[3][i] = rare;
		c->table.code[1][i] = rare ? 0 : (uint32_t) dp_prng_below(&c->prng, 2);
		c->table.code[0][i] = rare ? (uint32_t) dp_prng_below(&c->prng, 3) : 0;
		c->table.code[2][i] = (uint32_t) dp_prng_below(&c->prng, 4);
	}
}

/* For dependence: what depends on what differs by the value of attribute 0. */
static inline void
fill_dependent(Case *c)
{
	for (uint32_t i = 0; i < ROWS; i++)
	{
		uint64_t first = dp_prng_below(&c->prng, 10) < 5 ? 0 : 1 + dp_prng_below(&c->prng, 2);
		uint64_t second = dp_prng_below(&c->prng, 2), third = dp_prng_below(&c->prng, 4);

		c->table.code[0][i] = (uint32_t) first;
		c->table.code[1][i] = (uint32_t) second;
		c->table.code[2][i] = (uint32_t) (first == 0 && third < 3 ? second : third);
		c->table.code[3][i] = (uint32_t) (first == 1 ? second : dp_prng_below(&c->prng, 9) / 8);
	}
}

static inline void
start(Case *c, DpUnit unit, bool dependence)
{
	*c = (Case){.arena = dp_arena_malloc()};
	c->domain = unit_domain(&c->arena, levels, ATTRIBUTES);
	c->table = unit_table(&c->arena, &c->domain, ROWS);
	c->counter = unit_counter(&c->table);
	c->request = (DpRequest){.domain = &c->domain, .unit = unit};
	c->plan = (DpPlan){.request = &c->request};
	unit_fixed_rng(&c->rng, &c->prng, 171);
	if (dependence)
		fill_dependent(c);
	else
		fill_uneven(c);
	c->m = (DpMeasurement){.plan = &c->plan,
						   .domain = &c->domain,
						   .counter = &c->counter,
						   .noise = {.meter = &c->meter, .rng = &c->rng},
						   .arena = &c->arena};
}

static inline bool
is_here(const Case *c, uint32_t row, const uint32_t *path, const uint32_t *codes, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (c->table.code[path[k]][row] != codes[path[k]])
			return false;
	return true;
}

/* floor(1024 sum |n t - r c| / (2 n)) of two attributes, of the rows of a node. */
static inline int64_t
pair_score(const Case *c, uint32_t a, uint32_t b, const uint32_t *path, const uint32_t *codes,
		   uint32_t depth)
{
	int64_t both[4][4] = {{0}}, row[4] = {0}, column[4] = {0}, n = 0, sum = 0;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		if (!is_here(c, i, path, codes, depth))
			continue;
		both[c->table.code[a][i]][c->table.code[b][i]]++;
		row[c->table.code[a][i]]++;
		column[c->table.code[b][i]]++;
		n++;
	}
	for (int r = 0; r < 4; r++)
		for (int k = 0; k < 4; k++)
			sum += llabs(n * both[r][k] - row[r] * column[k]);
	return n == 0 ? 0 : 1024 * sum / (2 * n);
}

static inline int64_t
aic_score(const Case *c, uint32_t a, const uint32_t *path, const uint32_t *codes, uint32_t depth)
{
	int64_t count[4] = {0};

	for (uint32_t i = 0; i < ROWS; i++)
		count[c->table.code[a][i]] += is_here(c, i, path, codes, depth);
	return dp_score_aic(count, levels[a]);
}

/* The score of a candidate among those that are left (as bits) in a node. */
static inline int64_t
plain_score(const Case *c, bool dependence, uint32_t a, uint32_t left, const uint32_t *path,
			const uint32_t *codes, uint32_t depth)
{
	int64_t score = 0;

	if (!dependence)
		return aic_score(c, a, path, codes, depth);
	for (uint32_t b = 0; b < ATTRIBUTES; b++)
		if (b != a && (left >> b & 1))
			score += pair_score(c, a, b, path, codes, depth);
	return score;
}

#endif
