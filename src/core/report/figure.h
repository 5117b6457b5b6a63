/*
 * figure.h -- figures of a report: functions from numbers and names to SVG.
 *
 * Each figure is an <svg> with a title and a description, which a screen reader says in its place.
 * Colours come from classes of the page's style (style.c), so that they follow light and dark.
 * What a colour says is said by a text, a form or a position, too. Coordinates are those of a
 * drawing of a fixed width, which the page scales.
 */
#ifndef DP_FIGURE_H
#define DP_FIGURE_H

#include "core/report/page.h"

/* What a screen reader says of a figure. */
typedef struct DpFigureText
{
	const char *title;
	const char *description;
} DpFigureText;

/* Opens and closes the <svg> of a figure: for the other files of the figures. */
extern void dp_figure_open(DpPage *page, const DpFigureText *words, double width, double height);
extern void dp_figure_close(DpPage *page);

/* ---- bars ---- */

/* A share of rows with a name. Members that are not known are NAN. */
typedef struct DpBar
{
	const char *label;
	double value;
	double low, high;  /* the interval of value */
	double original;   /* what value stands beside: drawn as a second bar */
	const char *words; /* written at the end of the bar; NULL: nothing */
	bool rest;         /* stands for several values: drawn apart from the others */
} DpBar;

typedef struct DpBars
{
	DpFigureText words;
	uint32_t n;
	const DpBar *bar;
	bool paired;  /* whether bars have an original */
	bool stacked; /* labels stand above the bars; so they do where two would be cut alike */
	bool whole; /* intervals are shown whole; otherwise far wider ones than the bars are cut off */
} DpBars;

extern void dp_put_bars(DpPage *page, const DpBars *bars);

/* ---- histograms ---- */

/* Shares of rows in neighbouring bins, drawn as areas. */
typedef struct DpHistogramFigure
{
	DpFigureText words;
	uint32_t bins;
	const double *edge;            /* [bins + 1] ascending, on any scale */
	const char *const *edge_label; /* [bins + 1] */
	const double *share;           /* [bins] */
	const double *low, *high;      /* [bins] intervals; NULL: none */
	const double *original;        /* [bins] shares drawn as a line; NULL: none */
} DpHistogramFigure;

/* Whether the bins are so uneven that dp_put_histogram draws all of them equally wide, and heights
 * are shares; otherwise areas are. */
extern bool dp_histogram_is_even(const DpHistogramFigure *histogram);
extern void dp_put_histogram(DpPage *page, const DpHistogramFigure *histogram);

/* ---- matrices ---- */

#define DP_SHADES 6

/* A number for each pair of columns, as shades. */
typedef struct DpMatrix
{
	DpFigureText words;
	uint32_t n;
	const char *const *name; /* [n] */
	const double *value;     /* [n x n] of which [i x n + j] with j <= i are drawn; NAN: hatched */
	double shade[DP_SHADES - 1]; /* shade s holds values from shade[s - 1] to below shade[s] */
	double unit;                 /* numbers in cells are multiples of it: 0.01 for percent */
} DpMatrix;

extern uint32_t dp_matrix_shade(const DpMatrix *matrix, double value);
extern void dp_put_matrix(DpPage *page, const DpMatrix *matrix);
/* The key of the shades. hatched: the meaning of a hatched cell; NULL: no cell is hatched. */
extern void dp_put_matrix_key(DpPage *page, const DpMatrix *matrix, const char *hatched);

/* ---- coefficients ---- */

/* A coefficient of a regression: of the original, and of the synthetic rows. NAN: not known. */
typedef struct DpCoefficient
{
	const char *label;
	const char *level; /* of a column of categories, on a line of its own; NULL: none */
	double value[2], low[2], high[2];
} DpCoefficient;

typedef struct DpForest
{
	DpFigureText words;
	uint32_t n;
	const DpCoefficient *coefficient; /* [n] */
} DpForest;

extern void dp_put_forest(DpPage *page, const DpForest *forest);

/* ---- tables that belong together ---- */

#define DP_DATABASE_TABLES_MAX 100 /* that are drawn */

typedef enum DpTableRole
{
	DP_TABLE_UNPROTECTED,
	DP_TABLE_PUBLIC,
	DP_TABLE_ROOT,  /* protected by itself */
	DP_TABLE_MEMBER /* its rows belong to those of another */
} DpTableRole;

typedef struct DpTableBox
{
	const char *name;
	const char *words; /* a line below the name */
	DpTableRole role;
	int parent;                 /* number of the table to whose rows its rows belong; -1: none */
	uint32_t depth;             /* below a root */
	uint32_t modelled, made_up; /* columns */
} DpTableBox;

/* A foreign key that does not say whose a row is. */
typedef struct DpTableArrow
{
	uint32_t from, to;
} DpTableArrow;

typedef struct DpDatabaseFigure
{
	DpFigureText words;
	uint32_t n;
	const DpTableBox *table; /* [n] each root is followed by what belongs to it */
	uint32_t arrows;
	const DpTableArrow *arrow; /* [arrows] */
} DpDatabaseFigure;

/* The first DP_DATABASE_TABLES_MAX of the tables. */
extern void dp_put_database(DpPage *page, const DpDatabaseFigure *database);

/* ---- what epsilon bounds ---- */

/* A hundred guesses, of which 50 are right by chance, and of the others this share: for guesses
 * who is in the data at most dp_membership_advantage. */
extern void dp_put_guesses(DpPage *page, const DpFigureText *words, double advantage);

#endif
