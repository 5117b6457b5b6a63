/*
 * method.h -- what every method is: plan, measure, prepare, draw.
 *
 *   plan     options + domain + budget -> stages, costs, memory; touches no data
 *   measure  inside the wall: asks for marginals, adds noise, fills the model
 *   prepare  outside: noisy model -> sampler
 *   draw     outside: one row of codes from the sampler
 *
 * A method is one file, method_<name>.c, with one DpMethod at its end.
 */
#ifndef DP_METHOD_H
#define DP_METHOD_H

#include "account.h"
#include "marginal.h"
#include "mechanism.h"
#include "model.h"
#include "options.h"
#include "seed_pool.h"

#define DP_STAGES_MAX 40
#define DP_BLOCK_ROWS 1024 /* rows drawn from one stream; fixes what a seed means */

/* Public facts only. */
typedef struct DpRequest
{
	const DpDomain *domain; /* the attributes to model; open ones undiscovered */
	DpUnit unit;
	DpBudget budget; /* epsilon and delta; no rho */
	const DpOptions *options;
	uint32_t sets; /* to be drawn from; 0 = 1. Measured apart only with independent_sets */
	const DpSeedPool *seeds; /* of option seed_pool; NULL: not given, or not read yet */
} DpRequest;

/* One line of dp_explain. */
typedef struct DpStage
{
	const char *name;      /* "select parents", "hashed conditional histograms", ... */
	const char *mechanism; /* "permute-and-flip", "discrete Laplace", "stability histogram" */
	uint64_t tables;       /* times the mechanism runs */
	DpBudget each;         /* cost of one */
	DpBudget total;
	uint64_t cells;           /* cells that get noise; 0 = depends on the data or unknown */
	double noise_stddev_rows; /* 0 = no additive noise */
	int64_t threshold_rows;   /* 0 = none */
	double random_cells;      /* empty cells that are released, expected; 0 = none */
} DpStage;

typedef struct DpMethod DpMethod;

typedef struct DpPlan
{
	const DpMethod *method;
	const DpRequest *request;
	uint32_t stages;
	DpStage stage[DP_STAGES_MAX];
	/* What is charged: the request's epsilon; its delta, if a stage needs any; the stages' rho. */
	DpBudget cost;
	uint32_t scans; /* passes over the relation */
	uint64_t
		scan_bytes; /* exact tables of the largest of them; 0: not stated, at most memory_bytes */
	uint64_t memory_bytes; /* estimate of the worker's peak, from public sizes */
	DpBudget discovery;    /* for each open attribute without a universe; all 0 if there is none */
	DpBudget discovery_pure;    /* for each one with a universe, likewise */
	int64_t discovery_rho_nano; /* probability that no value is found that nobody has, 1e-9 */
	DpBudget
		remaining; /* what the method itself plans with, for each set: epsilon and delta; no rho */
	uint32_t sets; /* times that the method measures: 1, or independent sets */
	uint64_t rows_held; /* by the release, of each set; 0: any number can be drawn from it */
	void *private_data; /* the method's own */
} DpPlan;

/* Exact counts of the distinct text values of one open attribute. SECRET. NULL is not among them. */
typedef struct DpValueCounts
{
	uint64_t n;
	const char **value;
	int64_t *count;
} DpValueCounts;

/*
 * Exact counts of the non-empty cells over n attributes, some of them open. SECRET.
 * An index is a code, or of an open attribute that of a value in its universe, or,
 * where it has none, of a value in `seen`; DP_CELL_REST there for NULL and for what
 * cannot be a label. Rows with a value outside a universe, NULL too, are in no cell.
 */
#define DP_CELL_REST UINT64_MAX
typedef struct DpCells
{
	uint32_t n;
	const uint32_t *attribute; /* [n] index in the domain; distinct */
	uint64_t cells;
	uint64_t *index; /* [cells x n], each row of it once, in any order until settled */
	int64_t *count;  /* [cells] */
	int64_t rows;    /* of the relation, in cells or not */
	/* [n]: distinct values of open attributes without a universe */
	uint64_t *seen_n;
	const char ***seen;
} DpCells;

/* The data, as measure sees it: each call is one scan, all under one snapshot. */
typedef struct DpCounter
{
	void *context;
	/* Adds every row to each of the n marginals (initialised, over domain). */
	DpStatus (*count)(void *context, const DpDomain *domain, DpMarginal *const *marginals,
					  uint32_t n, DpError *error);
	/* Distinct values of the listed open attributes of domain. */
	DpStatus (*distinct)(void *context, const DpDomain *domain, const uint32_t *attributes,
						 uint32_t n, DpValueCounts *out, DpError *error);
	/* Cells of each of the n sets, whose n and attribute are given; seen_n and seen are [n], zeroed. */
	DpStatus (*cells)(void *context, const DpDomain *domain, DpCells *sets, uint32_t n,
					  DpError *error);
} DpCounter;

