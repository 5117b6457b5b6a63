/*
 * priors.c -- public marginals as a part of the domain.
 */
#include "core/domain/priors.h"

#include "core/domain/attribute_set.h"

static int
compare(const DpPrior *a, const DpPrior *b)
{
	return dp_attributes_compare(a->attribute, a->n, b->attribute, b->n);
}

static DpStatus
check_attributes(const DpDomain *domain, const DpPrior *prior, DpError *error)
{
	DP_TRY(dp_attributes_check(domain, prior->attribute, prior->n, "a prior", error));
	if (prior->cells > DP_PRIOR_CELLS_MAX ||
		prior->cells != dp_domain_cells(domain, prior->attribute, prior->n))
		return dp_fail(error, DP_ERR_ARGUMENT, "a prior has too many cells, or not all of them");
	return DP_OK;
}

static DpStatus
check_counts(const DpPrior *prior, DpError *error)
{
	int64_t total = 0;

	for (uint64_t i = 0; i < prior->cells; i++)
	{
		if (prior->count[i] < 0 || prior->count[i] > DP_PRIOR_TOTAL_MAX - total)
			return dp_fail(error, DP_ERR_ARGUMENT, "a count of a prior is negative or too large");
		total += prior->count[i];
	}
	if (total == 0)
		return dp_fail(error, DP_ERR_ARGUMENT, "a prior counts no rows");
	if (prior->uncertainty_nano < 1 || prior->uncertainty_nano > DP_PRIOR_UNCERTAINTY_ONE)
		return dp_fail(error, DP_ERR_ARGUMENT, "the uncertainty of a prior is out of range");
	return DP_OK;
}

DpStatus
dp_priors_check(const DpDomain *domain, DpError *error)
{
	uint64_t cells = 0;

	if (domain->priors > DP_PRIORS_MAX || (domain->priors > 0 && domain->prior == NULL))
		return dp_fail(error, DP_ERR_ARGUMENT, "there are too many priors");
	for (uint32_t i = 0; i < domain->priors; i++)
	{
		const DpPrior *prior = &domain->prior[i];

		if (prior->n < 1 || prior->n > DP_PRIOR_WIDTH_MAX)
			return dp_fail(error, DP_ERR_ARGUMENT, "a prior is over no column, or over too many");
		DP_TRY(check_attributes(domain, prior, error));
		DP_TRY(check_counts(prior, error));
		if (i > 0 && compare(prior - 1, prior) >= 0)
			return dp_fail(error, DP_ERR_ARGUMENT, "priors do not ascend");
		cells += prior->cells;
		if (cells > DP_PRIOR_CELLS_TOTAL_MAX)
			return dp_fail(error, DP_ERR_ARGUMENT, "priors have too many cells together");
	}
	return DP_OK;
}

void
dp_priors_sort(DpDomain *domain)
{
	for (uint32_t i = 1; i < domain->priors; i++)
	{
		DpPrior moving = domain->prior[i];
		uint32_t j = i;

		for (; j > 0 && compare(&moving, &domain->prior[j - 1]) < 0; j--)
			domain->prior[j] = domain->prior[j - 1];
		domain->prior[j] = moving;
	}
}

DpStatus
dp_priors_copy(const DpDomain *from, DpDomain *to, DpArena *arena)
{
	to->priors = from->priors;
	to->prior = NULL;
	if (from->priors == 0)
		return DP_OK;
	to->prior = dp_memdup(arena, from->prior, from->priors * sizeof(*to->prior));
	DP_TRY_ALLOC(to->prior);
	for (uint32_t i = 0; i < from->priors; i++)
	{
		DpPrior *prior = &to->prior[i];

		prior->attribute = dp_memdup(arena, prior->attribute, prior->n * sizeof(*prior->attribute));
		prior->count = dp_memdup(arena, prior->count, prior->cells * sizeof(*prior->count));
		DP_TRY_ALLOC(prior->attribute && prior->count);
	}
	return DP_OK;
}

void
dp_priors_restrict(DpDomain *domain, const uint32_t *index)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < domain->priors; i++)
	{
		DpPrior *prior = &domain->prior[i];

		if (dp_attributes_renumber(prior->attribute, prior->n, index))
			domain->prior[kept++] = *prior;
	}
	domain->priors = kept;
}

void
dp_prior_expected(const DpPrior *prior, double rows, double *out)
{
	int64_t total = 0;

	for (uint64_t i = 0; i < prior->cells; i++)
		total += prior->count[i];
	for (uint64_t i = 0; i < prior->cells; i++)
		out[i] = rows * (double) prior->count[i] / (double) total;
}

double
dp_prior_variance(const DpPrior *prior, double rows)
{
	double stddev = rows * (double) prior->uncertainty_nano / (double) DP_PRIOR_UNCERTAINTY_ONE;

	return stddev * stddev;
}
