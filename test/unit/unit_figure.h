/*
 * unit_figure.h -- a page that figures are drawn on, what stands on it, and what every figure must
 * have.
 */
#ifndef UNIT_FIGURE_H
#define UNIT_FIGURE_H

#include "core/report/figure.h"

#include "unit.h"

static DpArena arena;
static DpPage page;

static inline unsigned
count(const char *what)
{
	unsigned n = 0;

	for (const char *at = page.text; (at = strstr(at, what)) != NULL; at++)
		n++;
	return n;
}

static inline void
check_whole(const char *name)
{
	CHECK_STATUS(page.status, DP_OK, "%s is drawn", name);
	CHECK(count("<svg ") == 1 && count("</svg>") == 1, "%s is one figure", name);
	CHECK(count("<title id=") == 1 && count("<desc id=") == 1, "%s says what it is", name);
	CHECK(count("nan") + count("inf") == 0, "%s has a place for everything", name);
	CHECK_I64(count("<script"), 0, "%s lets no markup in", name);
}

/* Of every figure: no markup in it may come through. */
static const DpFigureText words = {"<script>\"", "</desc>"};

#endif