/* What measure is handed, behind the wall. */
typedef struct DpMeasurement
{
	const DpPlan *plan;
	const DpDomain *domain; /* discovered: nothing open, unless the method keeps_open */
	const DpCounter *counter;
	DpMeter *meter;
	DpRng *rng;
	DpArena *arena;
	const DpTick *tick;
	void (*stage)(void *context, const char *name); /* announces a public stage name; may be NULL */
	void *stage_context;
} DpMeasurement;

struct DpMethod
{
	const char *name;
	const char *summary;
	const char *guarantee; /* "(epsilon, delta)-DP" */
	/* Not DP at all: for the custodian alone, who also alone may draw from it; never from a budget
	 * (epsilon and delta 0). */
	bool unprotected;
	const char *source; /* paper */
	const DpOptionSpec *specs;
	uint32_t specs_n;
	bool keeps_open; /* measures open attributes itself: nothing is discovered before */
	/* Plans with plan->remaining; appends its stages, adds to scans and memory. */
	DpStatus (*plan)(DpPlan *plan, DpArena *arena, DpError *error);
	DpStatus (*measure)(const DpMeasurement *m, DpModel *model, DpError *error);
	DpStatus (*prepare)(const DpModel *model, DpArena *arena, const DpTick *tick, void **sampler,
						DpError *error);
	/* codes[model->domain.attributes]. The sampler is read-only: many streams may draw from one. */
	void (*draw)(const void *sampler, DpPrng *prng, uint32_t *codes);
	/* Where the release is rows itself (dp_model_holds_rows): the row with that number, from 0; a
	 * seed has no part in it. false: the sampler is one to draw from. NULL: it always is. */
	bool (*fetch)(const void *sampler, uint64_t row, uint32_t *codes);
	/* Cost of a row in elementary draws, to decide on parallel workers. */
	uint64_t (*draw_cost)(const DpModel *model);
	bool gaussian; /* its tables may have Gaussian noise */
	/*
	 * For a method whose rows are not independent of each other; NULL: draw is called row by row. The rows
	 * of one block, in place of draw; what they are depends on the arguments and on expect alone. The
	 * sampler's scratch memory changes: one caller at a time.
	 */
	void (*draw_block)(void *sampler, uint64_t seed, uint64_t set, uint64_t block, uint32_t rows,
					   uint32_t *codes, const DpTick *tick);
	/* How many rows will be drawn in all from the stream; before the first. Without it: the model's. */
	void (*expect)(void *sampler, uint64_t rows);
};

extern const DpMethod *const dp_methods[];
extern const uint32_t dp_methods_n;
extern const DpMethod *dp_method_find(const char *name);

/* Options every method has: "attributes" is applied by the glue before planning (it chooses the columns),
 * "open_share" and "independent_sets" by dp_plan. */
extern const DpOptionSpec dp_common_specs[];
extern const uint32_t dp_common_specs_n;

/*
 * Validates options and budget, plans discovery of open attributes (open_share
 * of the budget, equally), then asks the method. Every error that does not need
 * data is found here. The plan points into request and arena.
 *
 * Stages with rho alone (dp_cost_concentrated) must fit too, by either account:
 * the epsilon of their rho and that of the other stages add up to no more than
 * the request's, or the epsilon of all stages' rho is no more than that. Either
 * conversion is at the delta that the stages leave. Else DP_ERR_OVERDRAW.
 */
extern DpStatus dp_plan(const DpMethod *method, const DpRequest *request, DpArena *arena,
						DpPlan *plan, DpError *error) DP_MUST_USE;
/*
 * Runs a plan behind the wall: discovers open attributes, then measures. meter
 * must hold plan->cost. The model is filled from arena and checked.
 */
extern DpStatus dp_measure(const DpPlan *plan, const DpCounter *counter, DpMeter *meter, DpRng *rng,
						   DpArena *arena, const DpTick *tick,
						   void (*stage)(void *context, const char *name), void *stage_context,
						   DpModel *model, DpError *error) DP_MUST_USE;
/* Appends a stage to a plan and adds its total to plan->cost. DP_ERR_RANGE; DP_ERR_OVERDRAW over the
 * request's epsilon or delta (of rho it has none: that is dp_plan's to check). */
extern DpStatus dp_plan_stage(DpPlan *plan, const DpStage *stage, DpError *error) DP_MUST_USE;

/* States the bytes of the exact tables that one scan fills: those of the largest count. */
extern void dp_plan_counts(DpPlan *plan, uint64_t bytes);

/* The method of a parsed model; DP_ERR_CORRUPT if it names none. */
extern DpStatus dp_model_method(const DpModel *model, const DpMethod **method,
								DpError *error) DP_MUST_USE;
/* How many rows will be drawn, for methods that care. */
extern void dp_draw_expect(const DpMethod *method, void *sampler, uint64_t rows);
/* Rows block x DP_BLOCK_ROWS .. + rows - 1 of the stream (seed, set), or of those that the release holds:
 * codes[row x attributes + a]. */
extern void dp_draw_block(const DpMethod *method, void *sampler, uint32_t attributes, uint64_t seed,
						  uint64_t set, uint64_t block, uint32_t rows, uint32_t *codes,
						  const DpTick *tick);

#endif
