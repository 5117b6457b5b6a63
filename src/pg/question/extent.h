/*
 * extent.h -- what the files that find extents share. extent.c says what an extent is.
 */
#ifndef DPSYN_EXTENT_H
#define DPSYN_EXTENT_H

#include "pg/question/asked.h"

#include <math.h>

/* A call, with what is known of its arguments. */
typedef struct DpCallArguments
{
	const DpRowExpression *call;
	int n;
	DpExtent of[8];
} DpCallArguments;

static inline const DpRowExpression *
dp_argument(const DpCallArguments *a, int i)
{
	return list_nth(a->call->arguments, i);
}

static inline bool
dp_any_nullable(const DpCallArguments *a)
{
	for (int i = 0; i < a->n; i++)
		if (a->of[i].nullable)
			return true;
	return false;
}

static inline DpExtent
dp_between(double low, double high, int digits, bool nullable)
{
	return (DpExtent){.ordered = true,
					  .low = low,
					  .high = high,
					  .digits = digits,
					  .least = digits == DP_DIGITS_UNKNOWN ? 0 : pow(10, -digits),
					  .nullable = nullable};
}

extern DP_NORETURN void dp_refuse_expression(const DpRowExpression *expression, const char *detail,
											 const char *hint);
/* As it is stored; NAN: the value of a type that is no number and no time, or not finite. */
extern double dp_finite_number(Datum value, Oid type);

/* ---- extent_time.c ---- */

/* Of a function that is monotone in its one argument that is no constant. */
extern DpExtent dp_extent_of_time(const DpCallArguments *a);
/* age(t, u) */
extern DpExtent dp_extent_of_age(const DpCallArguments *a);
/* extract(part from t) */
extern DpExtent dp_extent_of_part(const DpCallArguments *a);

#endif
