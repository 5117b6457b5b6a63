/*
 * style.h -- head and foot of a report's page, with all of its style.
 */
#ifndef DP_STYLE_H
#define DP_STYLE_H

#include "core/report/page.h"

/* Everything from the doctype to <main>. */
extern void dp_put_page_head(DpPage *page, const char *title);
extern void dp_put_page_foot(DpPage *page);

#endif
