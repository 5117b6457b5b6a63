/*
 * histogram.c -- figures of histograms: how the rows lie along a column of numbers or times.
 */
#include <math.h>
#include <string.h>

#include "core/report/figure.h"

#define WIDTH 360.0
#define HEIGHT 150.0
#define LEFT 8.0
#define RIGHT 352.0
#define TOP 8.0
#define BASE 126.0
#define CROWD 0.6        /* of the rows: the densest bins that hold them, */
#define CROWD_WIDTH 0.02 /* if they take less of the line, are too thin to see */
#define LABEL_COLUMNS 19 /* of an edge */
#define COLUMN_WIDTH 7.0 /* of a character, at most */
#define INTERVALS_MAX 40 /* more would hide the bins */

/* Where the bins are drawn, and how high a share is. */
typedef struct Frame
{
	const DpHistogramFigure *histogram;
	bool even;
	double top; /* the largest height */
} Frame;

static double
width_of(const DpHistogramFigure *histogram, uint32_t bin)
{
	return histogram->edge[bin + 1] - histogram->edge[bin];
}

static double
density(const DpHistogramFigure *histogram, uint32_t bin)
{
	return fmax(histogram->share[bin], 0) / width_of(histogram, bin);
}

bool
dp_histogram_is_even(const DpHistogramFigure *histogram)
{
	double span = histogram->edge[histogram->bins] - histogram->edge[0];
	double all = 0, crowd = 0, width = 0, below = INFINITY;

	for (uint32_t i = 0; i < histogram->bins; i++)
	{
		if (!(width_of(histogram, i) > 0))
			return true;
		all += fmax(histogram->share[i], 0);
	}
	while (crowd < CROWD * all && below > 0)
	{
		double next = 0;

		for (uint32_t i = 0; i < histogram->bins; i++)
			if (density(histogram, i) < below)
				next = fmax(next, density(histogram, i));
		for (uint32_t i = 0; i < histogram->bins; i++)
			if (density(histogram, i) == next)
			{
				crowd += fmax(histogram->share[i], 0);
				width += width_of(histogram, i);
			}
		below = next;
	}
	return !(span > 0) || width < CROWD_WIDTH * span;
}

static double
edge_x(const Frame *frame, uint32_t edge)
{
	const DpHistogramFigure *histogram = frame->histogram;
	double at = frame->even ? (double) edge / histogram->bins
							: (histogram->edge[edge] - histogram->edge[0]) /
								  (histogram->edge[histogram->bins] - histogram->edge[0]);

	return LEFT + at * (RIGHT - LEFT);
}

static double
height_of(const Frame *frame, uint32_t bin, double share)
{
	return frame->even ? share : share / width_of(frame->histogram, bin);
}

static double
share_y(const Frame *frame, uint32_t bin, double share)
{
	double height = fmin(fmax(height_of(frame, bin, share), 0), frame->top);

	return BASE - (BASE - TOP) * height / frame->top;
}

static double
top_of(const Frame *frame)
{
	const DpHistogramFigure *histogram = frame->histogram;
	double top = 0, ends = 0;

	for (uint32_t i = 0; i < histogram->bins; i++)
	{
		top = fmax(top, height_of(frame, i, histogram->share[i]));
		if (histogram->original != NULL)
			top = fmax(top, height_of(frame, i, histogram->original[i]));
		if (histogram->high != NULL && isfinite(histogram->high[i]))
			ends = fmax(ends, height_of(frame, i, histogram->high[i]));
	}
	if (!(top > 0))
		return 1;
	return fmax(top, fmin(ends, 1.3 * top));
}

/* A line that steps from bin to bin. */
static void
put_steps(DpPage *page, const Frame *frame, const double *share)
{
	dp_put(page, "<path class=\"original-line\" d=\"M%.2f %g", LEFT, BASE);
	for (uint32_t i = 0; i < frame->histogram->bins; i++)
		dp_put(page, "V%.2fH%.2f", share_y(frame, i, share[i]), edge_x(frame, i + 1));
	dp_put(page, "V%g\"/>\n", BASE);
}

static void
put_intervals(DpPage *page, const Frame *frame)
{
	const DpHistogramFigure *histogram = frame->histogram;

	dp_put(page, "<path class=\"interval\" d=\"");
	for (uint32_t i = 0; i < histogram->bins; i++)
		if (isfinite(histogram->low[i]) && isfinite(histogram->high[i]))
			dp_put(page, "M%.2f %.2fV%.2f", (edge_x(frame, i) + edge_x(frame, i + 1)) / 2,
				   share_y(frame, i, histogram->low[i]), share_y(frame, i, histogram->high[i]));
	dp_put(page, "\"/>\n");
}

static size_t
columns_of(const char *label)
{
	size_t length = strlen(label);

	return length < LABEL_COLUMNS ? length : LABEL_COLUMNS;
}

static void
put_edge(DpPage *page, const Frame *frame, uint32_t edge, const char *anchor)
{
	double x = edge_x(frame, edge);

	dp_put(page, "<path class=\"axis\" d=\"M%.2f %gv4\"/>", x, BASE);
	dp_put(page, "<text class=\"tick %s\" x=\"%.2f\" y=\"%g\">%.*s</text>\n", anchor, x, BASE + 17,
		   LABEL_COLUMNS, frame->histogram->edge_label[edge]);
}

/* The two ends, and between them the edges next to even places that fit. */
static void
put_edges(DpPage *page, const Frame *frame)
{
	const DpHistogramFigure *histogram = frame->histogram;
	double last = RIGHT - columns_of(histogram->edge_label[histogram->bins]) * COLUMN_WIDTH;
	double free_from = LEFT + columns_of(histogram->edge_label[0]) * COLUMN_WIDTH;

	put_edge(page, frame, 0, "first");
	put_edge(page, frame, histogram->bins, "last");
	for (uint32_t i = 1; i < histogram->bins; i++)
	{
		double half = columns_of(histogram->edge_label[i]) * COLUMN_WIDTH / 2;
		double x = edge_x(frame, i);

		if (x - half < free_from + 8 || x + half > last - 8)
			continue;
		put_edge(page, frame, i, "middle");
		free_from = fmax(x + half, x + 50);
	}
}

void
dp_put_histogram(DpPage *page, const DpHistogramFigure *histogram)
{
	Frame frame = {.histogram = histogram, .even = dp_histogram_is_even(histogram)};

	frame.top = top_of(&frame);
	dp_figure_open(page, &histogram->words, WIDTH, HEIGHT);
	for (uint32_t i = 0; i < histogram->bins; i++)
	{
		double left = edge_x(&frame, i), right = edge_x(&frame, i + 1);
		double y = share_y(&frame, i, histogram->share[i]);
		double gap = right - left > 4 ? 1 : 0;

		dp_put(page,
			   "<rect class=\"synthetic\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
			   left, y, right - left - gap, BASE - y);
	}
	if (histogram->low != NULL && histogram->high != NULL && histogram->bins <= INTERVALS_MAX)
		put_intervals(page, &frame);
	if (histogram->original != NULL)
		put_steps(page, &frame, histogram->original);
	dp_put(page, "<path class=\"axis\" d=\"M%g %gH%g\"/>\n", LEFT, BASE, RIGHT);
	put_edges(page, &frame);
	dp_figure_close(page);
}
