/*
 * test_zeros.c -- structural zeros: their one form, masks and look-ups against
 * brute force, models as bytes, and what every method draws.
 */
#include "core/domain/domain_bytes.h"
#include "core/domain/domain_check.h"
#include "core/sample/draw.h"

#include "unit_data.h"
#include "unit_model.h"

#define ROWS 4000

/* One set from texts of digits: attributes, then combinations. */
static DpZeroSet
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

static DpDomain
domain_with(DpArena *arena, const uint32_t *levels, uint32_t n, const DpZeroSet *sets,
			uint32_t sets_n)
{
	DpDomain domain = unit_domain(arena, levels, n);

	domain.zeros.sets = sets_n;
	domain.zeros.set = dp_memdup(arena, sets, sets_n * sizeof(*sets));
	return domain;
}

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

/* Up to 6 sets over 5 attributes, in one form. */
static DpDomain
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
static bool
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

/* ---- drawing ---- */

static DpBudget
epsilon(int64_t nano)
{
	return (DpBudget){.epsilon_nano = nano, .delta_atto = INT64_C(1000000000000000)};
}

/* Rows at random over the domain, forbidden ones too. */
static UnitTable
uniform_rows(DpArena *arena, const DpDomain *domain, DpPrng *prng)
{
	UnitTable table = unit_table(arena, domain, ROWS);

	for (uint32_t a = 0; a < domain->attributes; a++)
		for (uint32_t i = 0; i < ROWS; i++)
			table.code[a][i] = (uint32_t) dp_prng_below(prng, domain->attribute[a].levels);
	return table;
}

static DpStatus
draw_rows(const DpModel *model, DpArena *arena, uint32_t rows, uint32_t *codes)
{
	DpDrawer drawer;

	DP_TRY(dp_drawer_prepare(unit_sampler(model), model, &drawer, NULL, arena, NULL));
	for (uint32_t first = 0; first < rows; first += DP_BLOCK_ROWS)
		DP_TRY(
			dp_draw_rows(&drawer,
						 &(DpRowBlock){{1, 1, first / DP_BLOCK_ROWS},
									   rows - first < DP_BLOCK_ROWS ? rows - first : DP_BLOCK_ROWS},
						 codes + (size_t) first * drawer.domain->attributes, NULL, NULL));
	return DP_OK;
}

/* Methods that need the number of rows have their own tests (test_row_release.c). A query
 * makes none. */
static bool
makes_any_rows(const DpMethod *method)
{
	return strncmp(method->name, "pegs", 4) != 0 && strcmp(method->name, "pmi") != 0 &&
		   strcmp(method->name, "query") != 0;
}

/* Every method, much noise and little: no row that is forbidden, and some that are not. */
static void
test_methods(void)
{
	static const bool all[] = {true, true, true, true, true};
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpPrng prng, noise;
	DpRng rng;

	dp_prng_seed(&prng, (DpStream){46, 2, 1});
	unit_fixed_rng(&rng, &noise, 46);
	for (uint32_t m = 0; m < dp_methods_n; m++)
	{
		unsigned failed = 0, forbidden = 0;

		for (int run = 0; run < 20 && makes_any_rows(dp_methods[m]); run++)
		{
			DpArena arena = dp_arena_malloc();
			DpDomain domain = random_domain(&arena, &prng);
			UnitTable table = uniform_rows(&arena, &domain, &prng);
			UnitOptions none = {.lists = 0};
			UnitRelease release = {.sampler = NULL};
			uint32_t codes[5 * 200];
			DpStatus status;

			if (dp_zeros_check(&domain, NULL) != DP_OK || dp_zeros_possible(&domain, NULL) != DP_OK)
			{
				dp_arena_malloc_free(&arena);
				continue;
			}
			status = unit_release(&release, dp_methods[m]->name, &table, unit,
								  epsilon(run % 2 ? INT64_C(100000000) : INT64_C(100000000000)),
								  &none.options, &rng, &arena);
			if (status == DP_OK)
				status = draw_rows(&release.model, &arena, 200, codes);
			failed += status != DP_OK;
			for (int i = 0; status == DP_OK && i < 200; i++)
				forbidden += forbids(&domain, all, codes + 5 * i);
			dp_arena_malloc_free(&arena);
		}
		CHECK_I64(failed, 0, "%s makes rows", dp_methods[m]->name);
		CHECK_I64(forbidden, 0, "%s: none of them holds what is forbidden", dp_methods[m]->name);
	}
}

