/*
 * regression_tables.h -- the tables of a regression as the core reads them: one model for all of
 * them, and the distinct rows of each.
 */
#ifndef DPSYN_REGRESSION_TABLES_H
#define DPSYN_REGRESSION_TABLES_H

#include "pg/server/compat.h"

#include "core/evaluate/regression.h"
#include "pg/evaluate/distinct_rows.h"

/* What the caller asks for. */
typedef struct DpRegressionRequest
{
	Oid *relation; /* the original, then the synthetic ones */
	uint32 relations;
	char *outcome;
	char **predictor;
	uint32 predictors;
	char **categorical; /* numbers that are to be categories */
	uint32 categoricals;
	const char *family; /* NULL: by the outcome's type */
	const char *event;  /* of a logistic model: the outcome that counts as 1; NULL: the later one */
} DpRegressionRequest;

/* A table without the rows that have NULL, or a number that is not finite, in a column of the
 * model. */
typedef struct DpRegressionTable
{
	DpObservations rows;
	int64 used, dropped;
} DpRegressionTable;

typedef struct DpRegressionTables
{
	DpFamily family;
	DpReadColumn *column; /* [1 + predictors] the outcome is first; levels are sorted */
	DpPredictor *predictor;
	uint32 predictors;
	bool *comparable;         /* [predictors] false: no level is in all tables */
	DpRegressionTable *table; /* [relations] */
} DpRegressionTables;

/* Checks the request and reads all relations, each once. */
extern DpRegressionTables *dp_regression_tables(const DpRegressionRequest *request);

#endif
