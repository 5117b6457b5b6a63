/*
 * plan.h -- what a release will do and cost, from public facts alone: requests, stages and plans.
 *
 * A method appends its stages to a plan. What makes a whole plan of a request is planner.h.
 */
#ifndef DP_PLAN_H
#define DP_PLAN_H

#include "core/accounting/budget.h"
#include "core/accounting/privacy_unit.h"
#include "core/base/status.h"
#include "core/domain/options.h"
#include "core/domain/query.h"
#include "core/domain/seed_pool.h"
#include "core/domain/workload.h"

/*
 * How long a release will take, and how much memory, as public sizes let expect.
 *
 * What is done is counted: rows that are read, tables that a row is counted in, cells that are
 * fitted. Each has its price, in seconds on one core of a common server. It is an estimate and not
 * a bound, since what a method chooses decides how large its model grows. bench/cost_estimate.py
 * prints what is expected beside what was measured.
 */

#define DP_EXPECTED_SIZES 40 /* of tables of up to 2^k cells */

/* Rounds that choose tables by the expected counts of a graphical model, and fit it again. */
typedef struct DpCostRounds
{
	uint64_t cells;      /* most cells of the model's cliques */
	uint64_t counted;    /* cells of the exact tables */
	uint64_t tables;     /* that are released */
	uint64_t candidates; /* scored in each round */
	uint64_t scorings;
	bool batched; /* each fit is followed by as many tables as there are columns */
	uint64_t columns;
	double noise_stddev; /* of a table, rows */
} DpCostRounds;

/* Trees of pairs, and a model of them. */
typedef struct DpCostPairs
{
	uint64_t columns; /* 0: the method has no such trees */
	uint64_t joint_cells;
	double noise_stddev; /* of a pair's table, where there is one tree, rows */
	double rows_least;   /* with fewer there is one tree, which is fitted at once */
} DpCostPairs;

/* All for each measurement. */
typedef struct DpCostEstimate
{
	double seconds; /* whatever the rows and the model */
	uint64_t scans; /* passes over the relation */
	double members; /* of a row: attributes of all tables that it is counted in */
	double hashed;  /* of a row: tables whose cells are looked up, which fill as rows come */
	uint64_t bytes; /* private memory of the worker without its model and its hashed tables */
	/* A model that grows as far as noise lets tables tell something: more rows, more cells. */
	double levels;       /* of a column of the model, as their geometric mean */
	DpCostRounds rounds; /* 0 cells: the method has no such model */
	DpCostPairs pairs;
	/* Of the tables that it may have: cells of all together, by the k of the smallest 2^k that is
	 * no less than the cells of one. */
	double sets_of_size[DP_EXPECTED_SIZES];
} DpCostEstimate;

/* Adds that each row is counted in so many tables, over so many attributes each. */
extern void dp_expect_tables(DpCostEstimate *estimate, uint64_t tables, double attributes);
/* Adds a table of so many cells to those that a model may be made of. */
extern void dp_expect_candidate(DpCostEstimate *estimate, uint64_t cells);
/* Adds rounds, and what they need. */
extern void dp_expect_rounds(DpCostEstimate *estimate, const DpCostRounds *rounds);
/* Adds the growth of a tree of pairs over so many columns; gains: pairs are weighed by what they
 * tell of others, too. */
extern void dp_expect_tree(DpCostEstimate *estimate, uint64_t columns, bool gains);
/* Adds fits of a distribution over so many cells each. */
extern void dp_expect_fits(DpCostEstimate *estimate, uint64_t fits, uint64_t cells);
/* Adds scores for which so many cells are read, one after another. */
extern void dp_expect_scores(DpCostEstimate *estimate, uint64_t cells);
/* Adds exact tables with so many cells that exist at the same time. */
extern void dp_expect_counts(DpCostEstimate *estimate, uint64_t cells);
/* Adds the noise of so many cells. */
extern void dp_expect_noise(DpCostEstimate *estimate, uint64_t cells);
/* The seconds of a cell of a clique in a run of belief propagation, by the mean levels of a column. */
extern double dp_cost_estimate_cell_seconds(double levels);
/* The seconds of fitting a model to its tables, and of choosing these tables. */
extern double dp_cost_estimate_fit_seconds(const DpCostEstimate *estimate, uint64_t rows);
/* Totals for a relation with so many rows and columns; 0 rows: unknown. The bytes do not include
 * those that any worker has. */
extern double dp_cost_estimate_seconds_of(const DpCostEstimate *estimate, uint64_t columns,
										  uint64_t rows);
extern uint64_t dp_cost_estimate_bytes_of(const DpCostEstimate *estimate, uint64_t rows);
/* Private memory of a worker that handles so many columns and counts nothing. */
extern uint64_t dp_cost_estimate_worker_bytes(uint64_t columns);

#define DP_STAGES_MAX (8 + DP_STATISTICS_MAX) /* those of a query, and what finds open values */

/*
 * The rules of the relation, which may forbid combinations of levels that are known only after
 * discovery. add_zeros adds these to the zeros of a domain, from its levels and edges alone. It is
 * post-processing.
 */
typedef struct DpRuleSource
{
	void *context;
	DpStatus (*add_zeros)(void *context, DpDomain *domain, DpArena *arena); /* NULL: no rules */
	/* Marks each of n released values of an attribute that its column calls equal to one before it.
	 * NULL: values are equal if they are spelled alike. */
	void (*mark_equal)(void *context, const DpAttribute *attribute, const char *const *value,
					   uint64_t n, bool *repeated);
} DpRuleSource;

