/*
 * test_priors.c -- public marginals: what must hold of them, and what they do to
 * tables that are made to agree.
 */
#include "core/estimate/consistency.h"
#include "core/domain/domain.h"
#include "core/mechanism/mechanism.h"
#include "core/plan/method.h"
#include "core/domain/priors.h"
#include "core/accounting/stddev.h"

#include "unit_data.h"

static const uint32_t levels[] = {2, 3, 2};

static DpPrior
prior_of(DpArena *arena, uint32_t n, const uint32_t *attributes, const int64_t *counts,
		 uint64_t cells)
{
	return (DpPrior){n, dp_memdup(arena, attributes, n * sizeof(*attributes)), cells,
					 dp_memdup(arena, counts, cells * sizeof(*counts)), 1000000};
}

static DpDomain
domain_with(DpArena *arena, const DpPrior *priors, uint32_t n)
{
	DpDomain domain = unit_domain(arena, levels, 3);

	domain.priors = n;
	domain.prior = dp_memdup(arena, priors, n * sizeof(*priors));
	return domain;
}

static const uint32_t first[] = {0}, last[] = {2}, both[] = {0, 2}, turned[] = {2, 0},
					  none[] = {0, 7};
static const int64_t two[] = {30, 10}, four[] = {1, 2, 3, 4};

static DpStatus
status_of(DpArena *arena, DpPrior prior)
{
	DpDomain domain = domain_with(arena, &prior, 1);

	return dp_domain_check(&domain, NULL);
}

static void
test_refused(DpArena *arena)
{
	static const int64_t nothing[] = {0, 0}, negative[] = {3, -1}, huge[] = {DP_PRIOR_TOTAL_MAX, 1};
	DpPrior prior = prior_of(arena, 2, both, four, 4);
	DpPrior twice[] = {prior, prior};
	DpDomain domain;

	CHECK_OK(status_of(arena, prior), "a prior that holds");
	CHECK_STATUS(status_of(arena, prior_of(arena, 2, turned, four, 4)), DP_ERR_ARGUMENT,
				 "columns that descend");
	CHECK_STATUS(status_of(arena, prior_of(arena, 2, none, four, 4)), DP_ERR_ARGUMENT,
				 "no such column");
	CHECK_STATUS(status_of(arena, prior_of(arena, 2, both, four, 3)), DP_ERR_ARGUMENT,
				 "a cell too few");
	CHECK_STATUS(status_of(arena, prior_of(arena, 1, first, nothing, 2)), DP_ERR_ARGUMENT,
				 "no rows");
	CHECK_STATUS(status_of(arena, prior_of(arena, 1, first, negative, 2)), DP_ERR_ARGUMENT,
				 "a negative count");
	CHECK_STATUS(status_of(arena, prior_of(arena, 1, first, huge, 2)), DP_ERR_ARGUMENT,
				 "too many rows");
	prior.uncertainty_nano = 0;
	CHECK_STATUS(status_of(arena, prior), DP_ERR_ARGUMENT, "no uncertainty");
	prior.uncertainty_nano = DP_PRIOR_UNCERTAINTY_ONE + 1;
	CHECK_STATUS(status_of(arena, prior), DP_ERR_ARGUMENT, "too much of it");
	prior.n = 0;
	CHECK_STATUS(status_of(arena, prior), DP_ERR_ARGUMENT, "no columns");
	domain = domain_with(arena, twice, 2);
	CHECK_STATUS(dp_domain_check(&domain, NULL), DP_ERR_ARGUMENT, "one set twice");
	domain.priors = 1;
	unit_open(&domain.attribute[2]);
	CHECK_STATUS(dp_domain_check(&domain, NULL), DP_ERR_ARGUMENT, "an open column");
}

static void
test_shape(DpArena *arena)
{
	DpPrior priors[] = {prior_of(arena, 2, both, four, 4), prior_of(arena, 1, last, two, 2),
						prior_of(arena, 1, first, two, 2)};
	DpDomain domain = domain_with(arena, priors, 3);
	static const uint32_t index[] = {UINT32_MAX, 0, 1};
	double expected[4];
	DpDomain copy;

	CHECK_STATUS(dp_domain_check(&domain, NULL), DP_ERR_ARGUMENT, "any order is not the one form");
	dp_priors_sort(&domain);
	CHECK_OK(dp_domain_check(&domain, NULL), "it is sorted into it");
	MUST(dp_domain_copy(&domain, &copy, arena));
	dp_priors_restrict(&copy, index);
	CHECK(copy.priors == 1 && copy.prior[0].attribute[0] == 1 && domain.prior[1].attribute[0] == 2,
		  "what is over other columns is dropped, the rest renumbered, in a copy");
	dp_prior_expected(&domain.prior[2], 50, expected);
	CHECK_NEAR(expected[3], 20, 1e-12, "four in ten of 50 rows");
	CHECK_NEAR(dp_prior_variance(&domain.prior[2], 50), 0.0025, 1e-15, "0.001 of 50, squared");
}

