/*
 * test_zeros.c -- structural zeros: their one form, masks and look-ups against
 * brute force, and models as bytes. What is drawn with them: sample/test_zeros_drawn.c.
 */
#include "core/domain/domain_bytes.h"
#include "core/domain/domain_check.h"

#include "unit_model.h"
#include "unit_zeros.h"

static const uint32_t small_levels[] = {2, 3, 4};

/* ---- one form ---- */

static void
test_canonical(DpArena *arena)
{
	DpZeroSet sets[] = {SET(arena, "20", "31", "10", "31", "01"), SET(arena, "1", "2", "0")};
	DpDomain domain = domain_with(arena, small_levels, 3, sets, 2);
	const DpZeros *zeros = &domain.zeros;
	static const uint32_t codes[] = {0, 1, 1, 0, 1, 3};

	CHECK_STATUS(dp_zeros_check(&domain, NULL), DP_ERR_ARGUMENT, "any order is not the one form");
	CHECK_OK(dp_zeros_canonical(&domain.zeros, arena, NULL), "it is brought to it");
	CHECK_OK(dp_zeros_check(&domain, NULL), "and holds");
	CHECK(zeros->set[0].n == 1 && zeros->set[0].code[0] == 0 && zeros->set[0].code[1] == 2,
		  "fewer attributes come first");
	CHECK(zeros->set[1].attribute[0] == 0 && zeros->set[1].attribute[1] == 2, "attributes ascend");
	CHECK(zeros->set[1].tuples == 3 && memcmp(zeros->set[1].code, codes, sizeof(codes)) == 0,
		  "with their codes, each combination once");
}

static DpStatus
canonical_status(DpArena *arena, DpZeroSet a, DpZeroSet b)
{
	DpZeroSet sets[] = {a, b};
	DpZeros zeros = {2, sets};

	return dp_zeros_canonical(&zeros, arena, NULL);
}

static DpStatus
check_status(DpArena *arena, DpZeroSet set)
{
	DpDomain domain = domain_with(arena, small_levels, 3, &set, 1);

	return dp_zeros_check(&domain, NULL);
}

static void
test_refused(DpArena *arena)
{
	DpZeroSet set = SET(arena, "01", "00", "01");
	DpZeroSet wide = {.n = DP_ZEROS_WIDTH_MAX + 1, .tuples = 1};
	DpDomain domain;

	CHECK_STATUS(canonical_status(arena, SET(arena, "11", "00"), set), DP_ERR_ARGUMENT,
				 "a column twice in a set");
	CHECK_STATUS(canonical_status(arena, SET(arena, "10", "00"), set), DP_ERR_ARGUMENT,
				 "two sets of the same columns");
	CHECK_STATUS(canonical_status(arena, wide, set), DP_ERR_ARGUMENT, "too many columns");
	CHECK_OK(check_status(arena, set), "a set that holds");
	CHECK_STATUS(check_status(arena, SET(arena, "03", "00")), DP_ERR_ARGUMENT, "no such column");
	CHECK_STATUS(check_status(arena, SET(arena, "01", "03")), DP_ERR_ARGUMENT, "no such level");
	CHECK_STATUS(check_status(arena, SET(arena, "10", "00")), DP_ERR_ARGUMENT, "columns descend");
	CHECK_STATUS(check_status(arena, SET(arena, "01", "01", "00")), DP_ERR_ARGUMENT,
				 "combinations descend");
	CHECK_STATUS(check_status(arena, SET(arena, "01", "01", "01")), DP_ERR_ARGUMENT,
				 "a combination twice");
	CHECK_STATUS(check_status(arena, SET(arena, "1", "0", "1", "2")), DP_ERR_ARGUMENT,
				 "nothing is left of a column");
	set.tuples = 0;
	CHECK_STATUS(check_status(arena, set), DP_ERR_ARGUMENT, "an empty set");
	set.tuples = DP_ZEROS_TUPLES_MAX + 1;
	CHECK_STATUS(check_status(arena, set), DP_ERR_ARGUMENT, "too many combinations");
	set.tuples = 2;
	set.n = 0;
	CHECK_STATUS(check_status(arena, set), DP_ERR_ARGUMENT, "no columns");
	set.n = 2;
	domain = domain_with(arena, small_levels, 3, &set, 1);
	unit_open(&domain.attribute[1]);
	CHECK_STATUS(dp_zeros_check(&domain, NULL), DP_ERR_ARGUMENT, "an open column");
	domain.zeros.sets = DP_ZEROS_SETS_MAX + 1;
	CHECK_STATUS(dp_domain_check(&domain, NULL), DP_ERR_ARGUMENT, "too many sets");
}

