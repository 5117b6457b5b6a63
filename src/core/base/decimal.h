/*
 * decimal.h -- decimal numbers as text, to exact integers and back.
 */
#ifndef DP_DECIMAL_H
#define DP_DECIMAL_H

#include "core/base/status.h"

/*
 * Reads a decimal number as an integer number of 10^-digits. The number is written as
 * PostgreSQL's numeric prints it, or with an exponent: "1", "0.05", "12.5e-3". With round_up
 * it is rounded toward +infinity, otherwise toward zero. DP_ERR_ARGUMENT: the text is not a
 * finite non-negative number (it is negative, NaN, Infinity or empty). DP_ERR_RANGE: the
 * result exceeds 63 bits.
 */
extern DpStatus dp_decimal_parse(const char *text, int digits, bool round_up,
								 int64_t *out) DP_MUST_USE;
/* Writes the shortest exact decimal of value x 10^-digits into buffer, which has
 * DP_DECIMAL_BYTES: "0.05", "1". */
#define DP_DECIMAL_BYTES 32
extern char *dp_decimal_print(int64_t value, int digits, char *buffer);

#endif
