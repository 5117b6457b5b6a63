/*
 * written.h -- numbers as a report writes them.
 */
#ifndef DP_WRITTEN_H
#define DP_WRITTEN_H

#include "core/base/status.h"

/* A number in words. What is not finite is written as "unknown". */
typedef struct DpWritten
{
	char text[48];
} DpWritten;

/* Rows, rounded to a whole number, with commas: 48,842. */
extern DpWritten dp_written_count(double value);
/* Three significant digits: 12.3, 0.00123, 1e-09, 48,842. */
extern DpWritten dp_written_number(double value);
/* A share as a percentage: 12.3 %; below 0.1 % with two significant digits, or 0 %. The sign stands
 * on the line of its number. */
extern DpWritten dp_written_percent(double share);

#endif
