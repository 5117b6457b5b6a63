/*
 * database.c -- the figure of tables that belong together: each as a box, below the one to whose rows
 * its rows belong, with a square for each column, and foreign keys as lines.
 *
 * Boxes stand below each other, so that the text is never shrunk. A key that says whose a row is is
 * a line on the left. Others run on the right: all that lead to one table share a lane, and lanes of
 * tables between which no line is would be one.
 */
#include <math.h>
#include <string.h>

#include "core/report/figure.h"

#define RIGHT 310.0 /* where boxes end */
#define INDENT 22.0
#define DEPTH_MAX 5
#define BOX 50.0
#define LINE 60.0 /* from one box to the next */
#define LANE 9.0
#define NAME_COLUMNS 28
#define WORDS_COLUMNS 42
#define SQUARE 7.0
#define SQUARES_MAX 20 /* of a table; with more columns a square stands for several */

/* The lane of the lines that lead to a table. */
typedef struct Lane
{
	double top, bottom; /* as y; top > bottom: no line leads there */
	uint32_t number;
} Lane;

static double
left_of(const DpTableBox *table)
{
	return 4 + INDENT * (table->depth < DEPTH_MAX ? table->depth : DEPTH_MAX);
}

static double
top_of(uint32_t table)
{
	return LINE * table + 4;
}

/* Lines leave a box below where they arrive. */
static double
leaves_at(uint32_t table)
{
	return top_of(table) + 34;
}

static double
arrives_at(uint32_t table)
{
	return top_of(table) + 14;
}

/* ---- lanes ---- */

static bool
is_drawn(const DpDatabaseFigure *database, const DpTableArrow *arrow)
{
	return arrow->from < database->n && arrow->to < database->n;
}

static bool
is_free(const Lane *lane, uint32_t lanes, const Lane *wanted)
{
	for (uint32_t t = 0; t < lanes; t++)
		if (&lane[t] != wanted && lane[t].number == wanted->number &&
			lane[t].top < wanted->bottom && lane[t].bottom > wanted->top)
			return false;
	return true;
}

/* The shortest lie nearest to the boxes. Returns how many lie beside each other. */
static uint32_t
place_lanes(Lane *lane, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t placed = 0; placed < n; placed++)
	{
		Lane *next = NULL;

		for (uint32_t t = 0; t < n; t++)
			if (lane[t].number == 0 && lane[t].top <= lane[t].bottom &&
				(next == NULL || lane[t].bottom - lane[t].top < next->bottom - next->top))
				next = &lane[t];
		if (next == NULL)
			break;
		next->number = 1;
		while (!is_free(lane, n, next))
			next->number++;
		most = next->number > most ? next->number : most;
	}
	return most;
}

static uint32_t
find_lanes(const DpDatabaseFigure *database, Lane *lane)
{
	for (uint32_t t = 0; t < database->n; t++)
		lane[t] = (Lane){INFINITY, -INFINITY, 0};
	for (uint32_t a = 0; a < database->arrows; a++)
	{
		const DpTableArrow *arrow = &database->arrow[a];
		Lane *to;

		if (!is_drawn(database, arrow))
			continue;
		to = &lane[arrow->to];
		to->top = fmin(to->top, fmin(leaves_at(arrow->from), arrives_at(arrow->to)));
		to->bottom = fmax(to->bottom, fmax(leaves_at(arrow->from), arrives_at(arrow->to)));
	}
	return place_lanes(lane, database->n);
}

static double
lane_at(const Lane *lane)
{
	return RIGHT + 8 + LANE * lane->number;
}

/* ---- drawing ---- */

static void
put_arrows(DpPage *page, const DpDatabaseFigure *database, const Lane *lane)
{
	for (uint32_t a = 0; a < database->arrows; a++)
	{
		const DpTableArrow *arrow = &database->arrow[a];
		double y = leaves_at(arrow->from);

		if (is_drawn(database, arrow))
			dp_put(page,
				   "<circle class=\"head\" cx=\"%g\" cy=\"%g\" r=\"2.2\"/><path class=\"arrow\" "
				   "d=\"M%g %gH%gV%g\"/>",
				   RIGHT, y, RIGHT, y, lane_at(&lane[arrow->to]), arrives_at(arrow->to));
	}
	for (uint32_t t = 0; t < database->n; t++)
		if (lane[t].number > 0)
			dp_put(page,
				   "<path class=\"arrow\" d=\"M%g %gH%g\"/><path class=\"head\" d=\"M%g "
				   "%gl7 -4v8z\"/>\n",
				   lane_at(&lane[t]), arrives_at(t), RIGHT + 2, RIGHT + 1, arrives_at(t));
}

