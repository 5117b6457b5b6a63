/*
 * graphical_measure.h -- behind the wall: exact tables are counted in one scan, noisy tables are
 * released from them one by one, and a model fits what was released so far.
 */
#ifndef DP_GRAPHICAL_MEASURE_H
#define DP_GRAPHICAL_MEASURE_H

#include "core/graphical/graphical.h"
#include "core/graphical/grouping.h"
#include "core/graphical/junction_tree.h"
#include "core/plan/privacy_measure.h"
#include "core/plan/measurement.h"

/* Memory for a cell of a clique: potentials, messages, the sampler, and what the solver keeps
 * for measured cells. */
#define DP_MODEL_BYTES_A_CELL 128

/* Exact counts. SECRET. */
typedef struct DpExactMarginal
{
	DpAttributeSet set;
	uint64_t cells;
	int64_t *count; /* over levels; over groups once these are known */
} DpExactMarginal;

/* The cells that all cliques would have with a set among the tables, or more than they may have. */
typedef struct DpMarginalEstimate
{
	uint64_t cells;
	uint32_t graphs; /* that of the graphical model when it was computed */
	bool known;
} DpMarginalEstimate;

typedef struct DpGraphicalMeasure
{
	/* given to dp_graphical_open */
	const DpMeasurement *m;
	DpPrivacyMeasure privacy_measure;
	uint64_t cells_max;       /* most cells of all cliques */
	uint32_t tables_capacity; /* noisy tables, at most */
	int64_t damping;          /* of tables of several attributes; 0: as DpGraphicalStart has it */
	DpModel *model;
	/* filled in as measuring goes on */
	uint64_t table_cells_left; /* cells of noisy tables that the model may still hold */
	int64_t rows;              /* SECRET unless public */
	uint32_t marginals;
	DpExactMarginal *exact;
	uint64_t largest;                  /* most cells of a exact, over levels */
	DpMarginalEstimate *cost_estimate; /* [marginals] */
	DpGrouping grouping;
	DpGraphical graphical;
	DpCliqueGrowth growth; /* of the tables so far, for dp_graphical_fits */
	uint32_t grown_graphs; /* that of the graphical model when it was built */
} DpGraphicalMeasure;

/* The number of cells of cliques that so many MB of memory hold. */
extern uint64_t dp_graphical_cells_of(int64_t megabytes);
/*
 * Moves the sets that can be counted to the front and returns their number: every set of one
 * attribute, and larger sets in the given order, while each has at most cells_max cells and all
 * exact tables fit.
 */
extern uint32_t dp_graphical_feasible(const DpDomain *domain, DpAttributeSet *set, uint32_t n,
									  uint64_t cells_max);
/* Numbers of cells, at most; saturated. */
typedef struct DpGraphicalSizes
{
	uint64_t counted;      /* tables that lie within no other */
	uint64_t members;      /* columns of these, and not cells */
	uint64_t margin_cells; /* tables of all sets */
	uint64_t largest;      /* largest of these */
	uint64_t clique_cells; /* of the model */
	uint64_t released;     /* noisy tables */
	uint64_t queried;      /* work for a sum across cliques */
	uint64_t parts;        /* parts of the tables of a fit (interactions.h) */
} DpGraphicalSizes;

/*
 * Computes counted, members, margin_cells and largest for these sets. They are in the order of
 * dp_attributes_compare, and among them are all subsets of each, or all that fit a bound on cells.
 * A set of several attributes with more than cells_max cells is left out.
 */
extern DpStatus dp_graphical_plan_counts(const DpDomain *domain, const DpAttributeSet *set,
										 uint32_t n, uint64_t cells_max, DpGraphicalSizes *sizes,
										 const DpTick *tick, DpArena *arena) DP_MUST_USE;
/* Counts all sets in one scan: exact[i] for set[i]. Each attribute must be a set of its own. */
extern DpStatus dp_graphical_open(DpGraphicalMeasure *measure, const DpAttributeSet *set,
								  uint32_t n, DpError *error) DP_MUST_USE;
/* The amount that the table of one attribute costs: its own, and that of an attribute that
 * describes siblings (workload.h). */
typedef struct DpOneAmounts
{
	int64_t own, sibling;
} DpOneAmounts;

/* Releases the table of each attribute, paying its amount for it, groups rare levels (of all
 * attributes if there are more levels than the model can hold), and starts the fit. */
extern DpStatus dp_graphical_release_one_way(DpGraphicalMeasure *measure, DpOneAmounts amounts,
											 DpGroupingOf of) DP_MUST_USE;
/* Releases exact[i] and adds it to the fit. */
extern DpStatus dp_graphical_release(DpGraphicalMeasure *measure, uint32_t i,
									 int64_t amount) DP_MUST_USE;
/* Whether the model can hold the noisy table of exact[i]. */
extern bool dp_graphical_can_hold(const DpGraphicalMeasure *measure, uint32_t i);
/*
 * Whether the cliques have at most cells_max cells with exact[i] among the tables. A set for which
 * they were too large is not tried again before cells_max has reached what it asked for then, since
 * more tables hardly ever make cliques smaller.
 */
extern bool dp_graphical_has_cliques(DpGraphicalMeasure *measure, uint32_t i, uint64_t cells_max);
/* Makes the next two ready for the tables so far. Who never asks for it has no such tree, and then
 * dp_graphical_fits goes by the tree that would be built alone. */
extern DpStatus dp_graphical_query(DpGraphicalMeasure *measure) DP_MUST_USE;
/* Whether the cliques have at most cells_max cells if the tree of the tables so far grows for
 * exact[i]: soon found. */
extern bool dp_graphical_grows(const DpGraphicalMeasure *measure, uint32_t i, uint64_t cells_max);
/* Whether the model can hold the noisy table of exact[i], the tree can grow for it, and
 * the tree that would be built has at most cells_max cells, too. The answer depends on the
 * tables alone, not on what was asked before. */
extern bool dp_graphical_fits(DpGraphicalMeasure *measure, uint32_t i, uint64_t cells_max);
/* Completes the model: rows, groups, parameters. */
extern DpStatus dp_graphical_close(DpGraphicalMeasure *measure, bool systematic) DP_MUST_USE;

#endif
