/*
 * tree_level.h -- the rows of one relation of a tree, drawn given their ancestors.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_TREE_LEVEL_H
#define DPSYN_TREE_LEVEL_H

#include "pg/server/compat.h"

#include "core/sample/conditional_sampler.h"
#include "pg/sample/distinct_codes.h"
#include "pg/sample/draw_job.h"
#include "pg/sample/fitted.h"

/* One table on the way from the root to the one that is asked for. */
typedef struct DpTreeLevel
{
	int number; /* of the part; 0: the root */
	/* the weights of its trials, as another process has found them; NULL: none has */
	const unsigned char *weights;
	const DpDomain *domain;
	DpDrawer drawer;
	DpConditionalSampler *known;
	bool *given;      /* [attributes] known of the parent and of the number of siblings */
	DpTrials *trials; /* of this job's size; their weights are those of the rows */
	int count;        /* attribute of the level above: how many rows belong to one of its rows */
	int siblings;     /* attribute that says the same here */
	int *key; /* [keys] attributes of the level above that rows refer to, if they can be NULL */
	int keys;
	int *from_parent; /* [attributes] the attribute above that each is; -1: none */
	int *
		previous; /* [attributes] the attribute that says what siblings before had of it; -1: none */
	int *again;   /* [attributes] the one that says whether they had the same; -1: none */
	uint32 *codes;  /* [rows x attributes] of the present block */
	uint64 *parent; /* [rows] number of the row that each belongs to */
	uint64 rows;
	uint64 capacity;           /* rows that fit */
	uint64 first;              /* number of the first of them */
	DpDistinctCodes *distinct; /* what rows of one parent do not have alike */
	int order;   /* own attribute in whose order rows of one parent are; -1: in none */
	double full; /* so many rows of one parent were counted in full, and more as so many in all */
	bool tries;  /* in a trial raking counts each row */
	double *weight; /* [rows] in a trial, as in what was measured */
	/* rows of a round */
	DpQuasiRandom points; /* of no dimensions: each row is drawn for itself */
	uint32 orders;
	uint32 *by;    /* [orders] attributes by which they are ordered */
	uint32 ranked; /* the first of them, whose levels are numbered together */
} DpTreeLevel;

/* Prepares to draw rows of a part: the level has its number, and weights. parent: the name of the parent
 * relation. job: tells the set, and ticks. trial: the size of trials, from 0 to DP_TRIAL_SIZES -
 * 1. */
extern void dp_tree_level_prepare(DpTreeLevel *level, const DpTreeLevel *above, DpStoredPart *part,
								  const char *parent, DpDrawJob *job, int trial);
/* How many rows of a level belong to a row of the level above: none where its key is NULL. */
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

#endif
