/*
 * test_zeros_drawn.c -- what every method estimates where a domain has structural zeros.
 */
#include "core/sample/draw.h"

#include "unit_draw.h"
#include "unit_zeros.h"

#define ROWS 4000

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

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_methods();
	test_estimates();
	test_true_zeros();
	test_flat_masses(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
