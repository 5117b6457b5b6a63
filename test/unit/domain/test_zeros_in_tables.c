/*
 * test_zeros_in_tables.c -- structural zeros in dense tables and in rows, beside their definition.
 */
#include "core/domain/domain.h"
#include "core/domain/domain_bytes.h"

#include "unit_model.h"
#include "unit_zeros.h"

/* Attributes in random orders. Returns whether all agree. */
static bool
fit_to_table(const DpDomain *domain, DpPrng *prng)
{
	double cells[144];
	uint32_t attribute[5] = {0, 1, 2, 3, 4};
	uint64_t stride[5];
	uint32_t n = (uint32_t) dp_prng_below(prng, 5) + 1;
	bool known[5] = {false};
	uint64_t size = 1;
	DpArena arena = dp_arena_malloc();
	DpZeroTest test;
	bool agree = true;
	bool any = false;

	for (uint32_t k = 5; k-- > 1;)
	{
		uint32_t i = (uint32_t) dp_prng_below(prng, k + 1);
		uint32_t kept = attribute[k];

		attribute[k] = attribute[i];
		attribute[i] = kept;
	}
	for (uint32_t k = n; k-- > 0;)
	{
		stride[k] = size;
		size *= domain->attribute[attribute[k]].levels;
		known[attribute[k]] = true;
	}
	for (uint64_t i = 0; i < size; i++)
		cells[i] = 1;
	dp_zeros_fill(domain, attribute, n, 0, cells);
	MUST(dp_zero_test_build(&test, domain, attribute, n, &arena));
	for (uint64_t i = 0; i < size; i++)
	{
		uint32_t codes[5] = {0};
		uint32_t row[5];
		bool wanted;

		for (uint32_t k = 0; k < n; k++)
			codes[attribute[k]] = row[k] =
				(uint32_t) (i / stride[k] % domain->attribute[attribute[k]].levels);
		wanted = forbids(domain, known, codes);
		any |= wanted;
		agree &= wanted == (cells[i] == 0) && wanted == dp_zero_test_forbids(&test, row);
	}
	agree &= !any || dp_zeros_within(domain, attribute, n);
	agree &= dp_zeros_within(domain, attribute, n) == (test.n > 0);
	dp_arena_malloc_free(&arena);
	return agree;
}

static bool
fit_to_rows(const DpDomain *domain, DpPrng *prng)
{
	DpArena arena = dp_arena_malloc();
	bool known[5], all[5] = {true, true, true, true, true};
	DpZeroTest test;
	bool agree = true;

	MUST(dp_zero_test_build(&test, domain, NULL, 0, &arena));
	for (int i = 0; i < 50; i++)
	{
		uint32_t codes[5];

		for (uint32_t a = 0; a < 5; a++)
		{
			codes[a] = (uint32_t) dp_prng_below(prng, domain->attribute[a].levels);
			known[a] = dp_prng_below(prng, 2) == 0;
		}
		agree &= dp_zero_test_forbids(&test, codes) == forbids(domain, all, codes);
		agree &= dp_zero_test_forbids_known(&test, known, codes) == forbids(domain, known, codes);
	}
	dp_arena_malloc_free(&arena);
	return agree;
}

static void
test_brute_force(DpArena *arena)
{
	DpPrng prng;
	bool tables = true, rows = true;

	dp_prng_seed(&prng, (DpStream){46, 1, 1});
	for (int i = 0; i < 300; i++)
	{
		DpDomain domain = random_domain(arena, &prng);

		for (int k = 0; k < 5; k++)
			tables &= fit_to_table(&domain, &prng);
		rows &= fit_to_rows(&domain, &prng);
	}
	CHECK(tables, "masks of 1500 tables are those of the definition");
	CHECK(rows, "so are look-ups of whole rows and of parts of them");
}

/* Too many cells for a bit each: the same by search. */
static void
test_search(DpArena *arena)
{
	static const uint32_t levels[] = {9, 9, 9, 9, 9, 9, 9, 9};
	DpZeroSet set = SET(arena, "01234567", "00000000", "12345678", "88888888");
	DpDomain domain = domain_with(arena, levels, 8, &set, 1);
	uint32_t row[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	DpZeroTest test;

	MUST(dp_zero_test_build(&test, &domain, NULL, 0, arena));
	CHECK(test.lookup[0].bits == NULL && dp_zero_test_forbids(&test, row), "found by search");
	row[7] = 7;
	CHECK(!dp_zero_test_forbids(&test, row), "and not found");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_brute_force(&arena);
	test_search(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
