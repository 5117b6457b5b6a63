/*
 * forest.c -- forest plots of coefficients. Each coefficient has its name, and below it a dot with
 * its interval for the original and one for the synthetic rows. The figure fits a narrow page, so
 * that its text is never shrunk.
 */
#include <math.h>

#include "core/report/figure.h"

#define WIDTH 340.0
#define MARGIN 6.0
#define LABEL_COLUMNS 44
#define NAME_COLUMNS 20 /* of the column, before its level */
#define LEVEL_COLUMNS 24
#define LABEL_HEIGHT 14.0
#define LINE 42.0

/* From coefficients to the drawing. */
typedef struct Line
{
	double low, high;
} Line;

static double
place(const Line *line, double value)
{
	double at = (fmin(fmax(value, line->low), line->high) - line->low) / (line->high - line->low);

	return MARGIN + at * (WIDTH - 2 * MARGIN);
}

static void
include(Line *line, double value)
{
	if (isfinite(value))
	{
		line->low = fmin(line->low, value);
		line->high = fmax(line->high, value);
	}
}

/* All coefficients and 0; intervals as far as they are not far wider. */
static Line
line_of(const DpForest *forest)
{
	Line line = {0, 0}, ends;
	double span;

	for (uint32_t i = 0; i < forest->n; i++)
		for (int s = 0; s < 2; s++)
			include(&line, forest->coefficient[i].value[s]);
	ends = line;
	for (uint32_t i = 0; i < forest->n; i++)
		for (int s = 0; s < 2; s++)
		{
			include(&ends, forest->coefficient[i].low[s]);
			include(&ends, forest->coefficient[i].high[s]);
		}
	span = line.high - line.low;
	if (!(span > 0))
		span = 1;
	return (Line){fmax(ends.low, line.low - span), fmax(fmin(ends.high, line.high + span), 1e-300)};
}

static void
put_side(DpPage *page, const Line *line, const DpCoefficient *of, int side, double y)
{
	double x = place(line, of->value[side]);

	if (!isfinite(of->value[side]))
		return;
	if (isfinite(of->low[side]) && isfinite(of->high[side]))
		dp_put(page, "<path class=\"interval\" d=\"M%.2f %gH%.2f\"/>", place(line, of->low[side]),
			   y, place(line, of->high[side]));
	if (side == 0)
		dp_put(page, "<circle class=\"original\" cx=\"%.2f\" cy=\"%g\" r=\"4.5\"/>", x, y);
	else
		dp_put(page, "<rect class=\"synthetic\" x=\"%.2f\" y=\"%g\" width=\"8\" height=\"8\"/>",
			   x - 4, y - 4);
}

static void
put_label(DpPage *page, const DpCoefficient *of, double y)
{
	if (of->level == NULL)
		dp_put(page, "<text class=\"small\" x=\"1\" y=\"%g\">%.*s</text>", y, LABEL_COLUMNS,
			   of->label);
	else
		dp_put(page, "<text class=\"small\" x=\"1\" y=\"%g\">%.*s: %.*s</text>", y, NAME_COLUMNS,
			   of->label, LEVEL_COLUMNS, of->level);
}

/* The line of coefficients that are 0, down to its number below all others. */
static void
put_zero(DpPage *page, const Line *line, double bottom)
{
	double x = place(line, 0);

	for (double top = LABEL_HEIGHT + 2; top < bottom; top += LINE)
		dp_put(page, "<path class=\"axis\" d=\"M%.2f %gv%g\"/>", x, top, LINE - LABEL_HEIGHT - 2);
	dp_put(page, "<text class=\"middle small\" x=\"%.2f\" y=\"%g\">0</text>\n", x, bottom + 14);
}

void
dp_put_forest(DpPage *page, const DpForest *forest)
{
	Line line = line_of(forest);

	dp_figure_open(page, &forest->words, WIDTH, LINE * forest->n + 24);
	put_zero(page, &line, LINE * forest->n + 6);
	for (uint32_t i = 0; i < forest->n; i++)
	{
		const DpCoefficient *of = &forest->coefficient[i];
		double top = LINE * i + LABEL_HEIGHT, middle = top + (LINE - LABEL_HEIGHT) / 2 + 1;

		put_label(page, of, top - 2);
		put_side(page, &line, of, 0, middle - 6);
		put_side(page, &line, of, 1, middle + 6);
		dp_put(page, "\n");
	}
	dp_figure_close(page);
}
