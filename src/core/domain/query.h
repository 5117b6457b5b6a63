/*
 * query.h -- aggregates that are asked for: measures of groups of rows, and the statistics that
 * they are computed from. All of it is public.
 *
 * A measure is what the analyst reads, as avg(x). A statistic is an integer for each group to which
 * each row adds one bounded integer, or a value that is chosen privately. Measures are computed
 * from statistics after they got their noise.
 */
#ifndef DP_QUERY_H
#define DP_QUERY_H

#include "core/accounting/privacy_unit.h"
#include "core/base/status.h"
#include "core/domain/domain.h"
#include "core/domain/grid.h"

#define DP_QUERY_METHOD "query"
#define DP_MEASURES_MAX 64
#define DP_STATISTICS_MAX (4 * DP_MEASURES_MAX) /* as many as a measure needs, each */
#define DP_LEAVES_HEIGHT_MAX 12
#define DP_NO_COLUMN UINT32_MAX
#define DP_OPTION_MAX_ROWS "max_rows_per_unit" /* bounds that are given, and cost nothing */
#define DP_OPTION_MAX_SUM "max_sum_per_unit"
#define DP_SHIFT_MAX 125

typedef enum DpMeasureKind
{
	DP_COUNT_ROWS = 0, /* count(*) */
	DP_COUNT = 1,
	DP_COUNT_DISTINCT = 2,
	DP_SUM = 3,
	DP_AVG = 4,
	DP_VAR = 5,
	DP_STDDEV = 6,
	DP_QUANTILE = 7 /* median(x) is quantile(x, 0.5) */
} DpMeasureKind;

typedef struct DpMeasure
{
	DpMeasureKind kind;
	uint32_t column; /* attribute; DP_NO_COLUMN for count(*) */
	int64_t quantile_nano;
} DpMeasure;

/* Whether it is computed from values, and not from whether they are there. */
extern bool dp_measure_needs_range(DpMeasureKind kind);

typedef enum DpStatisticKind
{
	DP_STATISTIC_ROWS = 0,     /* 1 for each row */
	DP_STATISTIC_PRESENT = 1,  /* 1 for each row with a value */
	DP_STATISTIC_DISTINCT = 2, /* levels that occur */
	DP_STATISTIC_SUM = 3,      /* of coordinates */
	DP_STATISTIC_CENTRED = 4,  /* of coordinates from the middle of the range */
	DP_STATISTIC_SQUARES = 5,  /* of the squares of these */
	DP_STATISTIC_CHOICE = 6,   /* a part of the range, chosen by the rows in all of them */
	DP_STATISTIC_ZONES = 7     /* 1 for each row with a value, in a zone around that part */
} DpStatisticKind;

/*
 * The coordinate c of a value adds to a sum (x + 2^(shift-1)) >> shift, where x is c, its distance
 * from the middle or the square of that: a shift of 0 is exact, and a larger one keeps integers
 * small. A choice is among
 * 2^height parts of the range, the leaves, which have equal width but for roundings. Each quantile
 * has one, and the rows in the zones around the chosen leaf (dp_quantile_zone).
 */
typedef struct DpStatistic
{
	DpStatisticKind kind;
	uint32_t column; /* attribute; DP_NO_COLUMN: rows */
	uint32_t shift;
	uint32_t height;
	int64_t first, last;   /* of the column's grid; 0 where it needs none */
	int64_t quantile_nano; /* of a choice and its zones */
	int64_t choice_nano;   /* its epsilon, in 1e-9, for one row that joins or leaves a group */
	uint32_t share;        /* of the budget, beside those of all others */
	bool by_unit;          /* a sum: the vector of a unit over all groups is clipped to unit_max */
	int64_t unit_max;      /* 0: it is not found yet, or follows from its rows */
	int64_t units_over;    /* estimated number of units above unit_max; -1: it was given */
} DpStatistic;

/* The middle of its range, in coordinates. */
extern int64_t dp_statistic_middle(const DpStatistic *statistic);
/* The amount that a row adds whose value has this coordinate. Any coordinate is valid: it is
 * clamped. */
extern int64_t dp_statistic_value(const DpStatistic *statistic, int64_t coordinate);
/* The leaf that the coordinate falls into, clamped. */
extern uint32_t dp_statistic_leaf(const DpStatistic *statistic, int64_t coordinate);
/* The first coordinate of a leaf, as a real number; of leaf 2^height the end of the last one. */
extern double dp_statistic_leaf_begin(const DpStatistic *statistic, uint32_t leaf);
/* The least and the largest integer that one row adds to a cell. */
extern void dp_statistic_bounds(const DpStatistic *statistic, int64_t *least, int64_t *largest);
/* The largest absolute value that one row adds; at least 1. */
extern int64_t dp_statistic_most(const DpStatistic *statistic);
/* The least shift for which what a row adds has at most so many bits. */
extern uint32_t dp_statistic_shift(const DpStatistic *statistic, uint32_t bits);