/* What is drawn before anything is refused. */
static unsigned
forbidden_of(const DpModel *model, const DpDomain *domain, DpArena *arena)
{
	static const bool all[] = {true, true, true, true, true};
	unsigned forbidden = 0;
	DpDrawer drawer;
	DpPrng prng;

	MUST(dp_drawer_prepare(unit_sampler(model), model, &drawer, NULL, arena, NULL));
	dp_prng_seed(&prng, (DpStream){46, 4, 1});
	for (int i = 0; i < 1000; i++)
	{
		uint32_t codes[5];

		drawer.sampler->draw(drawer.state, &prng, codes);
		forbidden += forbids(domain, all, codes);
	}
	return forbidden;
}

/* Estimates that know all zeros give them nothing at all, though rows hold them. */
static void
test_estimates(void)
{
	static const struct
	{
		const char *method, *option, *word;
	} cases[] = {
		{"cipher", "solver", "entropic"},
		{"cipher", "solver", "centred"},
		{"cipher", "solver", "ridge"},
		{"cipher", "solver", "graphical"},
		{"mwem", NULL, NULL},
		{"mst", "group_rare", "false"},
		{"aim", "group_rare", "false"},
	};
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpPrng prng, noise;
	DpRng rng;

	dp_prng_seed(&prng, (DpStream){46, 5, 1});
	unit_fixed_rng(&rng, &noise, 50);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
	{
		unsigned forbidden = 0;

		for (int run = 0; run < 6; run++)
		{
			DpArena arena = dp_arena_malloc();
			DpDomain domain = random_domain(&arena, &prng);
			UnitTable table = uniform_rows(&arena, &domain, &prng);
			UnitOptions options = {.lists = 0};
			UnitRelease release = {.sampler = NULL};

			if (cases[c].option != NULL && strcmp(cases[c].word, "false") == 0)
				unit_add_option(&options, cases[c].option, DP_VALUE_BOOLEAN)->flag = false;
			else if (cases[c].option != NULL)
				unit_word(&options, cases[c].option, cases[c].word);
			if (dp_zeros_check(&domain, NULL) == DP_OK && dp_zeros_possible(&domain, NULL) == DP_OK)
			{
				MUST(unit_release(&release, cases[c].method, &table, unit,
								  epsilon(run % 2 ? INT64_C(100000000) : INT64_C(100000000000)),
								  &options.options, &rng, &arena));
				forbidden += forbidden_of(&release.model, &domain, &arena);
			}
			dp_arena_malloc_free(&arena);
		}
		CHECK_I64(forbidden, 0, "%s %s: the estimate has no mass there", cases[c].method,
				  cases[c].word != NULL ? cases[c].word : "");
	}
}

#define SAMPLE 5000
#define JOINT 144

/* Rows that obey the zeros. */
static void
obey(UnitTable *table, const DpDomain *domain, DpPrng *prng)
{
	static const bool all[] = {true, true, true, true, true};

	for (uint32_t i = 0; i < ROWS; i++)
	{
		uint32_t row[5];

		do
			for (uint32_t a = 0; a < 5; a++)
				table->code[a][i] = row[a] =
					(uint32_t) dp_prng_below(prng, domain->attribute[a].levels);
		while (forbids(domain, all, row));
	}
}

/* Distance of two samples over all cells, the forbidden ones of the second left out. */
static double
distance(const DpDomain *domain, const uint32_t *with, const uint32_t *without)
{
	static const bool all[] = {true, true, true, true, true};
	double cells[2][JOINT] = {{0}};
	double n[2] = {0}, sum = 0;

	for (int k = 0; k < 2; k++)
		for (int i = 0; i < SAMPLE; i++)
		{
			const uint32_t *row = (k == 0 ? with : without) + 5 * i;
			uint32_t cell = 0;

			if (forbids(domain, all, row))
				continue;
			for (uint32_t a = 0; a < 5; a++)
				cell = cell * domain->attribute[a].levels + row[a];
			cells[k][cell]++;
			n[k]++;
		}
	for (int c = 0; c < JOINT; c++)
		sum += fabs(cells[0][c] / n[0] - cells[1][c] / n[1]);
	return sum / 2;
}

