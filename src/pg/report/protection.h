/*
 * protection.h -- how well a release hides one person: what epsilon and delta bound, in words.
 */
#ifndef DPSYN_REPORT_PROTECTION_H
#define DPSYN_REPORT_PROTECTION_H

#include "pg/server/compat.h"

#include "core/report/page.h"
#include "pg/sample/store.h"
#include "pg/server/catalog.h"

/* A release, as the caller may see it. */
typedef struct DpReleased
{
	DpStored *stored;
	DpArgument release; /* its number, $1 of every statement */
	const char *relation;
	const char *when; /* it was made, in UTC */
	double epsilon, delta;
	bool guaranteed; /* whether it is differentially private */
} DpReleased;

/* ERROR unless the caller may draw rows from the release. Needs SPI. */
extern DpReleased dp_released_read(int64 release);

/* "one row", "one unit, of which at most 3 rows count". */
extern const char *dp_unit_words(const DpStored *stored);
/* The same "added or removed" or "replaced". */
extern const char *dp_neighbour_words(const DpStored *stored);
/* A section on the most that any test of membership can win, which begins with the sentence lead
 * (NULL: none). There is no such section without a guarantee. */
extern void dp_put_protection(DpPage *page, const DpReleased *of, const char *lead);

#endif
