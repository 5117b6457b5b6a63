/*
 * propensity.h -- how well a regression tells synthetic rows from original ones.
 *
 * Both tables are put on top of each other, and a logistic regression says for each row how likely
 * it is synthetic: its propensity score. If the tables are alike, all scores are nearly the share
 * of synthetic rows. They are never quite, since the regression also fits what is chance. So each
 * measure comes with its value for synthetic rows that are drawn from the original itself.
 *
 * SECRET: the counts are exact, of rows that the caller may read.
 *
 * Sources: Woo, Reiter, Oganian, Karr, "Global measures of data utility for microdata masked for
 *          disclosure limitation" (2009), for pMSE; Snoke, Raab, Nowok, Dibben, Slavkovic, "General
 *          and specific utility measures for synthetic data" (2018), for its expectation; Bowen,
 *          Liu, Su, "Differentially private data release via statistical election to partition
 *          sequentially" (2021), for SPECKS.
 */
#ifndef DP_PROPENSITY_H
#define DP_PROPENSITY_H

#include "core/base/prng.h"
#include "core/evaluate/regression.h"
#include "core/evaluate/set_counts.h"

#define DP_PROPENSITY_RIDGE 1e-3 /* keeps coefficients finite where a level is in one table only */
#define DP_PROPENSITY_PROGRESS 1e-4 /* a row; what is left moves no score that matters */

/* The distinct rows of two tables. */
typedef struct DpStackedCells
{
	uint64_t cells;
	uint32_t attributes;
	double *value;    /* [cells x attributes] levels */
	double *count[2]; /* [cells] original and synthetic rows */
	double rows[2];
} DpStackedCells;

typedef struct DpPropensity
{
	double ks;   /* Kolmogorov-Smirnov distance of the scores of both tables: SPECKS */
	double pmse; /* mean squared difference of the scores from the share of synthetic rows */
	uint32_t terms;
} DpPropensity;

/* Counts the distinct rows of both tables. DP_ERR_LIMIT: they take more than bytes_max. */
extern DpStatus dp_stack_cells(const DpDomain *domain, const DpCodedRows rows[2],
							   uint64_t bytes_max, DpStackedCells *out, const DpTick *tick,
							   DpArena *arena) DP_MUST_USE;
/* Fits with the main effects of all attributes, and with all pairs. DP_ERR_LIMIT: too many
 * terms. */
extern DpStatus dp_propensity_fit(const DpDomain *domain, const DpStackedCells *cells, bool pairs,
								  DpPropensity *out, const DpTick *tick,
								  DpArena *arena) DP_MUST_USE;
/* Replaces the synthetic rows by as many rows drawn with replacement from the original ones. */
extern DpStatus dp_stack_null(const DpStackedCells *cells, DpPrng *prng, DpStackedCells *out,
							  DpArena *arena) DP_MUST_USE;
/* The expectation of pMSE for such rows where no level is rare: c (1 - c)^2 (terms - 1)/n, c the
 * share of synthetic rows and n the number of all (Snoke et al. 2018). */
extern double dp_pmse_expected(const DpStackedCells *cells, uint32_t terms);

#endif