/* Against all rows there are: one is found where there is one, what is fixed stays, and a row that is
 * allowed is left alone. */
static void
test_avoid(DpArena *arena)
{
	DpZeroSet sets[] = {SET(arena, "01", "00", "01", "10", "11"),
						SET(arena, "12", "20", "21", "22", "23"), SET(arena, "02", "13")};
	DpDomain domain = domain_with(arena, small_levels, 3, sets, 3);
	DpZeroTest test;

	domain.zeros.set[1].tuples = 3;
	MUST(dp_zero_test_build(&test, &domain, NULL, 0, arena));
	for (uint32_t row = 0; row < 24; row++)
		for (uint32_t mask = 0; mask < 8; mask++)
		{
			const uint32_t from[] = {row / 12, row / 4 % 3, row % 4};
			const bool fixed[] = {mask & 1, mask & 2, mask & 4};
			uint32_t codes[] = {from[0], from[1], from[2]};
			bool found = dp_zeros_avoid(&domain, fixed, codes) == DP_OK, is_there = false;

			for (uint32_t other = 0; other < 24; other++)
			{
				const uint32_t to[] = {other / 12, other / 4 % 3, other % 4};
				bool fits = !dp_zero_test_forbids(&test, to);

				for (int a = 0; a < 3; a++)
					fits = fits && (!fixed[a] || to[a] == from[a]);
				is_there = is_there || fits;
			}
			CHECK(found == is_there, "a row is found where there is one");
			for (int a = 0; a < 3 && found; a++)
				CHECK(!fixed[a] || codes[a] == from[a], "what is fixed stays");
			CHECK(!found || !dp_zero_test_forbids(&test, codes), "no zero forbids it");
			CHECK(dp_zero_test_forbids(&test, from) || memcmp(codes, from, sizeof(codes)) == 0,
				  "an allowed row stays");
		}
}

static void
test_possible(DpArena *arena)
{
	/* 0 needs 1 = 2, which 2 forbids at every level */
	DpZeroSet sets[] = {SET(arena, "01", "00", "01", "10", "11"),
						SET(arena, "12", "20", "21", "22", "23")};
	DpDomain domain = domain_with(arena, small_levels, 3, sets, 2);

	CHECK_STATUS(dp_zeros_possible(&domain, NULL), DP_ERR_ARGUMENT, "sets that leave no row");
	domain.zeros.set[1].tuples = 3;
	CHECK_OK(dp_zeros_possible(&domain, NULL), "one row is left");
	domain.zeros.sets = 0;
	CHECK_OK(dp_zeros_possible(&domain, NULL), "no zeros");
}

static void
test_restrict(DpArena *arena)
{
	DpZeroSet sets[] = {SET(arena, "2", "1"), SET(arena, "02", "03"), SET(arena, "12", "00")};
	DpDomain domain = domain_with(arena, small_levels, 3, sets, 3);
	static const uint32_t index[] = {UINT32_MAX, 0, 1};
	DpZeros copy;

	MUST(dp_zeros_copy(&domain.zeros, &copy, arena));
	dp_zeros_restrict(&copy, index);
	CHECK(copy.sets == 2 && copy.set[0].attribute[0] == 1 && copy.set[1].attribute[0] == 0 &&
			  copy.set[1].attribute[1] == 1,
		  "sets of other columns are dropped, the rest renumbered");
	CHECK(domain.zeros.sets == 3 && domain.zeros.set[0].attribute[0] == 2, "a copy is deep");
}

