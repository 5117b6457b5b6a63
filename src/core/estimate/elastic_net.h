/*
 * elastic_net.h -- multinomial logistic regression of one attribute on others,
 * with an elastic-net penalty. Floating point, no privacy of its own: what is
 * fitted to a protected relation stays behind the wall.
 *
 * Minimised over intercepts b and weights w[feature level][class]:
 *
 *		1/W sum_i w_i (-ln p_i[y_i]) + lambda (m |w|_1 + (1 - m)/2 |w|_2^2),
 *		p_i = softmax(b + sum of w[level] over the levels of row i)
 *
 * W is the sum of the row weights, m the mixing. Every level has a weight of its
 * own (no reference level); intercepts are not penalised.
 *
 * Source: the objective of Friedman, Hastie, Tibshirani, "Regularization paths for
 * generalized linear models via coordinate descent" (2010); the steps: elastic_net.c.
 */
#ifndef DP_ELASTIC_NET_H
#define DP_ELASTIC_NET_H

#include "arena.h"

/* Distinct rows, and for each attribute the rows by level. */
typedef struct DpNetRows
{
	uint64_t rows;
	uint32_t attributes;
	const uint32_t *levels; /* [attributes] */
	const uint32_t *codes;  /* [rows x attributes] */
	uint64_t **first;       /* [attributes][levels + 1]: where a level's rows begin in row */
	uint32_t **row;         /* [attributes][rows] */
} DpNetRows;

typedef struct DpNetPenalty
{
	double lambda; /* >= 0 */
	double mixing; /* 0 = ridge .. 1 = lasso */
} DpNetPenalty;

/* When to end: no step of a pass over all weights is larger than tolerance, or passes_max passes. */
typedef struct DpNetEffort
{
	double tolerance;
	uint32_t passes_max;
} DpNetEffort;

typedef struct DpElasticNet
{
	const DpNetRows *data;
	uint32_t target;
	uint32_t classes;
	uint32_t features;       /* attributes that it is regressed on */
	const uint32_t *feature; /* [features] never the target */
	double *intercept;       /* [classes] */
	double **weight;         /* [features][levels x classes] */
	uint32_t passes;         /* of the last fit */
} DpElasticNet;

/* Under 2^32 rows, else DP_ERR_LIMIT. codes and levels stay the caller's. */
extern DpStatus dp_net_rows_build(DpNetRows *data, DpArena *arena) DP_MUST_USE;
/* All weights 0. */
extern DpStatus dp_elastic_net_init(DpElasticNet *net, const DpNetRows *data, uint32_t target,
									const uint32_t *feature, uint32_t features,
									DpArena *arena) DP_MUST_USE;
/* Fits to row weights >= 0 (a row of weight 0 is left out), starting from the weights as they are. Without
 * any rows all is left as it is. Deterministic. */
extern DpStatus dp_elastic_net_fit(DpElasticNet *net, const double *row_weight,
								   DpNetPenalty penalty, DpNetEffort effort, DpArena *arena,
								   const DpTick *tick) DP_MUST_USE;
/* f[classes] of a row; the target's code in it is not looked at. */
extern void dp_elastic_net_predict(const DpElasticNet *net, const uint32_t *row, double *f);
/* Sum of -w_i ln p_i[y_i]; each probability counts as 1e-12 at least. */
extern DpStatus dp_elastic_net_loss(const DpElasticNet *net, const double *row_weight,
									DpArena *arena, double *loss) DP_MUST_USE;
extern void dp_elastic_net_free(DpElasticNet *net, DpArena *arena);

/* Numbers that a net of one attribute on these features has. Saturates. */
extern uint64_t dp_elastic_net_parameters(const uint32_t *levels, uint32_t target,
										  const uint32_t *feature, uint32_t features);

#endif