/* The line from a table down to one whose rows belong to its rows. */
static void
put_branch(DpPage *page, const DpDatabaseFigure *database, uint32_t t)
{
	const DpTableBox *table = &database->table[t];
	const DpTableBox *parent = &database->table[table->parent];
	double x = left_of(parent) + INDENT / 2;

	if (left_of(table) > left_of(parent))
		dp_put(page, "<path class=\"branch\" d=\"M%g %gV%gH%g\"/>\n", x,
			   top_of((uint32_t) table->parent) + BOX, top_of(t) + BOX / 2, left_of(table));
}

/* A sign before the name, by its form: a full circle for a root, a ring for what belongs to one, an
 * empty square for what is public, and nothing else. */
static void
put_sign(DpPage *page, const DpTableBox *table, double x, double y)
{
	switch (table->role)
	{
		case DP_TABLE_ROOT:
			dp_put(page, "<circle class=\"root\" cx=\"%g\" cy=\"%g\" r=\"5\"/>", x, y);
			break;
		case DP_TABLE_MEMBER:
			dp_put(page, "<circle class=\"member\" cx=\"%g\" cy=\"%g\" r=\"4.2\"/>", x, y);
			break;
		case DP_TABLE_PUBLIC:
			dp_put(page, "<rect class=\"open\" x=\"%g\" y=\"%g\" width=\"9\" height=\"9\"/>",
				   x - 4.5, y - 4.5);
			break;
		default:
			dp_put(page, "<path class=\"arrow\" d=\"M%g %gh9\"/>", x - 4.5, y);
	}
}

/* A square for each column: filled ones are modelled, empty ones made up. */
static void
put_squares(DpPage *page, const DpTableBox *table, double y)
{
	uint32_t columns = table->modelled + table->made_up;
	uint32_t squares = columns < SQUARES_MAX ? columns : SQUARES_MAX;
	uint32_t filled = squares == columns
						  ? table->modelled
						  : (uint32_t) ceil((double) squares * table->modelled / columns);
	double x = RIGHT - 8 - (SQUARE + 2) * squares;

	for (uint32_t i = 0; i < squares; i++)
		dp_put(page, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>",
			   i < filled ? "column" : "no-column", x + (SQUARE + 2) * i, y, SQUARE, SQUARE);
}

static void
put_box(DpPage *page, const DpDatabaseFigure *database, uint32_t t)
{
	const DpTableBox *table = &database->table[t];
	double x = left_of(table), y = top_of(t);
	int narrower = (int) (table->depth < DEPTH_MAX ? table->depth : DEPTH_MAX);

	dp_put(page, "<rect class=\"frame\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"5\"/>", x,
		   y, RIGHT - x, BOX);
	put_sign(page, table, x + 14, y + 14);
	dp_put(page, "<text class=\"name\" x=\"%g\" y=\"%g\">%.*s</text>", x + 24, y + 18,
		   NAME_COLUMNS - 4 * narrower, table->name);
	dp_put(page, "<text class=\"small\" x=\"%g\" y=\"%g\">%.*s</text>", x + 9, y + 31.5,
		   WORDS_COLUMNS - 3 * narrower, table->words);
	put_squares(page, table, y + BOX - 12);
	dp_put(page, "\n");
}

void
dp_put_database(DpPage *page, const DpDatabaseFigure *given)
{
	DpDatabaseFigure database = *given;
	Lane lane[DP_DATABASE_TABLES_MAX];
	uint32_t lanes;

	if (database.n > DP_DATABASE_TABLES_MAX)
		database.n = DP_DATABASE_TABLES_MAX;
	lanes = find_lanes(&database, lane);
	dp_figure_open(page, &database.words, RIGHT + 12 + LANE * lanes + (lanes > 0 ? 8 : 0),
				   LINE * database.n);
	put_arrows(page, &database, lane);
	for (uint32_t t = 0; t < database.n; t++)
	{
		if (database.table[t].parent >= 0)
			put_branch(page, &database, t);
		put_box(page, &database, t);
	}
	dp_figure_close(page);
}
