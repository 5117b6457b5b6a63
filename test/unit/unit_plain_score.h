/*
 * unit_plain_score.h -- small tables at random, and their scores of dependence counted cell by
 * cell.
 */
#ifndef UNIT_PLAIN_SCORE_H
#define UNIT_PLAIN_SCORE_H

#include "unit_data.h"

#define ATTRIBUTES 5
#define ROWS 60

static const uint32_t levels[ATTRIBUTES] = {3, 2, 4, 1, 5};

static inline UnitTable
random_table(DpArena *arena, const DpDomain *domain, uint64_t seed)
{
	UnitTable table = unit_table(arena, domain, ROWS);
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){seed, 0, 0});
	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t a = 0; a < domain->attributes; a++)
			table.code[a][i] = (uint32_t) dp_prng_below(
				&prng, 1 + dp_prng_below(&prng, domain->attribute[a].levels));
	return table;
}

/* The combination of codes that a row has of the members but one. */
static inline uint64_t
rest_of(const UnitTable *table, const uint32_t *member, uint32_t n, uint32_t without, uint32_t row)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < n; k++)
		if (k != without)
			cell = cell * table->domain->attribute[member[k]].levels + table->code[member[k]][row];
	return cell;
}

/* floor(1024 sum over all cells of |n t - r c| / (2 n)), t, r and c counted cell by cell. */
static inline int64_t
plain_score(const UnitTable *table, const uint32_t *member, uint32_t n, uint32_t position)
{
	uint64_t rests = 1;
	int64_t sum = 0;

	for (uint32_t k = 0; k < n; k++)
		rests *= k == position ? 1 : table->domain->attribute[member[k]].levels;
	for (uint64_t r = 0; r < rests; r++)
		for (uint32_t c = 0; c < table->domain->attribute[member[position]].levels; c++)
		{
			int64_t both = 0, row = 0, column = 0;

			for (uint32_t i = 0; i < table->rows; i++)
			{
				bool is_rest = rest_of(table, member, n, position, i) == r;
				bool is_own = table->code[member[position]][i] == c;

				both += is_rest && is_own;
				row += is_rest;
				column += is_own;
			}
			sum += llabs((int64_t) table->rows * both - row * column);
		}
	return 1024 * sum / (2 * (int64_t) table->rows);
}

static inline DpMeasurement
measurement(const DpDomain *domain, const DpCounter *counter, DpArena *arena)
{
	return (DpMeasurement){.domain = domain, .counter = counter, .arena = arena};
}

#endif
