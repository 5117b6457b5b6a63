/*
 * design.h -- the columns of a regression: an intercept, numbers as they are, and one term for
 * each level of a category but its reference level. Pairs of categories on request.
 *
 * A row has few terms that are not 0, however many levels there are. So rows are kept as they
 * were counted, and their terms are found when they are needed.
 */
#ifndef DP_DESIGN_H
#define DP_DESIGN_H

#include "core/base/arena.h"

/* A number, or a category with codes 0..levels-1. */
typedef struct DpPredictor
{
	uint32_t levels; /* 0: a number */
	uint32_t reference;
} DpPredictor;

/* Distinct rows. A category's value is its code. */
typedef struct DpObservations
{
	uint64_t rows;
	uint32_t predictors;
	const double *value;   /* [rows x predictors] */
	const double *outcome; /* [rows] of a logistic model from 0 to 1: a share of the weight */
	const double *weight;  /* [rows] > 0: how many rows of the table they are */
} DpObservations;

typedef struct DpDesign
{
	const DpPredictor *predictor;
	uint32_t predictors;
	bool pairs;      /* also products of the terms of two categories */
	uint32_t terms;  /* the intercept, which is term 0, and all others */
	uint32_t widest; /* the most terms of a row that are not 0 */
	uint32_t *first; /* [predictors] the first term of each */
	uint32_t *pair_first;
	double *centre, *scale; /* [predictors] of numbers, by which they are moved and divided */
} DpDesign;

/* The terms of a row that are not 0, in ascending order. */
typedef struct DpDesignRow
{
	uint32_t n;
	uint32_t *term; /* [widest] */
	double *x;      /* [widest] */
} DpDesignRow;

/* How many terms there would be. Saturates. */
extern uint64_t dp_design_terms(const DpPredictor *predictor, uint32_t predictors, bool pairs);
/* Numbers are left as they are. At most 2^31 terms. */
extern DpStatus dp_design_init(DpDesign *design, const DpPredictor *predictor, uint32_t predictors,
							   bool pairs, DpArena *arena) DP_MUST_USE;
extern DpStatus dp_design_row_init(DpDesignRow *row, const DpDesign *design,
								   DpArena *arena) DP_MUST_USE;
/* Moves and divides numbers so that their mean is 0 and their standard deviation 1. */
extern void dp_design_standardise(DpDesign *design, const DpObservations *rows);
/* Sets row to the terms of the values of one observation. */
extern void dp_design_row(const DpDesign *design, const double *value, DpDesignRow *row);
/* The predictor that a term stands for, if it is not the intercept and not of a pair. */
extern uint32_t dp_design_predictor(const DpDesign *design, uint32_t term);
/* The level of a category that a term stands for. */
extern uint32_t dp_design_level(const DpDesign *design, uint32_t term);

#endif
