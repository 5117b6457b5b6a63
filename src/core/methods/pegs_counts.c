/*
 * pegs_counts.c -- counting for the perturbed Gibbs sampler.
 */
#include "core/methods/pegs_counts.h"

#include <string.h>

#include "core/base/code_key.h"
#include "core/base/saturate.h"
#include "core/base/sort.h"
#include "core/mechanism/mechanism.h"
#include "core/plan/release_table.h"
#include "core/select/pairs.h"
#include "core/select/parents_plan.h"

#define DENSE_CELLS UINT64_C(1000000) /* a dense table is faster, and small enough */

/* ---- exact conditional distributions ---- */

/* Whether cell i has another key than the one before it. */
static bool
begins_key(const uint32_t *codes, uint32_t n, uint64_t i)
{
	return i == 0 || memcmp(codes + (i - 1) * n, codes + i * n, (n - 1) * sizeof(*codes)) != 0;
}

static uint64_t
count_keys(const uint32_t *codes, uint32_t n, uint64_t cells)
{
	uint64_t keys = 0;

	for (uint64_t i = 0; i < cells; i++)
		keys += begins_key(codes, n, i);
	return keys;
}

/* The cells come in ascending order with the attribute last, so those of a key follow each
 * other. */
static DpStatus
gather(const uint32_t *codes, const int64_t *counts, uint64_t cells, uint32_t n,
	   DpExactConditional *out, DpArena *arena)
{
	uint32_t *value = dp_alloc(arena, cells, sizeof(*value));
	int64_t *upto = dp_alloc(arena, cells, sizeof(*upto));
	uint64_t keys = 0;

	DP_TRY_ALLOC(value && upto);
	for (uint64_t i = 0; i < cells; i++)
	{
		DpHistogram *histogram;

		value[i] = codes[i * n + n - 1];
		if (begins_key(codes, n, i))
		{
			memcpy(out->key + keys * (n - 1), codes + i * n, (n - 1) * sizeof(*out->key));
			out->histogram[keys++] = (DpHistogram){.levels = out->none.levels,
												   .code = &value[i],
												   .count = &counts[i],
												   .upto = &upto[i]};
		}
		histogram = &out->histogram[keys - 1];
		histogram->n++;
		histogram->total += counts[i];
		upto[i] = histogram->total;
	}
	return DP_OK;
}

/* ---- buckets ---- */

/* The same for the same codes at all times: the hash is public, and has no key. */
static uint32_t
bucket_of(const uint32_t *codes, uint32_t n, uint32_t buckets)
{
	uint64_t hash = 0;

	for (uint32_t k = 0; k < n; k++)
	{
		uint64_t word = hash ^ codes[k];

		hash = dp_key_hash(&word, 1);
	}
	return (uint32_t) ((unsigned __int128) hash * buckets >> 64);
}

typedef struct Cells
{
	uint32_t *codes; /* [capacity x width] */
	int64_t *counts; /* [capacity] */
	uint64_t n;
	uint64_t capacity; /* at least n */
	uint32_t width;
} Cells;

static bool
bucket_before(const void *context, uint64_t a, uint64_t b)
{
	const uint32_t *codes = context;

	return codes[2 * a] != codes[2 * b] ? codes[2 * a] < codes[2 * b]
										: codes[2 * a + 1] < codes[2 * b + 1];
}

/* Copies the cells in order. Those of one bucket and one value become one. */
static void
merge_cells(const uint32_t *hashed, const uint64_t *order, const int64_t *counts, Cells *cells)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < cells->n; i++)
	{
		const uint32_t *code = hashed + 2 * order[i];
		uint32_t *last = cells->codes + 2 * n;

		if (n == 0 || last[-2] != code[0] || last[-1] != code[1])
		{
			memcpy(last, code, 2 * sizeof(*code));
			n++;
		}
		cells->counts[n - 1] += counts[order[i]];
	}
	cells->n = n;
}

