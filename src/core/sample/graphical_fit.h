/*
 * graphical_fit.h -- a distribution on a junction tree that rows can be drawn from and queries
 * answered by: what the queries of all models without a joint table share.
 */
#ifndef DP_GRAPHICAL_FIT_H
#define DP_GRAPHICAL_FIT_H

#include "core/graphical/belief.h"
#include "core/graphical/graphical.h"
#include "core/sample/level_split.h"
#include "core/sample/model_query.h"
#include "core/sample/sampler.h"

/* Rows from a fitted graphical model. */

typedef struct DpGraphicalSampler DpGraphicalSampler;

/*
 * Compiles a fitted model, which need not outlive the sampler. split[a][g] belongs to group g of
 * attribute a. rows is the number that will be drawn unless expect says otherwise. systematic: rows
 * that are drawn together get as even a share of each cell as they can; else each row is drawn by
 * itself.
 */
extern DpStatus dp_graphical_sampler_build(const DpGraphical *model, uint64_t rows,
										   const DpLevelSplit *const *split, bool systematic,
										   DpGraphicalSampler **out, DpArena *arena) DP_MUST_USE;
/* These are draw, draw_block and expect of a DpSampler. */
extern void dp_graphical_draw(const void *sampler, DpPrng *prng, uint32_t *codes);
extern void dp_graphical_draw_block(void *sampler, const DpRowBlock *block, uint32_t *codes,
									const DpTick *tick);
extern void dp_graphical_expect(void *sampler, uint64_t rows);

/* The most cells of tables on the way to an answer. */
#define DP_GRAPHICAL_ANSWER_CELLS (UINT64_C(1) << 24)

typedef struct DpGraphicalFit
{
	DpGraphical graphical; /* its tree and belief are used */
	const DpDomain *domain;
	uint32_t *const *group; /* [attributes][levels of the domain]; NULL: every level is a group */
	const DpLevelSplit *const *split; /* [attributes][groups] */
	double **share; /* [attributes][levels of the domain] of its group; NULL where group is */
	uint64_t rows;
	bool systematic;
} DpGraphicalFit;

/* Fills share from group and split. */
extern DpStatus dp_graphical_fit_shares(DpGraphicalFit *fit, DpArena *arena) DP_MUST_USE;
/* Splits in which every level is a group of its own. */
extern DpStatus dp_graphical_single_splits(const DpDomain *domain, const DpLevelSplit *const **out,
										   DpArena *arena) DP_MUST_USE;
/* These are marginal and compile of a DpModelQuery (sampler.h). */
extern DpStatus dp_graphical_fit_marginal(const void *fit, const DpAttributeSet *set, double *out,
										  const DpTick *tick, DpArena *arena);
extern DpStatus dp_graphical_fit_compile(const void *fit, const DpGiven *given, void **state,
										 const DpTick *tick, DpArena *arena, DpError *error);

/*
 * From a stored model to a fit and a sampler, for every method whose tables are those of a
 * graphical model.
 *
 * Such a model first has the table of each attribute, in order, then tables over several
 * attributes. Its structure gives the group of each level (grouping.h). In a table over several
 * attributes only the first level of a group has a value. After the groups, the structure may hold
 * the potentials of the fit, in the order of its tables. They are a function of the tables, and
 * spare fitting again. Zeros and priors of the domain are added to the fit after the attributes'
 * own tables (noisy_measurement.h). Priors among the tables then have potentials too.
 */

#define DP_GRAPHICAL_CELLS_MAX (UINT64_C(1) << 29) /* the most of a stored model: 64 GB */

extern const DpSampler dp_graphical_sampler;

#endif
