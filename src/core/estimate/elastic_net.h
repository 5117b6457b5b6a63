/*
 * elastic_net.h -- multinomial logistic regression of one attribute on others, with an elastic-net
 * penalty. It works in floating point and has no privacy of its own: what is fitted to a protected
 * relation stays behind the wall.
 *
 * It minimises over intercepts b and weights w[feature level][class]
 *
 *		1/W sum_i w_i (-ln p_i[y_i]) + lambda (m |w|_1 + (1 - m)/2 |w|_2^2),
 *		p_i = softmax(b + sum of w[level] over the levels of row i)
 *
 * W is the sum of the row weights, m the mixing. Every level has its own weight (there is no
 * reference level). Intercepts are not penalised.
 *
 * Source: Friedman, Hastie, Tibshirani, "Regularization paths for generalized linear models via
 *         coordinate descent" (2010), for the objective; elastic_net.c for the steps.
 */
#ifndef DP_ELASTIC_NET_H
#define DP_ELASTIC_NET_H

#include "core/base/arena.h"

/* Distinct rows, and for each attribute an index of the rows by level. */
typedef struct DpNetRows
{
	uint64_t rows;
	uint32_t attributes;
	const uint32_t *levels; /* [attributes] */
	const uint32_t *codes;  /* [rows x attributes] */
	uint64_t **first;       /* [attributes][levels + 1]: where the rows of a level begin in row */
	uint32_t **row;         /* [attributes][rows] */
} DpNetRows;

typedef struct DpNetPenalty
{
	double lambda; /* >= 0 */
	double mixing; /* 0 = ridge .. 1 = lasso */
} DpNetPenalty;

/* A fit ends after a pass over all weights with no step larger than tolerance, or after
 * passes_max passes. */
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
	uint32_t features;       /* attributes that the target is regressed on */
	const uint32_t *feature; /* [features] never the target */
	double *intercept;       /* [classes] */
	double **weight;         /* [features][levels x classes] */
	uint32_t passes;         /* of the last fit */
} DpElasticNet;

/* Builds the index. codes and levels stay the property of the caller. DP_ERR_LIMIT: 2^32 rows or
 * more. */
extern DpStatus dp_net_rows_build(DpNetRows *data, DpArena *arena) DP_MUST_USE;
/* Starts with all weights 0. */
extern DpStatus dp_elastic_net_init(DpElasticNet *net, const DpNetRows *data, uint32_t target,
									const uint32_t *feature, uint32_t features,
									DpArena *arena) DP_MUST_USE;
/* Fits to row weights >= 0, starting from the weights as they are. A row of weight 0 is left
 * out; if all rows are, nothing changes. The result is deterministic. */
extern DpStatus dp_elastic_net_fit(DpElasticNet *net, const double *row_weight,
								   DpNetPenalty penalty, DpNetEffort effort, const DpTick *tick,
								   DpArena *arena) DP_MUST_USE;
/* Computes f[classes] of a row. The target's code in the row is ignored. */
extern void dp_elastic_net_predict(const DpElasticNet *net, const uint32_t *row, double *f);
/* The sum of -w_i ln p_i[y_i]. Each probability counts as at least 1e-12. */
extern DpStatus dp_elastic_net_loss(const DpElasticNet *net, const double *row_weight, double *loss,
									DpArena *arena) DP_MUST_USE;
extern void dp_elastic_net_free(DpElasticNet *net, DpArena *arena);

/* How many numbers a net of one attribute on these features has. Saturates. */
extern uint64_t dp_elastic_net_parameters(const uint32_t *levels, uint32_t target,
										  const uint32_t *feature, uint32_t features);

#endif
