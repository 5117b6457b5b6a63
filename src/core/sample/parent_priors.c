/*
 * parent_priors.c -- margins of a parent's model, weighted by numbers of children.
 *
 * The model is P(x) over the parent's attributes and the number of children m. A row of the parent
 * counts as W(m) = min(m, full) in the child's table, and not at all where m is 0. So a table over
 * some of x and m has there the shares P(x, m) W(m), divided by their sum.
 */
#include "core/sample/parent_priors.h"

#include <math.h>

#include "core/base/row_major.h"
#include "core/domain/attribute_set.h"
#include "core/domain/priors.h"
#include "core/model/noisy_table.h"
#include "core/sample/model_query.h"

#define SHARE_ONE ((double) (INT64_C(1) << 40)) /* a share of all, as counts of a prior */

/* A table or prior of the parent's model, as the child knows it. */
typedef struct PriorTable
{
	DpAttributeSet queried; /* of the parent: what is known, and the number of children */
	DpPrior prior;
	uint64_t *step; /* [asked.n] how far one level more is in the prior; 0: it is not there */
	double variance;
} PriorTable;

/* ---- attributes of both ---- */

DpStatus
dp_parent_priors_check(const DpParentPriors *priors, const DpDomain *domain, DpError *error)
{
	const DpDomain *parent = &priors->parent->domain;

	for (uint32_t a = 0; a < parent->attributes; a++)
	{
		uint32_t known = priors->known[a];

		if (known != UINT32_MAX && domain->attribute[known].levels != parent->attribute[a].levels)
			return dp_fail(error, DP_ERR_INTERNAL,
						   "attribute \"%s\" has other levels than in the model of the parent",
						   domain->attribute[known].name);
	}
	return DP_OK;
}

/* ---- which tables ---- */

static uint32_t
number_in_child(const DpParentPriors *priors, uint32_t attribute)
{
	return attribute == priors->count ? priors->siblings : priors->known[attribute];
}

static void
insert(uint32_t *attribute, uint32_t *n, uint32_t new)
{
	uint32_t i = (*n)++;

	for (; i > 0 && attribute[i - 1] > new; i--)
		attribute[i] = attribute[i - 1];
	attribute[i] = new;
}

/* Both sets, each ascending. Returns false where nothing of the set is known, or too much. */
static bool
read_sets(const DpParentPriors *priors, const DpAttributeSet *set, uint32_t *queried,
		  uint32_t *queried_n, DpPrior *prior)
{
	bool has_count = false;

	prior->n = *queried_n = 0;
	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t number = number_in_child(priors, set->attribute[k]);

		if (number == UINT32_MAX)
			continue;
		if (prior->n == DP_PRIOR_WIDTH_MAX)
			return false;
		has_count = has_count || set->attribute[k] == priors->count;
		insert(prior->attribute, &prior->n, number);
		insert(queried, queried_n, set->attribute[k]);
	}
	if (!has_count)
		insert(queried, queried_n, priors->count);
	return prior->n > 0;
}

static bool
is_within(const DpPrior *a, const DpPrior *b)
{
	return dp_set_within(&(DpAttributeSet){a->n, a->attribute},
						 &(DpAttributeSet){b->n, b->attribute});
}

/* Keeps a table, unless another one has all of it; drops those that lie within it. */
static void
keep(PriorTable *kept, uint32_t *n, const PriorTable *new)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < *n; i++)
		if (is_within(&new->prior, &kept[i].prior))
		{
			if (new->prior.n == kept[i].prior.n)
				kept[i].variance = fmin(kept[i].variance, new->variance);
			return;
		}
	for (uint32_t i = 0; i < *n; i++)
		if (!is_within(&kept[i].prior, &new->prior))
			kept[left++] = kept[i];
	kept[left++] = *new;
	*n = left;
}