/*
 * Releases rows that obey their zeros, without noise, and returns how far drawn rows are from those
 * of the same model without zeros; negative if the domain had no zeros that can be used.
 */
static double
distance_of(const char *method, DpPrng *prng, DpRng *rng, DpArena *arena)
{
	DpDomain domain = random_domain(arena, prng);
	UnitTable table = uniform_rows(arena, &domain, prng);
	UnitOptions none = {.lists = 0};
	UnitRelease release = {.sampler = NULL};
	uint32_t *with = dp_alloc(arena, SAMPLE, 5 * sizeof(*with));
	uint32_t *without = dp_alloc(arena, SAMPLE, 5 * sizeof(*without));

	if (dp_zeros_check(&domain, NULL) != DP_OK || dp_zeros_possible(&domain, NULL) != DP_OK)
		return -1;
	obey(&table, &domain, prng);
	MUST(unit_release(&release, method, &table, (DpUnit){DP_ADD_REMOVE, 1},
					  epsilon(INT64_C(1000000000000)), &none.options, rng, arena));
	MUST(draw_rows(&release.model, arena, SAMPLE, with));
	release.model.domain.zeros.sets = 0;
	MUST(draw_rows(&release.model, arena, SAMPLE, without));
	return distance(&domain, with, without);
}

/*
 * Zeros that are true change only what a method says against them. Two samples of one distribution
 * are .1 apart.
 */
static void
test_true_zeros(void)
{
	DpPrng prng, noise;
	DpRng rng;

	dp_prng_seed(&prng, (DpStream){46, 3, 1});
	unit_fixed_rng(&rng, &noise, 49);
	for (uint32_t m = 0; m < dp_methods_n; m++)
	{
		/* a joint fit makes all of its tables agree with the zeros: rows of others are refused */
		bool joint =
			strcmp(dp_methods[m]->name, "cipher") == 0 || strcmp(dp_methods[m]->name, "mwem") == 0;
		double furthest = 0;

		for (int run = 0; run < 4 && makes_any_rows(dp_methods[m]); run++)
		{
			DpArena arena = dp_arena_malloc();

			furthest = fmax(furthest, distance_of(dp_methods[m]->name, &prng, &rng, &arena));
			dp_arena_malloc_free(&arena);
		}
		CHECK(furthest < (joint ? 0.3 : 0.16), "%s: true zeros do not move the other rows",
			  dp_methods[m]->name);
		unit_note("%s: %.3f", dp_methods[m]->name, furthest);
	}
}

/*
 * A release of flat with hardly any noise: forbidden cells get nothing, and the simplex is over the
 * other cells.
 */
static void
test_flat_masses(DpArena *arena)
{
	static const uint32_t levels[] = {2, 2};
	/* rows by cell 00 01 10 11; 11 cannot be, but is */
	static const uint32_t rows[] = {1000, 2000, 1000, 500};
	DpZeroSet set = SET(arena, "01", "11");
	DpDomain domain = domain_with(arena, levels, 2, &set, 1);
	UnitTable table = unit_table(arena, &domain, 4500);
	UnitOptions none = {.lists = 0};
	UnitRelease release = {.sampler = NULL};
	uint32_t *codes = dp_alloc(arena, 45000, 2 * sizeof(*codes));
	double share[4] = {0};
	uint32_t at = 0;
	DpPrng noise;
	DpRng rng;

	for (uint32_t cell = 0; cell < 4; cell++)
		for (uint32_t i = 0; i < rows[cell]; i++, at++)
		{
			table.code[0][at] = cell / 2;
			table.code[1][at] = cell % 2;
		}
	unit_fixed_rng(&rng, &noise, 47);
	MUST(unit_release(&release, "flat", &table, (DpUnit){DP_ADD_REMOVE, 1},
					  epsilon(INT64_C(1000000000000)), &none.options, &rng, arena));
	CHECK_I64(release.model.table[0].value[3], 500, "what is there is counted and gets its noise");
	MUST(draw_rows(&release.model, arena, 45000, codes));
	for (uint32_t i = 0; i < 45000; i++)
		share[codes[2 * i] * 2 + codes[2 * i + 1]] += 1.0 / 45000;
	/* the 500 rows go evenly to the other three: the nearest point */
	CHECK_NEAR(share[0], (1000 + 500.0 / 3) / 4500, 0.012, "cell 00");
	CHECK_NEAR(share[1], (2000 + 500.0 / 3) / 4500, 0.012, "cell 01");
	CHECK_NEAR(share[2], (1000 + 500.0 / 3) / 4500, 0.012, "cell 10");
	CHECK_NEAR(share[3], 0, 0, "cell 11");
}

