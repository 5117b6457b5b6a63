/*
 * pegs_counts.c -- counting for the perturbed Gibbs sampler.
 */
#include "core/methods/pegs_counts.h"

#include "core/base/saturate.h"
#include "core/mechanism/mechanism.h"
#include "core/plan/release_table.h"
#include "core/select/pairs.h"
#include "core/select/parents_plan.h"

#define DENSE_CELLS UINT64_C(1000000) /* a dense table is faster, and small enough */

static const DpParents no_parents = {.n = 0, .index = NULL};

/* The memory of a table as it is counted, of its cells in order, and at worst of a histogram for
 * each. */
static uint64_t
table_memory(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	DpStorage storage = dp_table_storage(domain, attributes, n, DENSE_CELLS);
	uint64_t cells = dp_domain_cells(domain, attributes, n);
	uint64_t each =
		2 * (n * sizeof(uint32_t) + sizeof(int64_t)) + sizeof(DpHistogram) + 4 * sizeof(uint64_t);

	if (storage == DP_SPARSE && cells > DP_PLAN_SPARSE_CELLS)
		cells = DP_PLAN_SPARSE_CELLS;
	return dp_add_saturated(dp_table_counted(domain, attributes, n, storage),
							dp_multiply_saturated(cells, each));
}

DpStatus
dp_pegs_memory(const DpDomain *domain, const DpParents *parents, uint32_t parents_n,
			   uint64_t *bytes, DpArena *arena)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	uint64_t by_size[DP_ATTRIBUTES_MAX];
	uint64_t pairs = parents == NULL && parents_n > 0 ? dp_pairs_memory(domain) : 0;
	uint64_t tables = 0;

	DP_TRY(dp_parents_by_size(domain, by_size, arena));
	for (uint32_t i = 0; i < domain->attributes; i++)
	{
		uint32_t n = parents != NULL ? dp_parents_table(&parents[i], i, attributes)
									 : dp_parents_largest_table(by_size, parents_n, i, attributes);

		tables = dp_add_saturated(tables, table_memory(domain, attributes, n));
	}
	*bytes = pairs > tables ? pairs : tables;
	return DP_OK;
}

static DpStatus
count_tables(const DpMeasurement *m, const DpParents *parents, DpMarginal *exact, DpError *error)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX];

	for (uint32_t i = 0; i < m->domain->attributes; i++)
	{
		uint32_t n = dp_parents_table(parents != NULL ? &parents[i] : &no_parents, i, attributes);

		DP_TRY(dp_marginal_init(&exact[i], m->domain, &(DpAttributeSet){n, attributes},
								dp_table_storage(m->domain, attributes, n, DENSE_CELLS), m->arena,
								error));
	}
	dp_announce(m, "hashed conditional histograms");
	return dp_count_marginals(m, exact, m->domain->attributes, error);
}

