/*
 * potentials.c -- messages up and down a junction tree, as products of tables.
 */
#include "core/graphical/potentials.h"

#include <math.h>

/*
 * A product below 1e-308 is lost, and what else it would be multiplied by is at most what its
 * clique's first table is raised by. So of a slice of at least SLICE_LEAST times that nothing
 * that counts is lost. What a smaller one lacks is no more than this bound, relative to the
 * largest slice of its clique. But nearer to the root that largest slice may be as improbable in
 * its turn, in one clique after the other: the bound grows by what the largest slice of each
 * lacks to 1. Where it is more than LOST_MOST of all rows at the root, products do not do.
 */
#define SLICE_LEAST 1e-280
#define LOST_MOST 1e-12
#define PRODUCT_LEAST 1e-100
#define RAISE_BY 0x1p300
#define RAISE_MOST 0x1p600

/* On one core of a common server, in a run of belief propagation: of a parameter, and of a table. */
#define SECONDS_A_PARAMETER 3e-8
#define SECONDS_A_TABLE 2e-6

/* ---- places ---- */

static DpStatus
place_forbidden(DpPotentials *potentials)
{
	DpGraphical *model = potentials->model;

	potentials->forbidden =
		dp_alloc(model->arena, model->impossible.n, sizeof(*potentials->forbidden));
	DP_TRY_ALLOC(potentials->forbidden);
	for (uint32_t i = 0; i < model->impossible.n; i++)
	{
		const DpAttributeSet *set = &model->impossible.table[i].set, *clique;
		DpForbiddenPlace *place = &potentials->forbidden[i];

		place->clique = dp_junction_tree_find(&model->tree, set);
		if (place->clique == model->tree.cliques)
			return DP_ERR_INTERNAL;
		clique = &model->tree.clique[place->clique].set;
		DP_TRY(dp_walk_init(&place->walk, model->renumbering.levels, clique, set));
	}
	return DP_OK;
}

/* Makes the marginalization of one clique: its tables, and the separators of its children. */
static DpStatus
marginalize_clique(DpPotentials *potentials, uint32_t clique, const DpAttributeSet **set)
{
	DpGraphical *model = potentials->model;
	const DpJunctionTree *tree = &model->tree;
	DpMarginalization *marginalization = &potentials->marginalization[clique];
	uint32_t n = 0;

	for (uint32_t i = 0; i < model->measured.n; i++)
		if (potentials->clique[i] == clique)
			set[n++] = &model->measured.table[i]->set;
	for (uint32_t c = 1; c < tree->cliques; c++)
		if (tree->clique[c].parent == clique)
			set[n++] = &tree->clique[c].separator;
	DP_TRY(dp_marginalization_init(marginalization, model->renumbering.levels,
								   &(DpMarginalizationSets){.whole = &tree->clique[clique].set,
															.own = &tree->clique[clique].separator,
															.margin = set,
															.n = n},
								   model->arena));
	marginalization->own.cell = model->belief.clique[clique].total;
	n = 0;
	for (uint32_t i = 0; i < model->measured.n; i++)
		if (potentials->clique[i] == clique)
			potentials->margin[i] = &marginalization->table[n++];
	for (uint32_t c = 1; c < tree->cliques; c++)
		if (tree->clique[c].parent == clique)
			marginalization->table[n++].cell = model->belief.clique[c].message;
	return DP_OK;
}

static double
seconds_of(const DpPotentials *potentials)
{
	const DpGraphical *model = potentials->model;
	double seconds =
		SECONDS_A_PARAMETER * (double) model->potentials.n + SECONDS_A_TABLE * model->measured.n;

	for (uint32_t c = 0; c < model->tree.cliques; c++)
		seconds += dp_marginalization_seconds(&potentials->marginalization[c]);
	return seconds;
}

