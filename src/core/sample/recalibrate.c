/*
 * recalibrate.c -- numbers of children in a parent's model, from what the child's model counted.
 *
 * Let q(x) be the share of level x among the child's rows, P(x) that among the parent's, and n the
 * number of the child's rows for each of the parent's. Then rows with x have n q(x) / P(x) children
 * on average. Of all distributions with that mean the tilted one, P(m | x) exp(c m') for some c, is
 * nearest to P(m | x) (least relative entropy).
 */
#include "core/sample/parent_priors.h"

#include <math.h>

#include "core/domain/attribute_set.h"
#include "core/domain/priors.h"
#include "core/model/noisy_table.h"
#include "core/sample/model_query.h"

#define SHARE_ONE ((double) (INT64_C(1) << 40)) /* a share of all, as counts of a prior */
#define TILT_MOST 3.0 /* c times full: a share of m changes e^3 times at most */
#define HALVINGS 40   /* of the interval in which c is */

typedef struct Back
{
	const DpParentPriors *priors;
	const DpModel *child;
	DpModel *parent;
	const void *parent_fit, *child_fit;
	uint32_t counts;    /* levels of the number of children */
	double mean;        /* rows of the child for each of the parent */
	double times;       /* as in dp_recalibrate() */
	double *row, *best; /* [counts] shares of the numbers of children, as they are and tilted */
	const DpTick *tick;
	DpArena *arena;
} Back;

static double
counted(const Back *back, uint32_t children)
{
	return children < back->priors->full ? children : back->priors->full;
}

/* ---- one level ---- */

/* Tilts back->row, keeping its sum. Returns the mean number of children that count. */
static double
tilt(const Back *back, double by)
{
	double full = back->priors->full, before = 0, after = 0, mean = 0;

	for (uint32_t m = 0; m < back->counts; m++)
	{
		back->best[m] = back->row[m] * exp(by * counted(back, m) / full);
		before += back->row[m];
		after += back->best[m];
		mean += back->best[m] * counted(back, m);
	}
	for (uint32_t m = 0; m < back->counts && after > 0; m++)
		back->best[m] *= before / after;
	return after > 0 ? mean / after : 0;
}

static void
tilt_to(const Back *back, double mean)
{
	double low = -TILT_MOST, high = TILT_MOST;

	for (int i = 0; i < HALVINGS; i++)
	{
		double middle = (low + high) / 2;

		if (tilt(back, middle) < mean)
			low = middle;
		else
			high = middle;
	}
}

/* ---- one attribute ---- */

/* The variance of the child's margin of an attribute, in rows of the child: all tables that have it
 * say it, each by the sum of so many cells. */
static double
margin_variance(const DpModel *child, uint32_t attribute)
{
	double precision = 0;

	for (uint32_t t = 0; t < child->tables; t++)
	{
		const DpTable *table = &child->table[t];
		const DpAttributeSet one = {1, &attribute}, set = {table->n, table->attribute};

		if (dp_set_within(&one, &set))
			precision += child->domain.attribute[attribute].levels /
						 ((double) table->cells * dp_table_variance(table));
	}
	return precision > 0 ? 1 / precision : INFINITY;
}

/*
 * The standard deviation of a cell of the prior, as a share of the parent's rows: the sum over m of
 * m' times the cells of a level has the variance of the child's margin.
 */
static double
uncertainty_of(const Back *back, uint32_t known)
{
	double squares = 0;

	for (uint32_t m = 0; m < back->counts; m++)
		squares += counted(back, m) * counted(back, m);
	return sqrt(margin_variance(back->child, known) / squares) / back->times /
		   (double) back->parent->rows;
}

/* share[prior->cells] is the parent model's distribution, with the number of children as the first
 * or the last attribute; among[levels] is the child model's. */
static void
fill(const Back *back, uint32_t levels, const double *share, const double *among, DpPrior *prior)
{
	uint32_t counts = back->counts;
	bool first = prior->attribute[0] == back->priors->count;
	uint64_t step = first ? levels : 1;

	for (uint32_t x = 0; x < levels; x++)
	{
		uint64_t begin = first ? x : (uint64_t) x * counts;
		double all = 0;

		dp_tick(back->tick, -1.0);
		for (uint32_t m = 0; m < counts; m++)
			all += back->row[m] = share[begin + m * step];
		tilt_to(back, all > 0 ? among[x] * back->mean / all : 0);
		for (uint32_t m = 0; m < counts; m++)
			prior->count[begin + m * step] = (int64_t) (back->best[m] * SHARE_ONE + 0.5);
	}
}

