/*
 * regression.h -- linear regression by least squares and logistic regression by maximum likelihood
 * of distinct rows with weights, with standard errors.
 *
 * What cannot be estimated is said of each term, and the others are estimated without it.
 */
#ifndef DP_REGRESSION_H
#define DP_REGRESSION_H

#include "core/base/arena.h"

/*
 * The columns of a regression: an intercept, numbers as they are, and one term for each level of a
 * category but its reference level. Pairs of categories on request.
 *
 * A row has few terms that are not 0, however many levels there are. So rows are kept as they were
 * counted, and their terms are found when they are needed.
 */

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

/* What is fitted, and the possible results. */

typedef enum DpFamily
{
	DP_FAMILY_LINEAR = 0,
	DP_FAMILY_LOGISTIC = 1
} DpFamily;

typedef enum DpTermState
{
	DP_TERM_FITTED = 0,
	DP_TERM_ABSENT,    /* no row has the level, or the number is the same in all rows */
	DP_TERM_COLLINEAR, /* a combination of terms before it */
	DP_TERM_SEPARATED, /* the likelihood grows without end: there is no finite estimate */
	DP_TERM_LEFT_OUT   /* as the caller said */
} DpTermState;

typedef enum DpFitState
{
	DP_FIT_DONE = 0,
	DP_FIT_EMPTY,     /* no rows */
	DP_FIT_CONSTANT,  /* the outcome is the same in all rows */
	DP_FIT_FEW_ROWS,  /* no more rows than terms */
	DP_FIT_SEPARATED, /* the terms tell the outcome of each row */
	DP_FIT_NOT_CONVERGED
} DpFitState;

typedef struct DpRegressionModel
{
	DpFamily family;
	const DpPredictor *predictor;
	uint32_t predictors;
	bool pairs;
	const bool *left_out; /* [terms] or NULL */
	double ridge;         /* half of it times the squared coefficients but the intercept is added */
	/* With a ridge and many terms: the fit ends when its last steps lowered the loss by less than
	 * this a row; 0: when it is at the minimum. */
	double progress;
} DpRegressionModel;

/*
 * The passes of a regression over its rows: the loss, the gradient and the matrix of the normal
 * equations at some coefficients.
 */

/*
 * The Cholesky factor of a symmetric positive matrix, row by row. A column that is a combination of
 * those before it is left out, as statistical software does with collinear terms.
 */
typedef struct DpFactor
{
	uint32_t n;
	double *l;  /* [n x n] the lower triangle: first of the matrix, then of its factor */
	bool *kept; /* [n] of a row that is not kept, L has its products with the rows before */
} DpFactor;

/* A matrix of zeros with all columns kept. */
extern DpStatus dp_factor_init(DpFactor *factor, uint32_t n, DpArena *arena) DP_MUST_USE;
extern void dp_factor_free(DpFactor *factor, DpArena *arena);
/*
 * Factors the matrix in its place. Columns that are not kept stay out, and so does each whose
 * square that is left is at most tolerance times its own. Returns how many are kept.
 */
extern uint32_t dp_factor_make(DpFactor *factor, double tolerance, const DpTick *tick);
/* Solves L L' x = b in the place of b. x is 0 for columns that are not kept. */
extern void dp_factor_solve(const DpFactor *factor, double *b);
/* The square of the length of the solution of L y = a, which is a' (L L')^-1 a. Uses a. */
extern double dp_factor_square(const DpFactor *factor, double *a);
/* Sets z to the combination of kept columns before column that gives that column, which is not
 * kept. */
extern void dp_factor_combination(const DpFactor *factor, uint32_t column, double *z);

#define DP_COLLINEAR_TOLERANCE 1e-10 /* of a column's square: what is left of a collinear one */

/* Where a row is. */
typedef enum DpRowPlace
{
	DP_ROW_IN = 0,
	DP_ROW_ASIDE,   /* for good */
	DP_ROW_CERTAIN, /* as good as certain: to be put aside, if that makes a difference */
} DpRowPlace;

typedef struct DpFit
{
	const DpRegressionModel *model;
	const DpObservations *rows;
	const DpTick *tick;
	DpDesign *design;
	DpDesignRow row;
	DpFactor factor;
	double total;     /* of the weights */
	uint8_t *place;   /* [rows] a DpRowPlace */
	double *fitted;   /* [rows] */
	double *beta;     /* [terms] of the standardised design */
	double *gradient; /* [terms] upwards */
	double *step, *tried;
} DpFit;

/* The loss at beta of the rows that are not aside; sets the gradient and, with the matrix, the
 * second derivative. */
extern double dp_fit_pass(DpFit *fit, const double *beta, double *gradient, bool matrix);
/* X'WX of the rows that are not aside. */
extern void dp_fit_pass_plain(DpFit *fit);
/* How many of n terms are kept. */
extern uint32_t dp_fit_kept(const bool *kept, uint32_t n);

typedef struct DpRegression
{
	DpFitState state;
	DpDesign design;
	double *coefficient;     /* [terms] */
	double *standard_error;  /* [terms]; 0 with a ridge */
	DpTermState *term_state; /* [terms] */
	double rows;             /* the sum of the weights */
	double df;               /* residual degrees of freedom; infinite for a logistic model */
	double *fitted;          /* [rows] of a logistic model: the probability of each row */
} DpRegression;

/* Without a ridge there may be this many terms, and with one ten times as many. */
#define DP_REGRESSION_TERMS_MAX 2000

/*
 * Fits the model. DP_ERR_LIMIT: too many terms. If the state is not DP_FIT_DONE, no coefficient is
 * to be used; term_state still says which terms are absent or collinear, where there are rows.
 */
extern DpStatus dp_regression_fit(const DpRegressionModel *model, const DpObservations *rows,
								  DpRegression *out, const DpTick *tick,
								  DpArena *arena) DP_MUST_USE;
/* Half the width of the interval that holds a coefficient with that confidence, in standard
 * errors: Student's t, which is normal where df is infinite. */
extern double dp_regression_width(const DpRegression *regression, double confidence);

#endif