/* Replaces the parents' codes of cells by their bucket. */
static DpStatus
put_in_buckets(uint32_t buckets, Cells *cells, DpArena *arena)
{
	uint32_t *hashed = dp_alloc(arena, cells->n, 2 * sizeof(*hashed));
	uint64_t *order = dp_alloc(arena, cells->n, sizeof(*order));
	Cells merged = {.n = cells->n, .capacity = cells->n, .width = 2}; /* it has at most as many */

	merged.codes = dp_alloc(arena, cells->n, 2 * sizeof(*merged.codes));
	merged.counts = dp_alloc(arena, cells->n, sizeof(*merged.counts));
	DP_TRY_ALLOC(hashed && order && merged.codes && merged.counts);
	for (uint64_t i = 0; i < cells->n; i++)
	{
		const uint32_t *code = cells->codes + i * cells->width;

		hashed[2 * i] = bucket_of(code, cells->width - 1, buckets);
		hashed[2 * i + 1] = code[cells->width - 1];
		order[i] = i;
	}
	DP_TRY(dp_sort_indexes(order, cells->n, bucket_before, hashed, arena));
	merge_cells(hashed, order, cells->counts, &merged);
	dp_free(arena, hashed, cells->n, 2 * sizeof(*hashed));
	dp_free(arena, order, cells->n, sizeof(*order));
	dp_free(arena, cells->codes, cells->capacity, cells->width * sizeof(*cells->codes));
	dp_free(arena, cells->counts, cells->capacity, sizeof(*cells->counts));
	*cells = merged;
	return DP_OK;
}

DpStatus
dp_exact_conditional_build(const DpMarginal *exact, uint32_t buckets, DpExactConditional *out,
						   DpArena *arena)
{
	uint32_t parents = exact->n - 1;
	Cells cells = {.width = exact->n};

	*out = (DpExactConditional){
		.parents = parents, .buckets = buckets, .key_codes = buckets > 0 ? 1 : parents};
	out->none.levels = exact->levels[parents];
	out->parent = dp_memdup(arena, exact->attribute, parents * sizeof(*out->parent));
	DP_TRY(dp_marginal_cells(exact, &cells.codes, &cells.counts, &cells.n, arena));
	cells.capacity = cells.n;
	if (buckets > 0)
		DP_TRY(put_in_buckets(buckets, &cells, arena));
	out->keys = count_keys(cells.codes, cells.width, cells.n);
	out->key = dp_alloc(arena, out->keys, out->key_codes * sizeof(*out->key));
	out->histogram = dp_alloc(arena, out->keys, sizeof(*out->histogram));
	DP_TRY_ALLOC(out->parent && out->key && out->histogram);
	DP_TRY(gather(cells.codes, cells.counts, cells.n, cells.width, out, arena));
	dp_free(arena, cells.codes, cells.capacity, cells.width * sizeof(*cells.codes));
	return DP_OK;
}

/* ---- finding ---- */

/* Compares the key and the one wanted, with a result like memcmp's. */
static int
compare(const DpExactConditional *conditional, uint64_t key, const uint32_t *wanted)
{
	const uint32_t *codes = conditional->key + key * conditional->key_codes;

	for (uint32_t k = 0; k < conditional->key_codes; k++)
	{
		if (codes[k] != wanted[k])
			return codes[k] < wanted[k] ? -1 : 1;
	}
	return 0;
}

DpHistogram *
dp_exact_conditional_find(DpExactConditional *conditional, const uint32_t *row)
{
	uint32_t wanted[DP_ATTRIBUTES_MAX];
	uint64_t low = 0;
	uint64_t high = conditional->keys;

	for (uint32_t k = 0; k < conditional->parents; k++)
		wanted[k] = row[conditional->parent[k]];
	if (conditional->buckets > 0)
		wanted[0] = bucket_of(wanted, conditional->parents, conditional->buckets);
	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2;
		int order = compare(conditional, middle, wanted);

		if (order == 0)
			return &conditional->histogram[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return &conditional->none;
}

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

	DP_TRY_ALLOC(exact);
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

	DP_TRY_ALLOC(noisy && upto);
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

	DP_TRY_ALLOC(margin);
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
	DP_TRY_ALLOC(draws.conditional);
	DP_TRY(dp_pegs_count(m, shape, draws.conditional, error));
	if (shape->epsilon_margin_nano > 0)
		DP_TRY(shape_alpha(m, shape->epsilon_margin_nano, draws.perturbed.alpha.base,
						   draws.conditional, error));
	dp_announce(m, "draw rows");
	return dp_row_release_make(m, run, &source, model);
}