/* What is asked for. It has public facts only. */
typedef struct DpRequest
{
	const DpDomain *domain; /* the attributes to model; open ones are not discovered yet */
	DpUnit unit;
	DpBudget budget; /* epsilon and delta; no rho */
	int64_t
		no_false_positives_nano; /* of sparse histograms, at least, in 1e-9; 0: whatever the options say */
	const DpOptions *options;
	uint32_t sets;           /* sets to draw; 0 = 1. Measured apart only with independent_sets */
	const DpSeedPool *seeds; /* the rows of option seed_pool; NULL: not given, or not read yet */
	const DpQuery *query;    /* what method query answers; NULL: nothing was asked */
	const DpTick *tick;      /* planning can take long, too */
	DpRuleSource rules;
	const int32_t *known; /* [attributes] DpKnown of each; NULL: nothing is known of rows */
	uint32_t
		full_rows; /* rows per parent that count with full weight; 0: the relation has no parent */
	bool ordered;  /* and are in order of this attribute, which is kept, too */
	uint32_t order;
	uint32_t previous; /* the attribute that says what the row before had of it */
	/* The budget is this share, in 1e-9, of one that several plans have together. Rho is shared out
	 * then, and dp_plans_check says whether the plans keep to it. 0: it is a budget of its own. */
	int64_t share_nano;
} DpRequest;

/* One line of dp_explain. */
typedef struct DpStage
{
	const char *name;      /* "select parents", "hashed conditional histograms", ... */
	const char *mechanism; /* "permute-and-flip", "discrete Laplace", "stability histogram" */
	uint64_t tables;       /* times the mechanism runs */
	DpBudget each;         /* cost of one run */
	DpBudget total;
	uint64_t cells;           /* cells that get noise; 0 = depends on the data or unknown */
	double noise_stddev_rows; /* 0 = no additive noise; of a query's sums in the unit below */
	const char *unit;         /* of the noise; NULL: rows */
	int64_t threshold_rows;   /* 0 = none */
	double false_positives;   /* expected number of empty cells that are released; 0 = none */
	bool finds_bins;          /* of ranges, with which other stages count */
	/* its tables are over attributes of siblings, which are known: nothing is drawn from them */
	bool known;
} DpStage;

/* What finding the bins of one range costs. All 0: there is none. */
typedef struct DpRangePrice
{
	bool concentrated;         /* as rho alone, which the whole release converts at its end */
	int64_t tree_epsilon_nano; /* of the tree */
	int64_t leaves;            /* of the counts of its leaves: rho in 1e-12, else epsilon in 1e-9 */
	int64_t edge;              /* of one edge that is placed after that, of all ranges; likewise */
} DpRangePrice;

typedef struct DpMethod DpMethod;

typedef struct DpPlan
{
	const DpMethod *method;
	const DpRequest *request;
	uint32_t stages;
	DpStage stage[DP_STAGES_MAX];
	/* What is charged: the epsilon of the request; its delta if a stage needs any; the rho of
	 * the stages. */
	DpBudget cost;
	uint32_t scans;      /* passes over the relation */
	uint64_t scan_bytes; /* exact tables of the largest scan; 0: not stated, at most memory_bytes */
	uint64_t memory_bytes;   /* a bound of the worker's peak, from public sizes */
	DpCostEstimate estimate; /* bytes: memory_bytes where the method does not state it */
	DpBudget discovery; /* for each open attribute without a universe; all 0 if there is none */
	DpBudget discovery_pure; /* for each open attribute with a universe; all 0 if there is none */
	DpRangePrice range;      /* of the bins of each range */
	uint32_t open_levels;    /* values that are kept of an open attribute at most; 0: all */
	int64_t
		discovery_no_false_positives_nano; /* probability that only values of the data are found, 1e-9 */
	DpBudget remaining; /* what the method plans with, for each set; it has no rho */
	uint32_t sets;      /* number of measurements: 1, or the number of independent sets */
	uint64_t rows_held; /* rows that the release holds, in each set; 0: any number can be drawn */
	void *private_data; /* belongs to the method */
} DpPlan;

/*
 * Appends a stage to a plan and adds its total to plan->cost. DP_ERR_RANGE. DP_ERR_OVERDRAW: the
 * sum exceeds the epsilon or delta of the request. A request has no rho; dp_plan checks the rho of
 * the stages (planner.h).
 */
extern DpStatus dp_plan_stage(DpPlan *plan, const DpStage *stage, DpError *error) DP_MUST_USE;

/* The least and the largest standard deviation of the noise of stages, without stages over known
 * attributes of siblings. 0: no stage has additive noise. */
extern void dp_plan_noise(const DpPlan *plan, double *least, double *largest);

/* Tells the bytes of the exact tables that one scan fills. The plan keeps the largest number. */
extern void dp_plan_counts(DpPlan *plan, uint64_t bytes);

/* The probability with which a sparse histogram releases nothing that nobody has: what the option
 * (no_false_positives or open_no_false_positives) says, spec_nano, or the request's where it is not
 * given. DP_ERR_ARGUMENT: it is less than the request's. */
extern DpStatus dp_plan_no_false_positives(const DpPlan *plan, const char *option,
										   int64_t spec_nano, int64_t *no_false_positives_nano,
										   DpError *error) DP_MUST_USE;
#define DP_SPEC_NO_FALSE_POSITIVES                                                                 \
	{                                                                                              \
		.name = "no_false_positives", .type = DP_OPTION_SHARE, .fallback = "0.9", .minimum = 1,    \
		.maximum = 999999999,                                                                      \
		.summary = "Probability that nothing is released which nobody has; a smaller one shows "   \
				   "smaller counts, and more that is nothing but noise."                           \
	}

#endif
