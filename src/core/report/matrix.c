/*
 * matrix.c -- figures of a number for each pair of columns, as shades.
 */
#include <math.h>
#include <stdio.h>

#include "core/report/figure.h"
#include "core/report/page.h"

#define CELL 30.0
#define LABEL_WIDTH 138.0
#define LABEL_COLUMNS 14
#define FITS_NARROW_MAX 6 /* columns of a matrix that fits a narrow page */
#define FITS_MAX 12       /* and one that is not so narrow */
#define NUMBERS_MAX 14    /* columns of a matrix whose cells hold their numbers */

uint32_t
dp_matrix_shade(const DpMatrix *matrix, double value)
{
	uint32_t shade = 0;

	while (shade < DP_SHADES - 1 && value >= matrix->shade[shade])
		shade++;
	return shade;
}

/* In units, short enough for a cell. */
static DpWritten
cell_number(const DpMatrix *matrix, double value)
{
	DpWritten written;
	double units = value / matrix->unit;

	snprintf(written.text, sizeof(written.text),
			 units < 0.0995 ? "%.2f"
			 : units < 9.95 ? "%.1f"
							: "%.0f",
			 units);
	return written;
}

static void
put_cell(DpPage *page, const DpMatrix *matrix, uint32_t i, uint32_t j)
{
	double value = matrix->value[(size_t) i * matrix->n + j];
	double x = LABEL_WIDTH + CELL * j, y = CELL * i;
	bool known = isfinite(value);

	if (known)
		dp_put(page, "<rect class=\"q%u\"", (unsigned) dp_matrix_shade(matrix, value));
	else
		dp_put(page, "<rect class=\"hatched\"");
	dp_put(page, " x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>", x + 1, y + 1, CELL - 2,
		   CELL - 2);
	if (!known)
		dp_put(page, "<path class=\"hatch\" d=\"M%g %gl%g %g\"/>", x + 5, y + CELL - 5, CELL - 10,
			   10 - CELL);
	else if (matrix->n <= NUMBERS_MAX)
		dp_put(page, "<text class=\"cell q%u\" x=\"%g\" y=\"%g\">%s</text>",
			   (unsigned) dp_matrix_shade(matrix, value), x + CELL / 2, y + CELL / 2 + 4,
			   cell_number(matrix, value).text);
}

/* A narrow page does not shrink the figure, whose numbers would be too small to read: it
 * scrolls. */
void
dp_put_matrix(DpPage *page, const DpMatrix *matrix)
{
	dp_put(page, "<div class=\"wide\" tabindex=\"0\">");
	dp_figure_open(page, &matrix->words, LABEL_WIDTH + CELL * matrix->n + 2,
				   CELL * (matrix->n + 1));
	for (uint32_t i = 0; i < matrix->n; i++)
	{
		dp_put(page, "<text class=\"label\" x=\"%g\" y=\"%g\">%.*s</text>", LABEL_WIDTH - 28,
			   CELL * i + CELL / 2 + 4, LABEL_COLUMNS, matrix->name[i]);
		dp_put(page, "<text class=\"number\" x=\"%g\" y=\"%g\">%u</text>", LABEL_WIDTH - 6,
			   CELL * i + CELL / 2 + 4, (unsigned) i + 1);
		for (uint32_t j = 0; j <= i; j++)
			put_cell(page, matrix, i, j);
		dp_put(page, "<text class=\"foot\" x=\"%g\" y=\"%g\">%u</text>\n",
			   LABEL_WIDTH + CELL * i + CELL / 2, CELL * matrix->n + CELL / 2 + 2,
			   (unsigned) i + 1);
	}
	dp_figure_close(page);
	dp_put(page, "</div>");
	if (matrix->n > FITS_NARROW_MAX)
		dp_put(page,
			   "<p class=\"note wider%s\">If squares are missing at the right, the figure is wider "
			   "than the page: slide it to the left.</p>\n",
			   matrix->n > FITS_MAX ? " large" : "");
}

void
dp_put_matrix_key(DpPage *page, const DpMatrix *matrix, const char *hatched)
{
	dp_put(page, "<ul class=\"key\">");
	for (unsigned s = 0; s < DP_SHADES; s++)
	{
		dp_put(page, "<li><span class=\"swatch q%u\"></span>", s);
		if (s == 0)
			dp_put(page, "below %s", dp_written_percent(matrix->shade[0]).text);
		else if (s == DP_SHADES - 1)
			dp_put(page, "%s and more", dp_written_percent(matrix->shade[s - 1]).text);
		else
			dp_put(page, "from %s", dp_written_percent(matrix->shade[s - 1]).text);
		dp_put(page, "</li>");
	}
	if (hatched != NULL)
		dp_put(page, "<li><span class=\"swatch hatched\">/</span>%s</li>", hatched);
	dp_put(page, "</ul>\n");
}