/* Keeps what the child knows of a set of the parent, with the variance of its cells. */
static DpStatus
keep_set(const DpParentPriors *priors, const DpDomain *domain, const DpAttributeSet *set,
		 double variance, PriorTable *kept, uint32_t *n, DpArena *arena)
{
	uint32_t *queried = dp_alloc(arena, DP_PRIOR_WIDTH_MAX + 1, sizeof(*queried));
	PriorTable table = {.variance = variance};

	table.prior.attribute = dp_alloc(arena, DP_PRIOR_WIDTH_MAX, sizeof(uint32_t));
	DP_TRY_ALLOC(queried && table.prior.attribute);
	if (!read_sets(priors, set, queried, &table.queried.n, &table.prior))
		return DP_OK;
	table.queried.attribute = queried;
	table.prior.cells = dp_domain_cells(domain, table.prior.attribute, table.prior.n);
	if (dp_domain_cells(&priors->parent->domain, queried, table.queried.n) <=
		DP_PARENT_PRIOR_CELLS_MAX)
		keep(kept, n, &table);
	return DP_OK;
}

/* What the parent was priors itself is in its priors, and in no table of it. */
static DpStatus
find_tables(const DpParentPriors *priors, const DpDomain *domain, PriorTable *kept, uint32_t *n,
			DpArena *arena)
{
	const DpModel *parent = priors->parent;

	*n = 0;
	for (uint32_t t = 0; t < parent->tables; t++)
	{
		const DpTable *table = &parent->table[t];

		DP_TRY(keep_set(priors, domain, &(DpAttributeSet){table->n, table->attribute},
						dp_table_variance(table), kept, n, arena));
	}
	for (uint32_t i = 0; i < parent->domain.priors; i++)
	{
		const DpPrior *prior = &parent->domain.prior[i];

		DP_TRY(keep_set(priors, domain, &(DpAttributeSet){prior->n, prior->attribute},
						dp_prior_variance(prior, (double) parent->rows), kept, n, arena));
	}
	return DP_OK;
}

/* ---- shares ---- */

static DpStatus
find_steps(const DpParentPriors *priors, const DpDomain *domain, PriorTable *table, DpArena *arena)
{
	const DpPrior *prior = &table->prior;

	table->step = dp_alloc(arena, table->queried.n, sizeof(*table->step));
	DP_TRY_ALLOC(table->step);
	for (uint32_t k = 0; k < table->queried.n; k++)
	{
		uint32_t number = number_in_child(priors, table->queried.attribute[k]);
		uint64_t step = prior->cells;

		for (uint32_t i = 0; i < prior->n; i++)
		{
			step /= domain->attribute[prior->attribute[i]].levels;
			if (prior->attribute[i] == number)
				table->step[k] = step;
		}
	}
	return DP_OK;
}

/* Adds up the weighted shares in sum[prior.cells]. */
static DpStatus
weigh(const DpParentPriors *priors, const PriorTable *table, const double *share, double *sum,
	  DpArena *arena)
{
	const DpDomain *domain = &priors->parent->domain;
	uint64_t cells = dp_domain_cells(domain, table->queried.attribute, table->queried.n);
	uint32_t *code = dp_alloc(arena, table->queried.n, sizeof(*code));
	uint32_t levels[DP_ATTRIBUTES_MAX];

	DP_TRY_ALLOC(code);
	dp_domain_levels(domain, table->queried.attribute, table->queried.n, levels);
	for (uint64_t i = 0; i < cells; i++)
	{
		uint64_t cell = 0;
		uint32_t children = 0;

		for (uint32_t k = 0; k < table->queried.n; k++)
		{
			bool counts = table->queried.attribute[k] == priors->count;

			children = counts ? code[k] : children;
			if (!counts || code[k] > 0) /* one sibling is the level 0 */
				cell += table->step[k] * (code[k] - counts);
		}
		if (children > 0)
			sum[cell] += share[i] * (children < priors->full ? children : priors->full);
		(void) dp_row_major_next(levels, table->queried.n, code);
	}
	return DP_OK;
}

