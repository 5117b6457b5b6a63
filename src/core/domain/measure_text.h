/*
 * measure_text.h -- measures as text, such as avg(x) or quantile(x, 0.9).
 */
#ifndef DP_MEASURE_TEXT_H
#define DP_MEASURE_TEXT_H

#include "core/domain/query.h"

/*
 * Reads a measure: name(column), count(*), count(distinct column) or quantile(column, 0.9). Names
 * of columns are written as in SQL: folded to lower case, or in double quotes. *column is the name
 * of the column, or NULL. DP_ERR_ARGUMENT.
 */
extern DpStatus dp_measure_read(const char *text, DpMeasure *measure, const char **column,
								DpArena *arena, DpError *error) DP_MUST_USE;
/* Writes it in one form: 'quantile(x, 0.9)'. */
extern DpStatus dp_measure_write(const DpMeasure *measure, const char *column, const char **text,
								 DpArena *arena) DP_MUST_USE;

#endif