/* ---- masks and look-ups ---- */

/* Attributes and strides in random orders, strides with a gap. Returns whether all agree. */
static bool
fit_to_table(const DpDomain *domain, DpPrng *prng)
{
	double cells[2 * 144];
	uint32_t attribute[5] = {0, 1, 2, 3, 4};
	uint64_t stride[5];
	uint32_t n = (uint32_t) dp_prng_below(prng, 5) + 1;
	bool own = dp_prng_below(prng, 2) == 0;
	bool known[5] = {false};
	uint64_t size = own ? 2 : 1;
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
	/* own strides: the first attribute fastest; else the last */
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t k = own ? i : n - 1 - i;

		stride[k] = size;
		size *= domain->attribute[attribute[k]].levels;
		known[attribute[k]] = true;
	}
	for (uint64_t i = 0; i < size; i++)
		cells[i] = 1;
	dp_zeros_fill(domain, attribute, n, own ? stride : NULL, 0, cells);
	MUST(dp_zero_test_build(&test, domain, attribute, n, &arena));
	for (uint64_t i = 0; i < size; i += own ? 2 : 1)
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
		agree &= !own || cells[i + 1] == 1;
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

/* ---- models ---- */

static void
test_bytes(DpArena *arena)
{
	for (int structured = 0; structured < 2; structured++)
	{
		DpModel model = unit_model_zeros(arena);
		unsigned char *bytes, *again;
		size_t length, again_length;
		DpModel parsed;
		unsigned taken = 0;

		if (!structured)
			model.structure_n = model.replicates = 0, model.replicate = NULL;
		MUST(dp_model_serialise(&model, &bytes, &length, arena, NULL));
		CHECK_I64(bytes[0], 4, "a model with zeros is of format 4");
		CHECK_OK(dp_model_parse(bytes, length, &parsed, arena, NULL), "it is read");
		MUST(dp_model_serialise(&parsed, &again, &again_length, arena, NULL));
		CHECK(again_length == length && memcmp(again, bytes, length) == 0, "and written the same");
		CHECK(parsed.domain.zeros.sets == 2 && parsed.domain.zeros.set[1].code[2] == 2,
			  "with its zeros");
		for (size_t cut = 1; cut < length; cut++)
			taken += dp_model_parse(bytes, length - cut, &parsed, arena, NULL) == DP_OK;
		CHECK_I64(taken, 0, "cut off it is refused");
		model.domain.zeros.sets = 0;
		MUST(dp_model_serialise(&model, &bytes, &length, arena, NULL));
		CHECK_I64(bytes[0], 4, "a prior alone makes it that, too");
		MUST(dp_model_parse(bytes, length, &parsed, arena, NULL));
		CHECK(parsed.domain.priors == 1 && parsed.domain.prior[0].count[8] == INT64_C(1) << 40,
			  "and is read");
		model.domain.priors = 0;
		MUST(dp_model_serialise(&model, &bytes, &length, arena, NULL));
		CHECK_I64(bytes[0], 1 + structured, "without them it is what it was");
	}
}

/* A prior over an attribute of a domain that has none. */
static void
test_no_attributes(DpArena *arena)
{
	unsigned char bytes[40] = {0x04, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
							   0x03, 0x00, 0x00, 0x04, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
							   0x45, 0xf4, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0xfa};
	uint64_t digest = dp_bytes_digest(bytes, 32);
	DpModel model;

	for (int i = 0; i < 8; i++)
		bytes[32 + i] = (unsigned char) (digest >> (8 * i));
	CHECK_STATUS(dp_model_parse(bytes, sizeof(bytes), &model, arena, NULL), DP_ERR_CORRUPT,
				 "zeros and priors over no attribute there is");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_canonical(&arena);
	test_refused(&arena);
	test_avoid(&arena);
	test_possible(&arena);
	test_restrict(&arena);
	test_brute_force(&arena);
	test_search(&arena);
	test_bytes(&arena);
	test_no_attributes(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
