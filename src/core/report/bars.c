/*
 * bars.c -- figures of bars: shares with their intervals, or shares beside those of the original.
 */
#include <math.h>
#include <string.h>

#include "core/report/figure.h"

#define WIDTH 360.0
#define LABEL_WIDTH 116.0
#define LABEL_COLUMNS 16
#define WORDS_WIDTH 90.0
#define LINE_SINGLE 22.0
#define LINE_PAIRED 30.0
#define LABEL_HEIGHT 16.0 /* of labels that stand above their bars */
#define STACKED_COLUMNS 52

/* From shares to the drawing. */
typedef struct Scale
{
	double left, width, top;
} Scale;

static double
place(const Scale *scale, double share)
{
	return scale->left + scale->width * fmin(fmax(share, 0), scale->top) / scale->top;
}

static double
larger(double a, double b)
{
	return isfinite(b) && b > a ? b : a;
}

/* The longest bar ends where the axis does. A very wide interval may be cut off there. */
static Scale
scale_of(const DpBars *bars)
{
	double left = bars->stacked ? 1 : LABEL_WIDTH + 6;
	Scale scale = {left, WIDTH - left - WORDS_WIDTH - 6, 0};
	double ends = 0;

	for (uint32_t i = 0; i < bars->n; i++)
	{
		scale.top = larger(larger(scale.top, bars->bar[i].value), bars->bar[i].original);
		ends = larger(ends, bars->bar[i].high);
	}
	if (scale.top <= 0)
		scale.top = 1e-9;
	scale.top = larger(scale.top, bars->whole ? ends : fmin(ends, 1.5 * scale.top));
	return scale;
}

static void
put_bar(DpPage *page, const Scale *scale, const char *class, double share, double y, double height)
{
	if (isfinite(share))
		dp_put(page, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%.2f\" height=\"%g\"/>", class,
			   scale->left, y, fmax(place(scale, share) - scale->left, 0.5), height);
}

/* The interval as a line with a short line across at each end that is inside the figure. */
static void
put_interval(DpPage *page, const Scale *scale, const DpBar *bar, double y)
{
	double low = place(scale, bar->low), high = place(scale, bar->high);

	if (!isfinite(bar->low) || !isfinite(bar->high))
		return;
	dp_put(page, "<path class=\"interval\" d=\"M%.2f %gH%.2f", low, y, fmax(high, low + 0.5));
	if (bar->low >= 0)
		dp_put(page, "M%.2f %gv6", low, y - 3);
	if (bar->high <= scale->top)
		dp_put(page, "M%.2f %gv6", high, y - 3);
	dp_put(page, "\"/>");
}

static void
put_label(DpPage *page, const DpBars *bars, const char *label, double y, double middle)
{
	if (bars->stacked)
		dp_put(page, "<text class=\"small\" x=\"1\" y=\"%g\">%.*s</text>", y - 3, STACKED_COLUMNS,
			   label);
	else
		dp_put(page, "<text class=\"label small\" x=\"%g\" y=\"%g\">%.*s</text>", LABEL_WIDTH,
			   middle + 4, LABEL_COLUMNS, label);
}

static void
put_bars(DpPage *page, const DpBars *bars)
{
	double head = bars->stacked ? LABEL_HEIGHT : 0;
	double line = head + (bars->paired ? LINE_PAIRED : LINE_SINGLE);
	Scale scale = scale_of(bars);

	dp_figure_open(page, &bars->words, WIDTH, line * bars->n + 6);
	dp_put(page, "<path class=\"axis\" d=\"M%g 2V%g\"/>\n", scale.left, line * bars->n + 4);
	for (uint32_t i = 0; i < bars->n; i++)
	{
		const DpBar *bar = &bars->bar[i];
		double y = line * i + head + 3, middle = y + (line - head) / 2;

		dp_put(page, "<g class=\"%s\">", bar->rest ? "rest" : "value");
		put_label(page, bars, bar->label, y, middle);
		if (bars->paired)
		{
			put_bar(page, &scale, "original", bar->original, y + 3, 10);
			put_bar(page, &scale, "synthetic", bar->value, y + 15, 10);
		}
		else
		{
			put_bar(page, &scale, "synthetic", bar->value, y + 3, line - head - 6);
			put_interval(page, &scale, bar, middle);
		}
		if (bar->words != NULL)
			dp_put(page, "<text class=\"words small\" x=\"%g\" y=\"%g\">%s</text>", WIDTH - 2,
				   middle + 4, bar->words);
		dp_put(page, "</g>\n");
	}
	dp_figure_close(page);
}

/* Whether two labels would look the same where they stand beside the bars and are cut. */
static bool
labels_collide(const DpBars *bars)
{
	for (uint32_t i = 0; i < bars->n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (strncmp(bars->bar[i].label, bars->bar[j].label, LABEL_COLUMNS - 1) == 0 &&
				strlen(bars->bar[i].label) >= LABEL_COLUMNS)
				return true;
	return false;
}

void
dp_put_bars(DpPage *page, const DpBars *wished)
{
	DpBars drawn = *wished;

	drawn.stacked = wished->stacked || labels_collide(wished);
	put_bars(page, &drawn);
}
