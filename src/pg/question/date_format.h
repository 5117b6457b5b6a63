/*
 * date_format.h -- patterns of to_char of which it is known what they read of a time.
 */
#ifndef DPSYN_DATE_FORMAT_H
#define DPSYN_DATE_FORMAT_H

#include "pg/server/compat.h"

typedef struct DpDateFormat
{
	const char *unit; /* the finest that it reads: within one, the text is the same; NULL: finer */
	int cycle_days;   /* after so many days nothing new comes; 0: the year is read */
} DpDateFormat;

/* False: it holds something that depends on a setting, or is not known. */
extern bool dp_date_format(const char *pattern, DpDateFormat *format);

#endif
