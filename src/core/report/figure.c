/*
 * figure.c -- what all figures share, and the figure of guesses.
 */
#include "core/report/figure.h"

#include <math.h>

void
dp_figure_open(DpPage *page, const DpFigureText *words, double width, double height)
{
	unsigned id = ++page->figures;

	dp_put(page,
		   "<svg role=\"img\" aria-labelledby=\"f%u-t f%u-d\" width=\"%g\" height=\"%g\" "
		   "viewBox=\"0 0 %g %g\">"
		   "<title id=\"f%u-t\">%s</title><desc id=\"f%u-d\">%s</desc>\n",
		   id, id, width, height, width, height, id, words->title, id, words->description);
}

void
dp_figure_close(DpPage *page)
{
	dp_put(page, "</svg>\n");
}

#define GUESSES 100
#define GUESSES_A_LINE 20
#define GUESS_PITCH 18

void
dp_put_guesses(DpPage *page, const DpFigureText *words, double advantage)
{
	unsigned chance = GUESSES / 2;
	unsigned right = chance + (unsigned) ceil(chance * fmin(fmax(advantage, 0), 1) - 1e-9);

	dp_figure_open(page, words, GUESS_PITCH * GUESSES_A_LINE,
				   GUESS_PITCH * (GUESSES / GUESSES_A_LINE));
	for (unsigned i = 0; i < GUESSES; i++)
	{
		double x = GUESS_PITCH * (i % GUESSES_A_LINE) + GUESS_PITCH / 2.0;
		double y = GUESS_PITCH * (unsigned) (i / GUESSES_A_LINE) + GUESS_PITCH / 2.0;

		if (i < chance)
			dp_put(page, "<circle class=\"chance\" cx=\"%g\" cy=\"%g\" r=\"6\"/>", x, y);
		else if (i < right)
			dp_put(page, "<rect class=\"won\" x=\"%g\" y=\"%g\" width=\"12\" height=\"12\"/>",
				   x - 6, y - 6);
		else
			dp_put(page, "<circle class=\"lost\" cx=\"%g\" cy=\"%g\" r=\"5\"/>", x, y);
	}
	dp_figure_close(page);
}
