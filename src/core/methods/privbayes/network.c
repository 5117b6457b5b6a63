/*
 * network.c -- greedy private construction of a Bayesian network.
 */
#include "core/methods/privbayes/network.h"

#include <math.h>

#include "core/base/index_list.h"
#include "core/mechanism/mechanism.h"
#include "core/select/pairs.h"
#include "core/select/subsets.h"

/*
 * What the noise of a table costs its score, for each cell, as a share of the noise's scale. Half of
 * the mean |noise| would be what noise moves in a table as it is released. Most of it is in cells that
 * are small, and is gone once the table is nonnegative and its margins agree with those of others.
 */
#define COST_OF_NOISE 0.1
#define COST_MAX 0x1p60 /* so that the difference of two scores is an int64_t */

/* ---- public networks ---- */

static bool
all_placed(const DpParents *parents, const bool *placed)
{
	for (uint32_t k = 0; k < parents->n; k++)
		if (!placed[parents->index[k]])
			return false;
	return true;
}

static DpStatus
allocate_network(const DpDomain *domain, DpNetwork *network, DpArena *arena)
{
	network->n = 0;
	network->node = dp_alloc(arena, domain->attributes, sizeof(*network->node));
	return network->node == NULL ? DP_ERR_MEMORY : DP_OK;
}

static void
place_public(DpNetwork *network, uint32_t child, const DpParents *parents)
{
	DpNetworkNode *node = &network->node[network->n++];

	*node = (DpNetworkNode){.child = child, .parents = parents->n};
	for (uint32_t k = 0; k < parents->n; k++)
		node->parent[k] = parents->index[k];
}

DpStatus
dp_network_from_parents(const DpDomain *domain, const DpParents *parents, DpNetwork *network,
						DpArena *arena, DpError *error)
{
	bool placed[DP_ATTRIBUTES_MAX] = {false};

	DP_TRY(allocate_network(domain, network, arena));
	while (network->n < domain->attributes)
	{
		uint32_t before = network->n;

		for (uint32_t a = 0; a < domain->attributes; a++)
		{
			if (placed[a] || !all_placed(&parents[a], placed))
				continue;
			place_public(network, a, &parents[a]);
			placed[a] = true;
		}
		if (network->n == before)
			return dp_fail(error, DP_ERR_ARGUMENT,
						   "option \"network\" lets columns depend on each other in a circle");
	}
	return DP_OK;
}

/* ---- selected networks ---- */

/* All choices of one step: a child that is not yet placed, and parents among those that are
 * placed. */
typedef struct Candidates
{
	uint64_t n;
	uint64_t capacity;
	DpNetworkNode *node;
	int64_t *score;
} Candidates;

typedef struct Selection
{
	const DpMeasurement *m;
	const DpNetworkSelection *how;
	const DpSubsets *subsets;
	DpNetwork *network;
	bool placed[DP_ATTRIBUTES_MAX];
	Candidates candidates;
} Selection;

static DpStatus
grow(Candidates *c, DpArena *arena)
{
	uint64_t capacity = c->capacity == 0 ? 64 : 2 * c->capacity;
	DpNetworkNode *node = dp_alloc(arena, capacity, sizeof(*node));
	int64_t *score = dp_alloc(arena, capacity, sizeof(*score));

	if (node == NULL || score == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < c->n; i++)
	{
		node[i] = c->node[i];
		score[i] = c->score[i];
	}
	dp_free(arena, c->node, c->capacity, sizeof(*node));
	dp_free(arena, c->score, c->capacity, sizeof(*score));
	c->node = node;
	c->score = score;
	c->capacity = capacity;
	return DP_OK;
}

/* The dependence of a child on these parents. It is -1 if the set was too large to be counted. */
static int64_t
dependence_of(const DpSubsets *subsets, const DpNetworkNode *node)
{
	uint32_t member[DP_SUBSET_MAX];
	uint32_t n = 0, at = 0;

	if (node->parents == 0)
		return 0;
	member[n++] = node->child;
	for (uint32_t k = 0; k < node->parents; k++)
	{
		uint32_t i = n++;

		for (; i > 0 && member[i - 1] > node->parent[k]; i--)
			member[i] = member[i - 1];
		member[i] = node->parent[k];
	}
	while (member[at] != node->child)
		at++;
	return subsets->score[n][dp_subset_rank(member, n) * n + at];
}

/* What the noise of its table costs the score of a node, by public sizes. */
static int64_t
cost_of_noise(const Selection *s, const DpNetworkNode *node)
{
	const DpDomain *domain = s->m->domain;
	double cells = (double) domain->attribute[node->child].levels *
				   (double) dp_domain_cells(domain, node->parent, node->parents);

	return (int64_t) fmin(DP_DEPENDENCE_UNIT * COST_OF_NOISE * s->how->scale * cells, COST_MAX);
}

/* Goes on to the next set of `size` placed attributes, as places in the network. */
static bool
next_places(uint32_t *place, uint32_t size, uint32_t placed)
{
	uint32_t at = size;

	while (at > 0 && place[at - 1] == placed - (size - at) - 1)
		at--;
	if (at == 0)
		return false;
	place[at - 1]++;
	for (uint32_t i = at; i < size; i++)
		place[i] = place[i - 1] + 1;
	return true;
}

/* Adds all sets of `size` parents for one child whose tables could be counted. */
static DpStatus
add_sets(Selection *s, uint32_t child, uint32_t size)
{
	Candidates *c = &s->candidates;
	uint32_t place[DP_DEGREE_MAX];

	for (uint32_t k = 0; k < size; k++)
		place[k] = k;
	do
	{
		DpNetworkNode node = {.child = child, .parents = size};
		int64_t score;

		for (uint32_t k = 0; k < size; k++)
			node.parent[k] = s->network->node[place[k]].child;
		score = dependence_of(s->subsets, &node);
		if (score < 0)
			continue;
		if (c->n == c->capacity)
			DP_TRY(grow(c, s->m->arena));
		c->score[c->n] = score - cost_of_noise(s, &node);
		c->node[c->n++] = node;
	} while (next_places(place, size, s->network->n));
	return DP_OK;
}