DpStatus
dp_pegs_count(const DpMeasurement *m, const DpPegsShape *shape, DpExactConditional *conditional,
			  DpError *error)
{
	DpMarginal *exact = dp_alloc(m->arena, m->domain->attributes, sizeof(*exact));

	if (exact == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(count_tables(m, shape->parents, exact, error));
	for (uint32_t i = 0; i < m->domain->attributes; i++)
	{
		dp_tick(m->noise.tick, -1.0);
		DP_TRY(dp_exact_conditional_build(&exact[i], shape->buckets, &conditional[i], m->arena));
		dp_marginal_free(&exact[i]);
	}
	return DP_OK;
}

/* ---- the shape of alpha ---- */

/*
 * What each category has beyond alpha: alpha (C q_c / Q - 1) where that is positive, q_c the noisy
 * counts, those below 0 as 0, and Q their sum. So no category has less than alpha, and all
 * together at most twice as much as without.
 */
static void
shape_by(const int64_t *noisy, uint32_t levels, uint64_t base, uint64_t *upto)
{
	unsigned __int128 all = 0;
	uint64_t sum = 0;

	for (uint32_t c = 0; c < levels; c++)
		all += noisy[c] > 0 ? (uint64_t) noisy[c] : 0;
	for (uint32_t c = 0; c < levels; c++)
	{
		unsigned __int128 own =
			(unsigned __int128) levels * (noisy[c] > 0 ? (uint64_t) noisy[c] : 0);

		if (own > all)
			sum += (uint64_t) ((own - all) * base / all);
		upto[c] = sum;
	}
}

/* Releases the margin of an attribute, and lets it shape all of its histograms. */
static DpStatus
shape_attribute(const DpMeasurement *m, DpLaplace distribution, const DpMarginal *margin,
				uint64_t base, DpExactConditional *conditional)
{
	int64_t *noisy = dp_alloc(m->arena, margin->cells, sizeof(*noisy));
	uint64_t *upto = dp_alloc(m->arena, margin->cells, sizeof(*upto));

	if (noisy == NULL || upto == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_laplace_release(&m->noise, distribution, margin->dense, margin->cells, noisy));
	shape_by(noisy, conditional->none.levels, base, upto);
	dp_free(m->arena, noisy, margin->cells, sizeof(*noisy));
	conditional->none.extra_upto = upto;
	for (uint64_t k = 0; k < conditional->keys; k++)
		conditional->histogram[k].extra_upto = upto;
	return DP_OK;
}

/* One scan for the margins of all attributes, each of which is paid for. */
static DpStatus
shape_alpha(const DpMeasurement *m, int64_t epsilon_nano, uint64_t base,
			DpExactConditional *conditional, DpError *error)
{
	uint32_t p = m->domain->attributes;
	DpLaplace distribution = dp_unit_laplace(&m->plan->request->unit, epsilon_nano);
	DpMarginal *margin = dp_alloc(m->arena, p, sizeof(*margin));

	if (margin == NULL)
		return DP_ERR_MEMORY;
	dp_announce(m, DP_STAGE_MARGINS);
	for (uint32_t a = 0; a < p; a++)
		DP_TRY(dp_marginal_init(&margin[a], m->domain, &(DpAttributeSet){1, &a}, DP_DENSE, m->arena,
								error));
	DP_TRY(dp_count_marginals(m, margin, p, error));
	for (uint32_t a = 0; a < p; a++)
	{
		DP_TRY(shape_attribute(m, distribution, &margin[a], base, &conditional[a]));
		dp_marginal_free(&margin[a]);
	}
	dp_free(m->arena, margin, p, sizeof(*margin));
	return DP_OK;
}

/* ---- perturbed draws ---- */

typedef struct PegsDraws
{
	DpPerturbed perturbed;
	DpExactConditional *conditional; /* [attributes] */
} PegsDraws;

static DpStatus
begin_block(void *context)
{
	return dp_perturbed_begin(&((PegsDraws *) context)->perturbed);
}

static DpStatus
draw_value(void *context, uint32_t attribute, const uint32_t *row, uint32_t *code)
{
	PegsDraws *draws = context;

	return dp_perturbed_draw(&draws->perturbed,
							 dp_exact_conditional_find(&draws->conditional[attribute], row), code);
}

DpStatus
dp_pegs_make(const DpMeasurement *m, const DpRowRun *run, const DpPerturbedTerms *terms,
			 const DpPegsShape *shape, DpModel *model, DpError *error)
{
	PegsDraws draws;
	DpRowSource source = {.context = &draws, .begin = begin_block, .draw = draw_value};

	DP_TRY(dp_perturbed_init(&draws.perturbed, &m->noise, terms));
	draws.conditional = dp_alloc(m->arena, m->domain->attributes, sizeof(*draws.conditional));
	if (draws.conditional == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_pegs_count(m, shape, draws.conditional, error));
	if (shape->epsilon_margin_nano > 0)
		DP_TRY(shape_alpha(m, shape->epsilon_margin_nano, draws.perturbed.alpha.base,
						   draws.conditional, error));
	dp_announce(m, "draw rows");
	return dp_row_release_make(m, run, &source, model);
}
