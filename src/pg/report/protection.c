/*
 * protection.c -- how well a release hides one person: what epsilon and delta bound, in words.
 */
#include "pg/report/report.h"

#include <math.h>

#include "core/accounting/budget.h"
#include "core/report/figure.h"
#include "core/report/page.h"

#define CERTAIN 0.98 /* an advantage of a membership test above which the bound is nearly useless */

DpReleased
dp_released_read(int64 release)
{
	DpReleased of = {.release = DP_INT64(release), .stored = dp_stored_get(release)};

	if (dp_spi_read_as_caller(
			"SELECT r.relation, r.epsilon::pg_catalog.float8, r.delta::pg_catalog.float8,"
			" r.guarantee <> 'none',"
			" pg_catalog.to_char(r.released_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC'"
			" FROM @.dp_releases r WHERE r.release = $1",
			DP_ARGUMENTS(of.release)) != 1)
		elog(ERROR, "dpsyn: a stored release is not listed");
	of.relation = dp_report_text(0, 1);
	of.epsilon = dp_spi_float8(0, 2);
	of.delta = dp_spi_float8(0, 3);
	of.guaranteed = dp_spi_bool(0, 4);
	of.when = dp_report_text(0, 5);
	return of;
}

/* ---- words ---- */

const char *
dp_unit_words(const DpStored *stored)
{
	const DpUnit *unit = &stored->model.unit;

	if (!stored->units_bounded)
		return unit->rows_max == 1 ? "one row" : psprintf("any %u rows", unit->rows_max);
	return unit->rows_max == 1
			   ? "one unit, of which one row counts"
			   : psprintf("one unit, of which at most %u rows count", unit->rows_max);
}

const char *
dp_neighbour_words(const DpStored *stored)
{
	return stored->model.unit.neighbours == DP_REPLACE_ONE
			   ? psprintf("%s replaced by others (replace_one)", dp_unit_words(stored))
			   : psprintf("%s added or removed (add_remove)", dp_unit_words(stored));
}

/* ---- what epsilon bounds ---- */

static int
right_guesses(double epsilon, double delta)
{
	return 50 + (int) ceil(50 * dp_membership_advantage(epsilon, delta) - 1e-9);
}

/* "at most 74 times in 100". */
static const char *
guesses_words(double epsilon, double delta)
{
	double right = 50 + 50 * dp_membership_advantage(epsilon, delta);

	if (right > 99.9)
		return "practically always, as far as the bound can tell";
	return right > 98 ? psprintf("at most %.1f times in 100", ceil(10 * right) / 10)
					  : psprintf("at most %d times in 100", right_guesses(epsilon, delta));
}

static void
put_guesses_sentence(DpPage *page, const DpReleased *of)
{
	bool replaced = of->stored->model.unit.neighbours == DP_REPLACE_ONE;
	double advantage = dp_membership_advantage(of->epsilon, of->delta);

	dp_put(
		page,
		"<p>Suppose somebody knows every row of the table but %s, and wants to find out %s. "
		"Guessing blindly is right 50 times in 100. With this release, whatever is computed from "
		"it, a guess is right <b>%s</b>.</p>\n",
		of->stored->units_bounded ? "those of one unit" : "one",
		replaced ? "which of two candidates is in it" : "whether it is there",
		guesses_words(of->epsilon, of->delta));
	if (advantage >= CERTAIN)
		dp_put(page, "<div class=\"warning\"><p>With an epsilon this large the bound allows nearly "
					 "certain guesses. It promises next to nothing, even if no attack is known.</p>"
					 "</div>\n");
	else if (advantage <= 0.1)
		dp_put(page, "<p>That is hardly better than tossing a coin.</p>\n");
}

static void
put_unit_sentence(DpPage *page, const DpReleased *of)
{
	if (of->stored->units_bounded)
		dp_put(page, "<p class=\"soft\">What is protected is %s.</p>\n", dp_unit_words(of->stored));
	else if (of->stored->model.unit.rows_max == 1)
		dp_put(page,
			   "<p class=\"soft\">What is protected is one row. If one person stands in several "
			   "rows, the bound for that person is the one of as many times the epsilon.</p>\n");
	else
		dp_put(page, "<p class=\"soft\">What is protected are any %u rows together.</p>\n",
			   (unsigned) of->stored->model.unit.rows_max);
}

/* The sentence on what all releases of the relation have spent, for roles that may see it. */
static void
put_budget_sentence(DpPage *page, const DpReleased *of)
{
	double epsilon, delta;

	if (dp_spi_read_as_caller(
			"SELECT d.epsilon_spent::pg_catalog.float8, d.delta_spent::pg_catalog.float8,"
			" d.epsilon::pg_catalog.float8 FROM @.dp_datasets d"
			" JOIN @.dp_releases r ON r.relation = d.relation"
			" AND d.protected_at <= r.released_at WHERE r.release = $1",
			DP_ARGUMENTS(of->release)) != 1)
		return;
	epsilon = dp_spi_float8(0, 1);
	delta = dp_spi_float8(0, 2);
	dp_put(page,
		   "<p class=\"soft\">Until now all releases of the relation together have spent epsilon "
		   "%s of %s",
		   dp_written_number(epsilon).text, dp_written_number(dp_spi_float8(0, 3)).text);
	dp_put(page, ": somebody who has all of them is right %s.</p>\n",
		   guesses_words(epsilon, delta));
}

void
dp_put_protection(DpPage *page, const DpReleased *of, const char *lead)
{
	double advantage = dp_membership_advantage(of->epsilon, of->delta);
	DpFigureText words = {
		"A hundred guesses whether somebody is in the data",
		psprintf(
			"Of 100 guesses, 50 are right by chance, at most %d more are right with the release, "
			"and the others are wrong.",
			right_guesses(of->epsilon, of->delta) - 50)};

	if (!of->guaranteed)
		return;
	dp_put(page, "<section><h2>How well is one person hidden?</h2>\n<div class=\"two\"><div>");
	if (lead != NULL)
		dp_put(page, "<p>%s</p>\n", lead);
	put_guesses_sentence(page, of);
	put_unit_sentence(page, of);
	put_budget_sentence(page, of);
	dp_put(page, "</div><figure class=\"chart\">");
	dp_put_guesses(page, &words, advantage);
	dp_put(page,
		   "<ul class=\"key\"><li><span class=\"swatch chance\"></span>50 right by chance</li>"
		   "<li><span class=\"swatch won\"></span>at most %d more right with the release</li>"
		   "<li><span class=\"swatch lost\"></span>%d wrong</li></ul></figure></div>\n</section>\n",
		   right_guesses(of->epsilon, of->delta) - 50, 100 - right_guesses(of->epsilon, of->delta));
}
