/*
 * unit_zeros.h -- small domains with structural zeros, by hand and at random.
 */
#ifndef UNIT_ZEROS_H
#define UNIT_ZEROS_H

#include "core/domain/zeros.h"

#include "unit_data.h"

/* One set from texts of digits: attributes, then combinations. */
static inline DpZeroSet
set_of(DpArena *arena, const char *attributes, const char *const *tuples, uint64_t n)
{
	DpZeroSet set = {.n = (uint32_t) strlen(attributes), .tuples = n};

	set.attribute = dp_alloc(arena, set.n, sizeof(*set.attribute));
	set.code = dp_alloc(arena, n * set.n, sizeof(*set.code));
	for (uint32_t k = 0; k < set.n; k++)
	{
		set.attribute[k] = (uint32_t) (attributes[k] - '0');
		for (uint64_t i = 0; i < n; i++)
			set.code[i * set.n + k] = (uint32_t) (tuples[i][k] - '0');
	}
	return set;
}

#define SET(arena, attributes, ...)                                                                \
	set_of(arena, attributes, (const char *const[]){__VA_ARGS__},                                  \
		   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static inline DpDomain
domain_with(DpArena *arena, const uint32_t *levels, uint32_t n, const DpZeroSet *sets,
			uint32_t sets_n)
{
	DpDomain domain = unit_domain(arena, levels, n);

	domain.zeros.sets = sets_n;
	domain.zeros.set = dp_memdup(arena, sets, sets_n * sizeof(*sets));
	return domain;
}

/* Up to 6 sets over 5 attributes, in one form. */
static inline DpDomain
random_domain(DpArena *arena, DpPrng *prng)
{
	static const uint32_t levels[] = {3, 2, 4, 3, 2};
	DpZeroSet sets[6];
	uint32_t n = 0;

	for (uint32_t mask = 1; mask < 32 && n < 6; mask++)
	{
		DpZeroSet *set = &sets[n];
		uint64_t cells = 1;

		if (dp_prng_below(prng, 4) > 0)
			continue;
		*set = (DpZeroSet){.attribute = dp_alloc(arena, 5, sizeof(uint32_t))};
		for (uint32_t a = 0; a < 5; a++)
		{
			if (mask >> a & 1)
			{
				set->attribute[set->n++] = a;
				cells *= levels[a];
			}
		}
		set->code = dp_alloc(arena, cells * set->n, sizeof(uint32_t));
		for (uint64_t i = 0; i < 1 + cells / 6; i++, set->tuples++)
			for (uint32_t k = 0; k < set->n; k++)
				set->code[i * set->n + k] =
					(uint32_t) dp_prng_below(prng, levels[set->attribute[k]]);
		n++;
	}
	{
		DpDomain domain = domain_with(arena, levels, 5, sets, n);

		MUST(dp_zeros_canonical(&domain.zeros, arena, NULL));
		return domain;
	}
}

/* By the definition. */
static inline bool
forbids(const DpDomain *domain, const bool *known, const uint32_t *codes)
{
	for (uint32_t s = 0; s < domain->zeros.sets; s++)
	{
		const DpZeroSet *set = &domain->zeros.set[s];

		for (uint64_t i = 0; i < set->tuples; i++)
		{
			bool all = true;

			for (uint32_t k = 0; k < set->n; k++)
				all &= known[set->attribute[k]] &&
					   codes[set->attribute[k]] == set->code[i * set->n + k];
			if (all)
				return true;
		}
	}
	return false;
}

#endif
