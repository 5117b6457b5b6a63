/*
 * tree_level.h -- the rows of one relation of a tree, drawn given their ancestors.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_TREE_LEVEL_H
#define DPSYN_TREE_LEVEL_H

#include "core/sample/conditional_sampler.h"
#include "pg/sample/draw_job.h"
#include "pg/sample/fitted.h"
#include "pg/sample/store.h"
#include "pg/server/compat.h"

/*
 * Levels by which the rows of one parent differ: what is left of them for the next row.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 *
 * A level has capacity for as many rows as it has values: a category for one, a bin of three years
 * for three. What is used up is removed when a row is drawn (conditional_sampler.h), so that the
 * other levels keep their proportions. Values inside bins are looked at when they are
 * (distinct_rows.h).
 */

typedef struct DpDistinctCodes DpDistinctCodes;

/* Of a part of a release. */
extern DpDistinctCodes *dp_distinct_codes_create(const DpStored *stored);
/* How many rows one parent can have. */
extern uint32 dp_distinct_codes_most(const DpDistinctCodes *distinct);
/* Before a row is drawn: removes what is used up by the `before` rows of the parent that stand
 * right before these codes, and of a level that rows are in order of what comes after so few others
 * that not all of them would differ. left: rows of the parent, from this one on. */
extern void dp_distinct_codes_remove(DpDistinctCodes *distinct, DpConditionalSampler *sampler,
									 const uint32 *codes, uint32 before, uint32 left);
/* After it is drawn: any level may come again. */
extern void dp_distinct_codes_restore(DpDistinctCodes *distinct, DpConditionalSampler *sampler);
/* Whether a row that was drawn takes what is used up. */
extern bool dp_distinct_codes_repeat(const DpDistinctCodes *distinct, const uint32 *codes,
									 uint32 before);
/* Gives such a row any levels that are left. */
extern void dp_distinct_codes_choose(const DpDistinctCodes *distinct, uint32 *codes, uint32 before,
									 DpPrng *prng);

/* What is known of a row before it is drawn; -1: none. */
typedef struct DpTreeKnown
{
	bool *above;  /* [attributes] known of the parent and of the number of siblings */
	int *parent;  /* [attributes] the attribute of the level above that each is */
	int siblings; /* attribute: how many rows belong to the parent */
	/* [attributes] the attribute that says what siblings before had of it */
	int *previous;
	int *again; /* [attributes] the one that says whether they had the same */
} DpTreeKnown;

/* Which rows of the level above have child rows, and how many. */
typedef struct DpTreeParents
{
	int count; /* attribute of the level above: how many rows belong to one of its rows */
	int *key;  /* [keys] attributes of the level above that rows refer to, if they can be NULL */
	int keys;
} DpTreeParents;

/* The rows of a level in the present block. */
typedef struct DpTreeBlockRows
{
	uint64 n;
	uint64 capacity; /* rows that fit */
	uint64 first;    /* number of the first of them */
	uint32 *codes;   /* [n x attributes] */
	uint64 *parent;  /* [n] number of the row that each belongs to */
	double *weight;  /* [n] in a trial, as in what was measured */
} DpTreeBlockRows;

/* The order of the rows of a round. */
typedef struct DpTreeOrder
{
	DpQuasiRandom points; /* of no dimensions: each row is drawn for itself */
	uint32 n;
	uint32 *by;    /* [n] attributes by which they are ordered */
	uint32 ranked; /* the first of them, whose levels are numbered together */
} DpTreeOrder;

/* One table on the way from the root to the one that is asked for. */
typedef struct DpTreeLevel
{
	int number; /* of the part; 0: the root */
	/* the weights of its trials, as another process has found them; NULL: none has */
	const unsigned char *weights;
	const DpDomain *domain;
	DpDrawer drawer;
	DpConditionalSampler *sampler;
	DpTrials *trials; /* for the number of rows of this job; rows get the weights that they find */
	bool tries;       /* in a trial raking counts each row */
	/* how many rows of one parent were counted with full weight; more rows share that weight */
	double full;
	DpDistinctCodes *distinct; /* what rows of one parent do not have alike */
	int order; /* own attribute in whose order rows of one parent are; -1: in none */
	DpTreeKnown known;
	DpTreeParents parents;
	DpTreeOrder round;
	DpTreeBlockRows rows;
} DpTreeLevel;

/* Prepares to draw rows of a part: the level has its number, and weights. parent: the name of the parent
 * relation. job: tells the set, and ticks. trial: the size of trials, from 0 to DP_RAKING_SIZES -
 * 1. */
extern void dp_tree_level_prepare(DpTreeLevel *level, const DpTreeLevel *above, DpStoredPart *part,
								  const char *parent, DpDrawJob *job, int trial);
/* The number of rows of this level that belong to a row of the level above; none if its key is
 * NULL. */
extern uint32 dp_tree_rows_of(const DpTreeLevel *level, const DpTreeLevel *above, uint64 row);
/* In a trial: as how much each child row of a parent counts. */
extern double dp_tree_weight(const DpTreeLevel *level, const DpTreeLevel *above, uint64 row);
/* Counts the child rows of all parents, in the place of those that the level has, and
 * draws none. */
extern void dp_tree_level_skip(DpTreeLevel *level, const DpTreeLevel *above);
/* Draws the child rows of all parents, in the place of those that the level has. stream:
 * of the root's block. */
extern void dp_tree_level_draw(DpTreeLevel *level, const DpTreeLevel *above, DpStream stream,
							   const DpTick *tick);
/* The same by rows that another process has drawn. */
extern void dp_tree_level_take(DpTreeLevel *level, const DpTreeLevel *above, uint64 rows,
							   const void *codes);

/*
 * Values by which the rows of one parent differ.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 *
 * Rows of one parent have levels with values for them all (distinct_codes.c). Values inside bins,
 * ends of ranges, distances and computed columns may be alike all the same. Such a row is drawn
 * again: first its values, inside the same bins, then all of it. If that takes too long, it is
 * left out.
 */

typedef struct DpDistinctValues DpDistinctValues;

/* The distinctness of rows of a part of a release; NULL: rows need not differ. The job must outlive
 * it. */
extern DpDistinctValues *dp_distinct_rows_create(const DpDrawJob *job);
/* At the beginning of a block. */
extern void dp_distinct_rows_begin(DpDistinctValues *distinct);
/*
 * Makes row number `row` of one parent, [rows x columns], differ from those before it. It was drawn
 * last, with these codes. false: no such row was found.
 */
extern bool dp_distinct_rows_keep(DpDistinctValues *distinct, DpRowStream *stream,
								  const uint32 *codes, uint32 row, Datum *values, bool *nulls);

#endif
