/*
 * graphical_measure.h -- behind the wall: exact tables counted in one scan, noisy
 * tables taken of them one by one, and the model that fits what was released so far.
 */
#ifndef DP_GRAPHICAL_MEASURE_H
#define DP_GRAPHICAL_MEASURE_H

#include "currency.h"
#include "graphical.h"
#include "grouping.h"

#define DP_SCORE_UNIT 4                           /* scores are in quarters of a row */
#define DP_ABSOLUTE_OF_NORMAL 0.79788456080286541 /* sqrt(2/pi): mean of |Z|, Z standard normal */
#define DP_DISTANCE_MAX (INT64_C(1) << 50)
/* Of a clique: potentials, messages, the sampler, and what the solver keeps of measured cells. */
#define DP_MODEL_BYTES_A_CELL 128

/* Exact counts. SECRET. */
typedef struct DpTally
{
	DpAttributeSet set;
	uint64_t cells;
	int64_t *count; /* over levels, and over groups once these are known */
} DpTally;

typedef struct DpGraphicalMeasure
{
	const DpMeasurement *m;
	DpCurrency currency;
	uint64_t cells_max;
	uint64_t table_cells_left; /* that the model may still hold */
	int64_t rows;              /* SECRET unless public */
	uint32_t tallies;
	DpTally *tally;
	DpGrouping grouping;
	DpGraphical graphical;
	DpModel *model;
	uint32_t tables_capacity;
} DpGraphicalMeasure;

/* Of memory in MB the cells of cliques. */
extern uint64_t dp_graphical_cells_of(int64_t megabytes);
/*
 * Which sets can be counted: those with at most cells_max cells, in the given order until a model would be
 * full; those of one attribute always. Returns how many, and moves them to the front.
 */
extern uint32_t dp_graphical_feasible(const DpDomain *domain, DpAttributeSet *set, uint32_t n,
									  uint64_t cells_max);
/* Cells, at most; saturated. */
typedef struct DpGraphicalSizes
{
	uint64_t counted;      /* tables that lie within no other */
	uint64_t tallied;      /* tables of all sets */
	uint64_t largest;      /* one of them */
	uint64_t clique_cells; /* of the model */
	uint64_t released;     /* noisy tables */
	uint64_t queried;      /* work for a sum across cliques */
	uint64_t parts;        /* of the tables of a fit: interactions.h */
} DpGraphicalSizes;

/* Of such sets the first three. */
extern DpStatus dp_graphical_plan_counts(const DpDomain *domain, const DpAttributeSet *set,
										 uint32_t n, uint64_t cells_max, DpArena *arena,
										 DpGraphicalSizes *sizes) DP_MUST_USE;
/* Counts the sets, tally[i] of set[i], in one scan. Each attribute must be a set of its own. */
extern DpStatus dp_graphical_open(DpGraphicalMeasure *measure, const DpMeasurement *m,
								  const DpCurrency *currency, const DpAttributeSet *set, uint32_t n,
								  uint64_t cells_max, uint32_t tables_max, DpModel *model,
								  DpError *error) DP_MUST_USE;
/* Releases the table of each attribute for an amount each, groups rare levels (if group, or if there are more
 * levels than the model can hold), and starts the fit. */
extern DpStatus dp_graphical_release_ones(DpGraphicalMeasure *measure, int64_t amount,
										  bool group) DP_MUST_USE;
/* Releases tally[i] and adds it to the fit. */
extern DpStatus dp_graphical_release(DpGraphicalMeasure *measure, uint32_t i,
									 int64_t amount) DP_MUST_USE;
/* Whether the model can hold the noisy table of tally[i]. */
extern bool dp_graphical_has_room(const DpGraphicalMeasure *measure, uint32_t i);
/* Whether the cliques have at most cells_max cells with tally[i] among the tables. */
extern bool dp_graphical_has_cliques(DpGraphicalMeasure *measure, uint32_t i, uint64_t cells_max);
/*
 * The L1 distance between tally[i] and what the fit expects, in 1/DP_SCORE_UNIT rows. What is expected
 * is rounded to that unit first, and public: so the sensitivity is dp_unit_l1 x DP_SCORE_UNIT exactly.
 * DP_DISTANCE_MAX where it is more, which moves less.
 * expected[cells] is work.
 */
extern DpStatus dp_graphical_distance(const DpGraphicalMeasure *measure, uint32_t i,
									  double *expected, int64_t *distance) DP_MUST_USE;
/* Completes the model: rows, groups, parameters. */
extern DpStatus dp_graphical_close(DpGraphicalMeasure *measure, bool systematic) DP_MUST_USE;

#endif
