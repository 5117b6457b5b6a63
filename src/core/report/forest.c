/*
 * forest.c -- figures of coefficients: each as a dot with its interval, original above synthetic.
 */
#include <math.h>

#include "core/report/figure.h"

#define WIDTH 520.0
#define LABEL_WIDTH 150.0
#define LABEL_COLUMNS 20
#define LINE 30.0

/* From coefficients to the drawing. */
typedef struct Line
{
	double low, high;
} Line;

static double
place(const Line *line, double value)
{
	double at = (fmin(fmax(value, line->low), line->high) - line->low) / (line->high - line->low);

	return LABEL_WIDTH + 10 + at * (WIDTH - LABEL_WIDTH - 20);
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
put_label(DpPage *page, const DpCoefficient *of, double middle)
{
	if (of->level == NULL)
	{
		dp_put(page, "<text class=\"label\" x=\"%g\" y=\"%g\">%.*s</text>", LABEL_WIDTH, middle + 4,
			   LABEL_COLUMNS, of->label);
		return;
	}
	dp_put(page, "<text class=\"words small\" x=\"%g\" y=\"%g\">%.*s</text>", LABEL_WIDTH,
		   middle - 3, LABEL_COLUMNS, of->label);
	dp_put(page, "<text class=\"label\" x=\"%g\" y=\"%g\">%.*s</text>", LABEL_WIDTH, middle + 10,
		   LABEL_COLUMNS, of->level);
}

void
dp_put_forest(DpPage *page, const DpForest *forest)
{
	Line line = line_of(forest);

	dp_figure_open(page, &forest->words, WIDTH, LINE * forest->n + 24);
	dp_put(page,
		   "<path class=\"axis\" d=\"M%.2f 2V%g\"/><text class=\"middle small\" x=\"%.2f\" "
		   "y=\"%g\">0</text>\n",
		   place(&line, 0), LINE * forest->n + 6, place(&line, 0), LINE * forest->n + 20);
	for (uint32_t i = 0; i < forest->n; i++)
	{
		const DpCoefficient *of = &forest->coefficient[i];
		double middle = LINE * i + LINE / 2 + 2;

		put_label(page, of, middle);
		put_side(page, &line, of, 0, middle - 6);
		put_side(page, &line, of, 1, middle + 6);
		dp_put(page, "\n");
	}
	dp_figure_close(page);
}
