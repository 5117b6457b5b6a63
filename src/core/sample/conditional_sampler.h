/*
 * conditional_sampler.h -- rows of a fitted graphical model given observed levels (evidence), which
 * differ from row to row.
 *
 * condition_belief makes one distribution for many rows. Here each row has a condition of its
 * own: exact levels of the same attributes. A row costs as much as the cells of those cliques whose
 * known levels differ from those of the row before, and little where they do not.
 */
#ifndef DP_CONDITIONAL_SAMPLER_H
#define DP_CONDITIONAL_SAMPLER_H

#include "core/base/prng.h"
#include "core/sample/raking.h"
#include "core/sample/sampler.h"

/*
 * A quasi-random sequence of points in a cube, in place of random points.
 *
 * Point n has the coordinates (shift_k + n step_k) mod 1, with irrational steps (a Kronecker
 * sequence; Niederreiter 1992, chapter 3): of points that follow each other about as many lie in a
 * part of the cube as the part is large. The shift is random, so that one point by itself is
 * uniform in the cube (Cranley and Patterson 1976).
 */

#define DP_QUASI_RANDOM_DIMENSIONS_MAX 8

typedef struct DpQuasiRandom
{
	uint32_t dimensions;
	uint64_t step[DP_QUASI_RANDOM_DIMENSIONS_MAX],
		shift[DP_QUASI_RANDOM_DIMENSIONS_MAX]; /* of 2^64 */
} DpQuasiRandom;

/* dimensions: DP_QUASI_RANDOM_DIMENSIONS_MAX at most. */
extern void dp_quasi_random_init(DpQuasiRandom *points, uint32_t dimensions);
extern void dp_quasi_random_shift(DpQuasiRandom *points, DpPrng *prng);
/* Point number n: unit[dimensions], each in [0, 1). */
extern void dp_quasi_random_get(const DpQuasiRandom *points, uint64_t n, double *unit);

typedef struct DpConditionalSampler DpConditionalSampler;

/*
 * Compiles what dp_graphical_sampler's query has fitted, which must outlive it. known[a]: whether
 * attribute a is known in each row. DP_ERR_LIMIT: a clique has too many cells that are open.
 */
extern DpStatus dp_conditional_sampler_build(const void *fitted, const bool *known,
											 DpConditionalSampler **out,
											 DpArena *arena) DP_MUST_USE;
/* The rows that are drawn next have the known levels of codes, which must stay. */
extern void dp_conditional_sampler_condition(DpConditionalSampler *rows, const uint32_t *codes);
/* How many coordinates of a point decide a row; 0: rows are to be independent of each other. */
extern uint32_t dp_conditional_sampler_dimensions(const DpConditionalSampler *rows);
/* The rows that are drawn next take point[dp_conditional_sampler_dimensions], uniform in [0, 1), in
 * the place of random numbers, for the cells of their cliques. NULL: random numbers again. */
extern void dp_conditional_sampler_point(DpConditionalSampler *rows, const double *point);
/* Rows that are drawn next have the weights of raking, which must stay. */
extern DpStatus dp_conditional_sampler_weigh(DpConditionalSampler *rows, const DpRaking *raking,
											 DpArena *arena) DP_MUST_USE;
/*
 * The row that is drawn next has none of n levels of an attribute that is drawn: the others keep
 * their proportions. codes must stay; n 0: any level again. Where the model gives the others no
 * probability, a level can come that should not.
 */
extern void dp_conditional_sampler_without(DpConditionalSampler *rows, uint32_t attribute,
										   const uint32_t *codes, uint32_t n);
/* Whether the rows that are drawn next record how probable their levels were. */
extern void dp_conditional_sampler_record(DpConditionalSampler *rows, bool records);
/* Of the row that was drawn last: share[a] has the probability of each group of levels of an
 * open attribute a, given what is known and what cliques before its own have. */
extern DpRakingShares dp_conditional_sampler_recorded(const DpConditionalSampler *rows);
/*
 * Draws all of a row with the distribution of the model given what is known, times the weights.
 * Where that has no probability, what is open is uniform over the cells of its clique. The state
 * has scratch memory, so that one caller uses it at a time.
 */
extern const DpSampler dp_conditional_row_sampler;

#endif