/* As counts of a prior. false: the model gives the parent no children. */
static bool
finish(PriorTable *table, const double *sum, double rows)
{
	DpPrior *prior = &table->prior;
	double all = 0, uncertainty = sqrt(table->variance) / rows * DP_PRIOR_UNCERTAINTY_ONE;

	for (uint64_t i = 0; i < prior->cells; i++)
		all += sum[i];
	if (!(all > 0))
		return false;
	for (uint64_t i = 0; i < prior->cells; i++)
		prior->count[i] = (int64_t) (sum[i] / all * SHARE_ONE + 0.5);
	prior->uncertainty_nano =
		(int64_t) fmax(1, fmin(uncertainty, (double) DP_PRIOR_UNCERTAINTY_ONE));
	return true;
}

/* The rows of the parent that have children. */
static double
parents_of(const DpParentPriors *priors, const void *fitted, double *share, const DpTick *tick,
		   DpArena *arena, DpStatus *status)
{
	const DpAttributeSet set = {1, &priors->count};

	*status = priors->sampler->query->marginal(fitted, &set, share, tick, arena);
	return fmax(1, (1 - share[0]) * (double) priors->parent->rows);
}

static DpStatus
add_tables(const DpParentPriors *priors, PriorTable *table, uint32_t n, DpDomain *domain,
		   const DpTick *tick, DpArena *arena, DpError *error)
{
	double *share = dp_alloc(priors->scratch, DP_PARENT_PRIOR_CELLS_MAX, sizeof(*share)), rows;
	uint64_t cells = 0; /* of all priors */
	DpPrior *prior = dp_alloc(arena, domain->priors + n, sizeof(*prior));
	DpStatus status;
	void *fitted;

	DP_TRY_ALLOC(share && prior);
	for (uint32_t i = 0; i < domain->priors; i++)
	{
		prior[i] = domain->prior[i];
		cells += prior[i].cells;
	}
	domain->prior = prior;
	DP_TRY(priors->sampler->query->fit(priors->parent, &fitted, tick, priors->scratch, error));
	rows = parents_of(priors, fitted, share, tick, priors->scratch, &status);
	for (uint32_t t = 0; t < n && status == DP_OK; t++)
	{
		double *sum;

		if (domain->priors == DP_PRIORS_MAX ||
			cells + table[t].prior.cells > DP_PRIOR_CELLS_TOTAL_MAX)
			continue;
		sum = dp_alloc(priors->scratch, table[t].prior.cells, sizeof(*sum));
		table[t].prior.count = dp_alloc(arena, table[t].prior.cells, sizeof(int64_t));
		DP_TRY_ALLOC(sum && table[t].prior.count);
		status = priors->sampler->query->marginal(fitted, &table[t].queried, share, tick,
												  priors->scratch);
		if (status == DP_ERR_LIMIT)
		{
			status = DP_OK;
			continue;
		}
		DP_TRY(status);
		DP_TRY(find_steps(priors, domain, &table[t], priors->scratch));
		DP_TRY(weigh(priors, &table[t], share, sum, priors->scratch));
		if (!finish(&table[t], sum, rows))
			continue;
		cells += table[t].prior.cells;
		prior[domain->priors++] = table[t].prior;
	}
	dp_priors_sort(domain);
	return status == DP_ERR_LIMIT ? DP_OK : status;
}

DpStatus
dp_parent_priors_add(const DpParentPriors *priors, DpDomain *domain, const DpTick *tick,
					 DpArena *arena, DpError *error)
{
	PriorTable *table =
		dp_alloc(arena, priors->parent->tables + priors->parent->domain.priors, sizeof(*table));
	uint32_t n;

	DP_TRY_ALLOC(table);
	DP_TRY(dp_parent_priors_check(priors, domain, error));
	DP_TRY(find_tables(priors, domain, table, &n, arena));
	return add_tables(priors, table, n, domain, tick, arena, error);
}