DpStatus
dp_potentials_init(DpPotentials *potentials, DpGraphical *model)
{
	uint32_t cliques = model->tree.cliques, sets = model->measured.n + cliques;
	const DpAttributeSet **set = dp_alloc(model->arena, sets, sizeof(*set));

	*potentials = (DpPotentials){.model = model, .logarithms = model->impossible.n > 0};
	potentials->clique = dp_alloc(model->arena, model->measured.n, sizeof(*potentials->clique));
	potentials->margin = dp_alloc(model->arena, model->measured.n, sizeof(*potentials->margin));
	potentials->marginalization =
		dp_alloc(model->arena, cliques, sizeof(*potentials->marginalization));
	potentials->raised = dp_alloc(model->arena, cliques, sizeof(*potentials->raised));
	potentials->lost = dp_alloc(model->arena, cliques, sizeof(*potentials->lost));
	DP_TRY_ALLOC(set && potentials->clique && potentials->margin && potentials->marginalization &&
				 potentials->raised && potentials->lost);
	for (uint32_t i = 0; i < model->measured.n; i++)
	{
		potentials->clique[i] = dp_junction_tree_find(&model->tree, &model->measured.table[i]->set);
		if (potentials->clique[i] == cliques)
			return DP_ERR_INTERNAL;
	}
	for (uint32_t c = 0; c < cliques; c++)
	{
		potentials->raised[c] = 1;
		DP_TRY(marginalize_clique(potentials, c, set));
	}
	dp_free(model->arena, set, sets, sizeof(*set));
	potentials->seconds = seconds_of(potentials);
	return place_forbidden(potentials);
}

void
dp_potentials_free(DpPotentials *potentials)
{
	DpGraphical *model = potentials->model;
	DpArena *arena = model->arena;

	for (uint32_t c = 0; c < model->tree.cliques; c++)
		dp_marginalization_free(&potentials->marginalization[c], arena);
	dp_free(arena, potentials->marginalization, model->tree.cliques,
			sizeof(*potentials->marginalization));
	dp_free(arena, potentials->raised, model->tree.cliques, sizeof(*potentials->raised));
	dp_free(arena, potentials->lost, model->tree.cliques, sizeof(*potentials->lost));
	dp_free(arena, potentials->clique, model->measured.n, sizeof(*potentials->clique));
	dp_free(arena, potentials->margin, model->measured.n, sizeof(*potentials->margin));
	dp_free(arena, potentials->forbidden, model->impossible.n, sizeof(*potentials->forbidden));
}

/* Points the marginalizations at one array over all tables. */
static void
lend(const DpPotentials *potentials, const double *x)
{
	const DpGraphical *model = potentials->model;
	uint64_t at = 0;

	for (uint32_t i = 0; i < model->measured.n; at += model->measured.table[i++]->cells)
		potentials->margin[i]->cell = (double *) (uintptr_t) x + at;
}

/* ---- by products ---- */

/* Sets factor = exp(potential - the largest of its table). Returns the sum of the largest. */
static double
make_factors(const DpPotentials *potentials, const double *potential, double *factor)
{
	const DpGraphical *model = potentials->model;
	double sum = 0;

	for (uint32_t i = 0; i < model->measured.n; i++)
	{
		uint64_t cells = model->measured.table[i]->cells;
		double most = potential[0];

		for (uint64_t k = 1; k < cells; k++)
			most = potential[k] > most ? potential[k] : most;
		for (uint64_t k = 0; k < cells; k++)
			factor[k] = potential[k] - most;
		sum += most;
		potential += cells;
		factor += cells;
	}
	dp_exp_all(factor - model->potentials.n, model->potentials.n);
	return sum;
}

/* Makes the first table of a clique so many times larger. */
static void
raise_first(const DpMarginalization *marginalization, uint64_t cells, double factor)
{
	for (uint64_t i = 0; i < cells; i++)
		marginalization->table[0].cell[i] *= factor;
}

/* Fills a clique and returns its largest slice. */
static double
fill_clique(const DpMarginalization *marginalization, DpBeliefClique *clique)
{
	double most = 0;

	dp_marginalization_fill(marginalization, clique->cell);
	for (uint64_t i = 0; i < clique->separator_cells; i++)
		most = clique->total[i] > most ? clique->total[i] : most;
	return most;
}

/* Takes what a clique's message may lack, of its largest cell, to the clique that it goes to. */
static void
hand_on_lost(DpPotentials *potentials, uint32_t number, double most)
{
	const DpBelief *belief = &potentials->model->belief;
	const DpBeliefClique *clique = &belief->clique[number];
	double raised = potentials->raised[number], least = SLICE_LEAST * raised;
	double lost = potentials->lost[number] * raised;
	bool faint = false;

	for (uint64_t i = 0; i < clique->separator_cells; i++)
		faint |= clique->total[i] < least;
	lost = (faint ? lost + least : lost) / most;
	if (number == 0)
		potentials->lost[0] = lost;
	else
		potentials->lost[belief->tree->clique[number].parent] += lost;
}