/*
 * Independent columns cannot show a zero over two of them. A row is drawn from them on condition
 * that it is allowed.
 */
static void
test_rejection(DpArena *arena)
{
	static const uint32_t levels[] = {2, 2};
	DpZeroSet set = SET(arena, "01", "11");
	DpDomain domain = domain_with(arena, levels, 2, &set, 1);
	UnitTable table = unit_table(arena, &domain, ROWS);
	UnitOptions options = {.lists = 0};
	UnitRelease release = {.sampler = NULL};
	uint32_t *codes = dp_alloc(arena, 50000, 2 * sizeof(*codes));
	uint32_t again[2 * 100];
	double share[4] = {0};
	DpDrawer drawer;
	DpPrng noise;
	DpRng rng;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		table.code[0][i] = i % 4 == 0;
		table.code[1][i] = i % 2;
	}
	unit_fixed_rng(&rng, &noise, 48);
	unit_number(&options, "parents", "0");
	MUST(unit_release(&release, "privbayes", &table, (DpUnit){DP_ADD_REMOVE, 1},
					  epsilon(INT64_C(1000000000000)), &options.options, &rng, arena));
	MUST(draw_rows(&release.model, arena, 50000, codes));
	for (uint32_t i = 0; i < 50000; i++)
		share[codes[2 * i] * 2 + codes[2 * i + 1]] += 1.0 / 50000;
	/* 3/8, 3/8, 1/8, given no 1/8 */
	CHECK_NEAR(share[0], 3.0 / 7, 0.012, "cell 00");
	CHECK_NEAR(share[1], 3.0 / 7, 0.012, "cell 01");
	CHECK_NEAR(share[2], 1.0 / 7, 0.009, "cell 10");
	MUST(dp_drawer_prepare(unit_sampler(&release.model), &release.model, &drawer, NULL, arena,
						   NULL));
	MUST(dp_draw_rows(&drawer, &(DpRowBlock){{1, 1, 0}, 100}, again, NULL, NULL));
	CHECK(memcmp(again, codes, sizeof(again)) == 0, "a shorter block begins as a longer one");

	/* now only rows that the columns never give are allowed */
	for (uint32_t i = 0; i < ROWS; i++)
		table.code[0][i] = table.code[1][i] = 0;
	domain.zeros.set[0] = SET(arena, "01", "00", "01", "10");
	MUST(unit_release(&release, "privbayes", &table, (DpUnit){DP_ADD_REMOVE, 1},
					  epsilon(INT64_C(1000000000000)), &options.options, &rng, arena));
	MUST(dp_drawer_prepare(unit_sampler(&release.model), &release.model, &drawer, NULL, arena,
						   NULL));
	CHECK_OK(dp_draw_rows(&drawer, &(DpRowBlock){{1, 1, 0}, 100}, again, NULL, NULL),
			 "where hardly a row is allowed rows are repaired");
	for (int i = 0; i < 100; i++)
		CHECK(again[2 * i] == 1 && again[2 * i + 1] == 1, "into one that is");
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
	test_methods();
	test_estimates();
	test_true_zeros();
	test_flat_masses(&arena);
	test_rejection(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