/* DP_ERR_LIMIT: a model cannot compute it. */
static DpStatus
make_prior(const Back *back, uint32_t attribute, DpPrior *prior)
{
	const DpParentPriors *priors = back->priors;
	const DpModelQuery *query = priors->sampler->query;
	uint32_t known = priors->known[attribute];
	uint32_t levels = back->parent->domain.attribute[attribute].levels;
	bool first = priors->count < attribute;
	double *share = dp_alloc(priors->scratch, prior->cells, sizeof(*share));
	double *among = dp_alloc(priors->scratch, levels, sizeof(*among));

	prior->attribute = dp_alloc(back->arena, prior->n, sizeof(*prior->attribute));
	prior->count = dp_alloc(back->arena, prior->cells, sizeof(*prior->count));
	DP_TRY_ALLOC(share && among && prior->attribute && prior->count);
	prior->attribute[0] = first ? priors->count : attribute;
	prior->attribute[1] = first ? attribute : priors->count;
	DP_TRY(query->marginal(back->parent_fit, &(DpAttributeSet){prior->n, prior->attribute}, share,
						   back->tick, priors->scratch));
	DP_TRY(query->marginal(back->child_fit, &(DpAttributeSet){1, &known}, among, back->tick,
						   priors->scratch));
	fill(back, levels, share, among, prior);
	prior->uncertainty_nano =
		(int64_t) fmax(1, fmin(uncertainty_of(back, known), 1) * DP_PRIOR_UNCERTAINTY_ONE);
	return DP_OK;
}

/* ---- all of them ---- */

/*
 * Appends priors to the n priors, which have space for them; *cells is the number of cells of all.
 */
static DpStatus
add_priors(const Back *back, DpPrior *prior, uint32_t *n, uint64_t *cells)
{
	const DpDomain *domain = &back->parent->domain;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		DpPrior new = {.n = 2, .cells = (uint64_t) domain->attribute[a].levels * back->counts};
		DpStatus status;

		if (back->priors->known[a] == UINT32_MAX || *n == DP_PRIORS_MAX ||
			new.cells > DP_PARENT_PRIOR_CELLS_MAX || *cells + new.cells > DP_PRIOR_CELLS_TOTAL_MAX)
			continue;
		status = make_prior(back, a, &new);
		if (status == DP_ERR_LIMIT)
			continue;
		DP_TRY(status);
		*cells += new.cells;
		prior[(*n)++] = new;
	}
	return DP_OK;
}

static DpStatus
adjust(const Back *back, DpError *error)
{
	DpDomain *domain = &back->parent->domain, before = *domain;
	DpPrior *prior = dp_alloc(back->arena, domain->priors + domain->attributes, sizeof(*prior));
	uint32_t n = domain->priors;
	uint64_t cells = 0;
	DpStatus status;

	DP_TRY_ALLOC(prior);
	for (uint32_t i = 0; i < n; i++)
	{
		prior[i] = domain->prior[i];
		cells += prior[i].cells;
	}
	DP_TRY(add_priors(back, prior, &n, &cells));
	if (n == domain->priors)
		return DP_OK;
	domain->prior = prior;
	domain->priors = n;
	dp_priors_sort(domain);
	status = back->priors->sampler->query->refit(back->parent, back->tick, back->arena, error);
	if (status != DP_ERR_LIMIT)
		return status;
	*domain = before;
	return DP_OK;
}

DpStatus
dp_recalibrate(const DpParentPriors *priors, const DpModel *child, uint32_t times, DpModel *parent,
			   const DpTick *tick, DpArena *arena, DpError *error)
{
	const DpModelQuery *query = priors->sampler->query;
	uint32_t counts = parent->domain.attribute[priors->count].levels;
	Back back = {.priors = priors,
				 .child = child,
				 .parent = parent,
				 .counts = counts,
				 .times = times,
				 .row = dp_alloc(priors->scratch, counts, sizeof(*back.row)),
				 .best = dp_alloc(priors->scratch, counts, sizeof(*back.best)),
				 .tick = tick,
				 .arena = arena};
	void *parent_fit, *child_fit;

	DP_TRY_ALLOC(back.row && back.best);
	DP_TRY(dp_parent_priors_check(priors, &child->domain, error));
	if (query->refit == NULL || parent->rows < 1 || child->rows < 1) /* the rows are noise alone */
		return DP_OK;
	back.mean = (double) child->rows / back.times / (double) parent->rows;
	DP_TRY(query->fit(parent, &parent_fit, tick, priors->scratch, error));
	DP_TRY(query->fit(child, &child_fit, tick, priors->scratch, error));
	back.parent_fit = parent_fit;
	back.child_fit = child_fit;
	return adjust(&back, error);
}