/*
 * Fills a clique and its message. Where tables are largest in different places, no cell comes near
 * to 1. Then the first table is raised, and stays so in the next runs. false: products might lose
 * what counts.
 */
static bool
collect(DpPotentials *potentials, uint32_t number, double *log_scale)
{
	const DpMarginalization *marginalization = &potentials->marginalization[number];
	DpBeliefClique *clique = &potentials->model->belief.clique[number];
	uint64_t cells = marginalization->margins > 0 ? marginalization->table[0].cells : 0;
	double *raised = &potentials->raised[number], most;

	if (*raised > 1)
		raise_first(marginalization, cells, *raised);
	most = fill_clique(marginalization, clique);
	while (!(most >= PRODUCT_LEAST) && *raised < RAISE_MOST)
	{
		*raised *= RAISE_BY;
		raise_first(marginalization, cells, RAISE_BY);
		most = fill_clique(marginalization, clique);
	}
	if (!(most >= PRODUCT_LEAST))
		return false;
	for (uint64_t i = 0; i < clique->separator_cells; i++)
		clique->message[i] = clique->total[i] / most;
	hand_on_lost(potentials, number, most);
	*log_scale += log(most) - log(*raised);
	return true;
}

/* Spreads over each slice the mass of its separator cell. false: the product of a slice is so small
 * that a factor is infinite, and 0 times that would be no number. */
static bool
distribute(const DpMarginalization *marginalization, DpBeliefClique *clique)
{
	bool finite = true;

	for (uint64_t i = 0; i < clique->separator_cells; i++)
	{
		clique->total[i] = clique->total[i] > 0 ? clique->message[i] / clique->total[i] : 0;
		finite = finite && isfinite(clique->total[i]);
	}
	if (finite)
		dp_marginalization_spread(marginalization, clique->cell);
	return finite;
}

static bool
expect_by_products(DpPotentials *potentials, const double *potential, double *expected,
				   double *log_sum)
{
	DpBelief *belief = &potentials->model->belief;
	uint32_t cliques = belief->tree->cliques;

	*log_sum = make_factors(potentials, potential, expected);
	lend(potentials, expected);
	for (uint32_t i = 0; i < cliques; i++)
		potentials->lost[i] = 0;
	for (uint32_t i = cliques; i-- > 0;)
		if (!collect(potentials, i, log_sum))
			return false;
	if (!(potentials->lost[0] <= LOST_MOST))
		return false;
	belief->clique[0].message[0] = belief->total;
	for (uint32_t i = 0; i < cliques; i++)
		if (!distribute(&potentials->marginalization[i], &belief->clique[i]))
			return false;
	return true;
}

/* ---- by logarithms ---- */

static double
expect_by_logarithms(DpPotentials *potentials, const double *potential, double *expected)
{
	DpGraphical *model = potentials->model;
	DpBelief *belief = &model->belief;
	double log_sum;

	for (uint32_t i = 0; i < model->impossible.n; i++)
		dp_walk_add(&potentials->forbidden[i].walk,
					belief->clique[potentials->forbidden[i].clique].cell,
					model->impossible.table[i].potential);
	for (uint32_t i = 1; i < belief->tree->cliques; i++)
		for (uint64_t k = 0; k < belief->clique[i].separator_cells; k++)
			belief->clique[i].message[k] = 0; /* no message has been sent yet */
	lend(potentials, potential);
	for (uint32_t c = 0; c < belief->tree->cliques; c++)
		dp_marginalization_add(&potentials->marginalization[c], belief->clique[c].cell);
	log_sum = dp_belief_calibrate(belief);
	lend(potentials, expected);
	for (uint32_t c = 0; c < belief->tree->cliques; c++)
		dp_marginalization_sum(&potentials->marginalization[c], belief->clique[c].cell);
	return log_sum;
}

double
dp_potentials_expect(DpPotentials *potentials, const double *potential, double *expected)
{
	DpBelief *belief = &potentials->model->belief;
	double log_sum;

	potentials->model->seconds += potentials->seconds;
	if (!potentials->logarithms)
	{
		dp_belief_forget(belief);
		if (expect_by_products(potentials, potential, expected, &log_sum))
			return log_sum;
		potentials->logarithms = true;
	}
	dp_belief_clear(belief);
	return expect_by_logarithms(potentials, potential, expected);
}
