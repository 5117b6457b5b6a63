/*
 * fit.h -- rows from noisy marginals: one interface to all solvers. Post-processing.
 *
 * The solvers that end in a joint table are listed in fit.c; a new one is a line there and a word
 * in DP_SOLVERS. The graphical solver has no joint table.
 */
#ifndef DP_FIT_H
#define DP_FIT_H

#include "core/base/prng.h"
#include "core/domain/attribute_set.h"
#include "core/domain/given.h"
#include "core/domain/options.h"
#include "core/sample/fit_input.h"
#include "core/sample/sampler.h"

#define DP_SPEC_MARGINALS(words)                                                                   \
	{                                                                                              \
		.name = "workload", .type = DP_OPTION_SETS, .fallback = "2", .minimum = 1,                 \
		.maximum = DP_JOINT_WAYS_MAX, .summary = words                                             \
	}
#define DP_SPEC_SOLVER                                                                             \
	{                                                                                              \
		.name = "solver", .type = DP_OPTION_CHOICE, .fallback = "entropic", .choices = DP_SOLVERS, \
		.summary =                                                                                 \
			"How the joint distribution is found: the nearly largest entropy that fits as "        \
			"well as the noise allows, or step-up equations centred on independence, those "       \
			"of the paper, or a graphical model, which needs no joint table."                      \
	}
#define DP_SPEC_LAMBDA                                                                             \
	{                                                                                              \
		.name = "lambda", .type = DP_OPTION_SHARE, .fallback = "0.001", .minimum = 1,              \
		.maximum = INT64_C(1000000000000), .summary = "Penalty of the step-up equations."          \
	}
#define DP_SPEC_CELL_LIMIT                                                                         \
	{                                                                                              \
		.name = "cell_limit", .type = DP_OPTION_INTEGER, .fallback = "10000000", .minimum = 1,     \
		.maximum = 100000000,                                                                      \
		.summary = "Cells that the joint table may have; with solver graphical, all cliques."      \
	}

/*
 * Checks, from sizes alone, whether a solver can fit the tables. count and value are ignored.
 * DP_ERR_LIMIT: too large; the error names the number, the limit and the remedy. DP_ERR_ARGUMENT:
 * tables are not as stated above.
 */
extern DpStatus dp_fit_check(const DpFitInput *input, DpArena *arena, DpError *error) DP_MUST_USE;
/* The bytes that dp_fit_prepare needs at its peak, for a checked input. */
extern DpStatus dp_fit_memory(const DpFitInput *input, uint64_t *bytes, DpArena *arena) DP_MUST_USE;
/* Solves. The sampler is read-only. */
extern DpStatus dp_fit_prepare(const DpFitInput *input, void **sampler, const DpTick *tick,
							   DpArena *arena, DpError *error) DP_MUST_USE;
extern void dp_fit_draw(const void *sampler, DpPrng *prng, uint32_t *codes);
/* These are marginal and compile of a DpModelQuery, on what dp_fit_prepare made (sampler.h). */
extern DpStatus dp_fit_marginal(const void *sampler, const DpAttributeSet *set, double *out,
								const DpTick *tick, DpArena *arena);
extern bool dp_fit_keeps_zeros(const void *sampler);
extern DpStatus dp_fit_compile(const void *sampler, const DpGiven *given, void **state,
							   const DpTick *tick, DpArena *arena, DpError *error);
/* The margins that are wanted of a fit. */
typedef struct DpFitWanted
{
	uint32_t n;
	const DpFitTable *table; /* [n]; only n, attribute and cells are used */
	double **margin;         /* [n] proportions, allocated by the callee */
} DpFitWanted;

/* Computes margins of the entropic fit. For an input without tables they are uniform. */
extern DpStatus dp_fit_margins(const DpFitInput *input, const DpFitWanted *wanted,
							   const DpTick *tick, DpArena *arena, DpError *error) DP_MUST_USE;

/*
 * Rows from a release that is a list of noisy dense tables (methods/fit_measure.h). cipher and
 * mwem share this sampler.
 */

/* Turns a noisy table into the form that solvers take. DP_ERR_CORRUPT: it is not dense with
 * Laplace noise. */
extern DpStatus dp_fit_table(const DpTable *table, DpFitTable *out) DP_MUST_USE;

extern const DpSampler dp_fit_sampler;

#endif
