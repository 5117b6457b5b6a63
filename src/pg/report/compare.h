/*
 * compare.h -- the page about two tables, original and synthetic: its facts, and its parts.
 *
 * Every number comes from a function or a SELECT that runs with the rights of the caller, who so
 * needs the right to read both. The page holds exact figures of the original.
 */
#ifndef DPSYN_REPORT_COMPARE_H
#define DPSYN_REPORT_COMPARE_H

#include "pg/evaluate/compared_tables.h"
#include "pg/report/report.h"

#define DP_COMPARED_WAYS_MAX 3

/* A column that both tables have. Members of two are of the original and of the synthetic rows, and
 * NaN where they are not known. */
typedef struct DpReportColumn
{
	const char *name;
	const char *quoted; /* as a statement names it */
	Oid type;           /* base type in the original */
	bool is_number;     /* or a time, as seconds */
	double distance;    /* total variation, of the tables of this column */
	double nulls[2];
	double mean[2], sd[2], median[2];
} DpReportColumn;

/* All tables of so many columns. */
typedef struct DpReportWays
{
	double mean, worst; /* total variation distance; NAN: not computed */
	const char *which;  /* the columns of the worst */
} DpReportWays;

/* How strongly two columns hang together: Cramer's V. */
typedef struct DpReportPair
{
	const char *name[2];
	double strength[2];
} DpReportPair;

/* What the caller asks for besides. An argument is NULL where the option is not given. */
typedef struct DpCompareOptions
{
	DpArgument known, secret;               /* name[] and name */
	DpArgument outcome, predictors, family; /* name, name[] and text */
	bool propensity;                        /* whether a regression can tell rows apart */
	int64 release;                          /* that the rows come from; 0: not given */
	const char *evaluation; /* options of dp_evaluate, as members of a JSON object, or "" */
	bool columns;           /* they name columns */
} DpCompareOptions;

typedef struct DpCompareReport
{
	DpReport report;
	Oid relation[2];
	const char *name[2]; /* quoted, with schema, as a statement names it */
	const char *heading; /* prefix of the headings of its sections: "visits: ", or "" */
	const char *columns; /* JSON list of the columns to compare; NULL: all */
	DpCompareOptions options;
	DpReleased released; /* where the options name a release */
	double rows[2];
	uint32 n;
	DpReportColumn *column; /* [n] in the order of the original */
	double *pair;           /* [n x n] distances, [i x n + j] with j <= i */
	DpReportWays ways[DP_COMPARED_WAYS_MAX];
	uint64 pairs;
	DpReportPair *strength; /* [pairs] */
	const char *skipped;    /* what was not compared, and why; NULL: nothing */
} DpCompareReport;

/* A row of dp_evaluate about relations that belong together. */
typedef struct DpTreeRow
{
	char *measure;
	char *column[2]; /* the second NULL: there is one */
	double value, original, synthetic;
	char *detail;
} DpTreeRow;

/* What dp_evaluate says of relations that belong together (compare_tree.c). */
typedef struct DpCompareTree
{
	uint64 n;
	DpTreeRow *row;
	DpComparedTables tables;
} DpCompareTree;

/* Lists of OIDs. */
extern DpCompareTree *dp_compare_tree_measure(List *original, List *synthetic);
/* The result about these columns (the second may be NULL); NULL: there is none. */
extern const DpTreeRow *dp_tree_row(const DpCompareTree *tree, const char *measure,
									const char *column, const char *second);
/* JSON list of the columns of a table that are compared; NULL: it has none. */
extern char *dp_compare_tree_columns(const DpCompareTree *tree, Oid relation);
/* The tables, their keys, who is protected and what is made up (compare_database.c). */
extern void dp_put_compared_totals(DpPage *page, const DpCompareTree *tree);
extern void dp_put_compared_database(DpCompareReport *of, const DpCompareTree *tree);
/* What hangs together across the tables. */
extern void dp_put_compared_tree(DpCompareReport *of, const DpCompareTree *tree);

/* A figure for each column, the worst first. */
extern void dp_put_compared_columns(DpCompareReport *of);
/* A regression of both tables, if the options name an outcome and predictors. */
extern void dp_put_compared_regression(DpCompareReport *of);
/*
 * The section on whether a regression can distinguish the rows of both, if the options ask for it.
 */
extern void dp_put_compared_propensity(DpCompareReport *of);
/*
 * The section on an intruder, if the options say which columns are known and which one is secret.
 */
extern void dp_put_compared_risk(DpCompareReport *of);

#endif