/* Lists for each child the sets of the largest possible number of parents. Smaller sets are listed
 * only if none of those can be counted, which depends on public sizes. */
static DpStatus
list_candidates(Selection *s)
{
	uint32_t degree = s->how->degree, most = degree < s->network->n ? degree : s->network->n;

	s->candidates.n = 0;
	for (uint32_t a = 0; a < s->m->domain->attributes; a++)
	{
		uint64_t before = s->candidates.n;

		if (s->placed[a])
			continue;
		for (uint32_t size = most + 1; size-- > 0 && s->candidates.n == before;)
			DP_TRY(add_sets(s, a, size));
	}
	return DP_OK;
}

static DpStatus
select_nodes(Selection *s)
{
	const DpMeasurement *m = s->m;
	int64_t sensitivity = dp_dependence_sensitivity(&m->plan->request->unit);

	while (s->network->n < m->domain->attributes)
	{
		size_t chosen;

		dp_tick(m->noise.tick, -1.0);
		DP_TRY(list_candidates(s));
		DP_TRY(dp_select(&m->noise,
						 &(DpScores){.score = s->candidates.score,
									 .n = s->candidates.n,
									 .sensitivity = sensitivity},
						 s->how->epsilon_each_nano, &chosen));
		s->network->node[s->network->n++] = s->candidates.node[chosen];
		s->placed[s->candidates.node[chosen].child] = true;
	}
	return DP_OK;
}

/*
 * dp_network_select -- each attribute and its parents, one after another
 *
 * Inputs:      exact scores n R of all sets of at most degree + 1 attributes that have at most
 *              cells_max cells; the first attribute is drawn at random, without the data; the scale
 *              of the noise of the tables to come
 * Output:      a network in which each attribute has up to degree parents
 * Neighbours:  the dataset's: the parents together are one attribute of many levels, so
 *              dp_dependence_sensitivity holds for any number of them. What is subtracted for the
 *              noise is public
 * Guarantee:   ((attributes - 1) epsilon_each, 0)-DP: each step is one permute-and-flip among
 *              candidates that follow from public sizes and from what earlier steps released
 * Source:      Zhang, Cormode, Procopiuc, Srivastava, Xiao, "PrivBayes" (2014), algorithm 2 and
 *              score R. Departures: permute-and-flip, integer scores with the exact
 *              sensitivity (the paper's 3/n + 2/n^2 is that of R itself, under replacement), less
 *              what noise costs, no domain read from the data
 */
DpStatus
dp_network_select(const DpMeasurement *m, const DpNetworkSelection *selection, DpNetwork *network,
				  DpError *error)
{
	uint32_t p = m->domain->attributes;
	uint32_t members = selection->degree + 1 < p ? selection->degree + 1 : p;
	Selection *s = dp_alloc(m->arena, 1, sizeof(*s));
	DpSubsets subsets = {.attributes = 0};
	uint64_t first;

	if (s == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(allocate_network(m->domain, network, m->arena));
	DP_TRY(dp_subsets_score(m, members, selection->cells_max, &subsets, error));
	s->m = m;
	s->how = selection;
	s->subsets = &subsets;
	s->network = network;
	DP_TRY(dp_rng_below(m->noise.rng, p, &first));
	network->node[network->n++] = (DpNetworkNode){.child = (uint32_t) first};
	s->placed[first] = true;
	DP_TRY(select_nodes(s));
	dp_free(m->arena, s->candidates.node, s->candidates.capacity, sizeof(*s->candidates.node));
	dp_free(m->arena, s->candidates.score, s->candidates.capacity, sizeof(*s->candidates.score));
	dp_free(m->arena, s, 1, sizeof(*s));
	dp_subsets_free(m, &subsets);
	return DP_OK;
}

uint32_t
dp_network_clique(const DpNetwork *network)
{
	uint32_t j = 0;

	while (j + 1 < network->n && network->node[j + 1].parents == j + 1)
		j++;
	return j;
}

double
dp_network_scale(uint32_t degree, uint32_t attributes, DpLaplace distribution)
{
	return (double) distribution.sensitivity_l1 * 1e9 / (double) distribution.epsilon_nano *
		   (attributes - degree);
}

/*
 * dp_network_degree -- the theta rule of PrivBayes
 *
 * A table of degree k has rows/cells rows a cell on average, and noise of scale
 * L1 (p - k)/epsilon. The rule takes the largest k for which the first is at least theta times the
 * second, or 0 if there is none. cells is that of a table of k + 1 attributes whose levels
 * are the geometric mean. For binary attributes and replacement, where L1 = 2, this is the
 * paper's n epsilon/((p - k) 2^(k+2)).
 */
uint32_t
dp_network_degree(uint32_t degree_max, const DpDomain *domain, int64_t rows, DpLaplace distribution,
				  double theta)
{
	double log_levels = 0;
	uint32_t p = domain->attributes;
	uint32_t degree = 0;

	for (uint32_t a = 0; a < p; a++)
		log_levels += log((double) domain->attribute[a].levels) / p;
	for (uint32_t k = 1; k <= degree_max && k < p; k++)
	{
		double cells = exp(log_levels * (k + 1));

		if ((double) rows / cells >= theta * dp_network_scale(k, p, distribution))
			degree = k;
	}
	return degree;
}