/* The margin of column 0 in the table of columns 0 and 1 once it agrees with all others. */
static double
agreed(DpArena *arena, int64_t uncertainty_nano)
{
	static const uint32_t attributes[] = {0, 1};
	static const int64_t values[] = {100, 100, 100, 100, 100, 100};
	DpPrior prior = prior_of(arena, 1, first, two, 2);
	DpTable table = {.n = 2,
					 .attribute = dp_memdup(arena, attributes, sizeof(attributes)),
					 .storage = DP_DENSE,
					 .cells = 6,
					 .value = dp_memdup(arena, values, sizeof(values)),
					 .noise = DP_NOISE_LAPLACE,
					 .cost = {1000000000, 0, 0},
					 .sensitivity_l1 = 1};
	DpModel model = {.method = "privbayes", .rows = 600, .tables = 1, .table = &table};
	double **estimate;

	model.domain = domain_with(arena, &prior, uncertainty_nano > 0);
	if (uncertainty_nano > 0)
		model.domain.prior[0].uncertainty_nano = uncertainty_nano;
	MUST(dp_consistency_make(&model, &estimate, NULL, arena));
	return estimate[0][0] + estimate[0][1] + estimate[0][2];
}

static void
test_agree(DpArena *arena)
{
	double stddev = dp_laplace_stddev((DpLaplace){.epsilon_nano = 1000000000, .sensitivity_l1 = 1});
	/* of the table's margin: three cells; as large that of the prior's one cell */
	double equal = sqrt(3) * stddev / 600;

	CHECK_NEAR(agreed(arena, 0), 300, 1e-9, "without a prior the table speaks alone");
	CHECK_NEAR(agreed(arena, 1), 450, 1e-3, "a prior that is certain has the last word");
	CHECK_NEAR(agreed(arena, (int64_t) (equal * 1e9)), 375, 1e-3, "as uncertain: the mean");
	CHECK_NEAR(agreed(arena, DP_PRIOR_UNCERTAINTY_ONE), 300, 0.01,
			   "one that knows nothing has none");
}

/*
 * In the population three in four have level 0 of the first and of the last attribute, in the rows
 * one in four.
 */
static void
test_estimates(DpArena *arena)
{
	static const struct
	{
		const char *method, *solver;
	} cases[] = {{"cipher", "entropic"},
				 {"cipher", "graphical"},
				 {"mwem", NULL},
				 {"mst", NULL},
				 {"aim", NULL}};
	static const int64_t counts[] = {75, 5, 5, 15};
	DpPrior prior = prior_of(arena, 2, both, counts, 4);

	prior.uncertainty_nano = 10000;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
	{
		double share[2];

		for (uint32_t priors = 0; priors < 2; priors++)
		{
			DpDomain domain = domain_with(arena, &prior, priors);
			UnitTable table = unit_table(arena, &domain, 2000);
			UnitOptions options = {.lists = 0};
			UnitRelease release = {.sampler = NULL};
			uint32_t *codes;
			DpPrng noise;
			DpRng rng;

			for (uint32_t i = 0; i < 2000; i++)
				for (uint32_t a = 0; a < 3; a++)
					table.code[a][i] = i / (a == 0 ? 1 : 2) % 2;
			if (cases[c].solver != NULL)
				unit_word(&options, "solver", cases[c].solver);
			unit_fixed_rng(&rng, &noise, 48);
			MUST(unit_release(&release, cases[c].method, &table, (DpUnit){DP_ADD_REMOVE, 1},
							  (DpBudget){.epsilon_nano = DP_EPSILON_ONE}, &options.options, &rng,
							  arena));
			codes = unit_draw(&release, arena, 20000, 1);
			share[priors] = 0;
			for (uint32_t i = 0; i < 20000; i++)
				share[priors] += (codes[3 * i] + codes[3 * i + 2] == 0) / 20000.0;
		}
		CHECK_NEAR(share[0], 0.25, 0.05, "%s: without a prior what is measured", cases[c].method);
		CHECK_NEAR(share[1], 0.75, 0.05, "%s: with a sure one what it says", cases[c].method);
	}
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_refused(&arena);
	test_shape(&arena);
	test_agree(&arena);
	test_estimates(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
