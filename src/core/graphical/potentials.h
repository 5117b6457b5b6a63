/*
 * potentials.h -- from the potentials of tables to the counts that they make expected: what a fit
 * evaluates again and again.
 *
 * A cell of a clique weighs exp of the sum of the potentials of its tables, times the messages of
 * its children. exp is taken of the tables, which are small, and the clique is their product. Each
 * table is first divided by its largest cell and each message too, so that no product overflows.
 * Where products might lose what counts, and where some cells are impossible, sums of logarithms
 * take their place (belief.h).
 */
#ifndef DP_POTENTIALS_H
#define DP_POTENTIALS_H

#include "core/estimate/marginalization.h"
#include "core/graphical/graphical_model.h"

/* Where the impossible cells of a set lie in a clique. */
typedef struct DpForbiddenPlace
{
	uint32_t clique;
	DpWalk walk;
} DpForbiddenPlace;

typedef struct DpPotentials
{
	DpGraphical *model;
	uint32_t *clique;                /* [tables] the clique that holds each */
	DpMarginalizationTable **margin; /* [tables] its table in the marginalization of the clique */
	DpMarginalization
		*marginalization;        /* [cliques] the tables of each, then its children's separators */
	DpForbiddenPlace *forbidden; /* [forbidden] */
	double *raised;              /* [cliques] how many times the first table of each is raised */
	double *lost;    /* [cliques] what the message of each may lack, of its largest cell */
	bool logarithms; /* products do not serve any more */
	double seconds;  /* of a run of belief propagation, by the prices of DpGraphical.seconds */
} DpPotentials;

/* Finds a clique for every table of a model whose tree and belief are there. */
extern DpStatus dp_potentials_init(DpPotentials *potentials, DpGraphical *model) DP_MUST_USE;
extern void dp_potentials_free(DpPotentials *potentials);
/* Sets expected[parameters] to the expected counts of each table, one after the other, and the
 * cliques of the belief to theirs. Returns the logarithm of the sum of all cells. */
extern double dp_potentials_expect(DpPotentials *potentials, const double *potential,
								   double *expected);

/*
 * The tables that a model is fitted to: they agree with each other and hold nothing in impossible
 * cells.
 */

/* Sets agreed of all tables of the model. interactions must be made from these tables. */
extern DpStatus dp_graphical_consistency(DpGraphical *model, DpInteractions *interactions,
										 double total, const DpTick *tick) DP_MUST_USE;

#endif