/* How far the score of a choice moves when a row joins or leaves, in half billionths of a row: twice
 * the larger of q and 1 - q (core/methods/query/quantile_score.h). */
extern int64_t dp_choice_row_sensitivity(const DpStatistic *statistic);
/* A leaf that is so many rows further from the quantile is chosen 1/e times as often, or less. */
extern double dp_choice_rows(const DpStatistic *statistic);
/* The margin of its scores: dp_choice_rows, rounded up. */
extern int64_t dp_choice_margin_rows(const DpStatistic *statistic);

/* What is public of where rows go. */
typedef struct DpCellFacts
{
	bool single; /* there is one cell: no groups */
	bool always; /* every row has a value and adds to a cell, and the number of rows is public */
} DpCellFacts;

/*
 * How far all cells of a statistic that is no choice together move between neighbours; of zones,
 * all zones of all groups. DP_SENSITIVITY_TOO_LARGE where it does not fit. docs/methods/query.md
 * proves both.
 */
extern int64_t dp_statistic_l1(const DpStatistic *statistic, const DpUnit *unit, DpCellFacts facts);
extern int64_t dp_statistic_l2_squared(const DpStatistic *statistic, const DpUnit *unit,
									   DpCellFacts facts);

/* What was asked for, with columns found. */
typedef struct DpQuery
{
	uint32_t measures;
	DpMeasure *measure;
	uint32_t by;
	uint32_t *by_attribute;
	const DpGrid *grid;   /* [attributes] of columns with a range; first > last: it has none */
	const bool *nullable; /* [attributes] */
	/* contributions of units can be bounded: the counter knows the unit of each row */
	bool has_units;
	bool selects; /* rows that the counter reads need not be all of the relation's */
} DpQuery;

/* What one coordinate is worth, and what coordinate 0 is: numbers as they are, dates and times in
 * seconds since 1970, times of a day and intervals in seconds. */
extern double dp_coordinate_unit(const DpGrid *grid);
extern double dp_coordinate_origin(const DpGrid *grid);

/* The grid of a statistic's column; that of whole numbers where it needs no values. */
extern DpGrid dp_statistic_grid(const DpQuery *query, const DpStatistic *statistic);
/* The distinct statistics that the measures need, without shift and height. Returns how many. */
extern uint32_t dp_query_statistics(const DpQuery *query, DpStatistic *statistic);
/* The place of a statistic; -1: it is not there. Of choices, the first of the column, or the one of
 * a quantile; in the same way its zones. */
extern int dp_statistic_find(const DpStatistic *statistic, uint32_t n, DpStatisticKind kind,
							 uint32_t column);
extern int dp_statistic_find_quantile(const DpStatistic *statistic, uint32_t n,
									  DpStatisticKind kind, uint32_t column, int64_t quantile_nano);

/* Measures as text, such as avg(x) or quantile(x, 0.9). */

/*
 * Reads a measure: name(column), count(*), count(distinct column) or quantile(column, 0.9). Names
 * of columns are written as in SQL: folded to lower case, or in double quotes. *column is the name
 * of the column, or NULL. DP_ERR_ARGUMENT.
 */
extern DpStatus dp_measure_read(const char *text, DpMeasure *measure, const char **column,
								DpArena *arena, DpError *error) DP_MUST_USE;
/* Writes it in one form: 'quantile(x, 0.9)'. */
extern DpStatus dp_measure_write(const DpMeasure *measure, const char *column, const char **text,
								 DpArena *arena) DP_MUST_USE;

/*
 * The parts of a range around a leaf that was chosen for a quantile. The rows in them tell how far
 * off the leaf can be.
 *
 * A range of 2^h leaves has 2 h + 1 zones. The one in the middle, h, is the chosen leaf. Zones h -
 * i and h + i hold the leaves that are 2^(i-1) to 2^i - 1 before and behind it. Those beyond the
 * ends of the range are empty.
 */

#define DP_ZONES_MAX(height) (2 * (height) + 1)

/* The zone of a leaf. */
extern uint32_t dp_quantile_zone(uint32_t leaf, uint32_t chosen, uint32_t height);
/* The first and the last zone that has leaves. */
extern uint32_t dp_quantile_zone_first(uint32_t chosen, uint32_t height);
extern uint32_t dp_quantile_zone_last(uint32_t chosen, uint32_t height);
/* The first leaf of a zone that has leaves. */
extern uint32_t dp_quantile_zone_begin(uint32_t zone, uint32_t chosen, uint32_t height);

#endif
