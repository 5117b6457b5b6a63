/*
 * range_part.h -- a column of a range type as three columns of its own:
 *
 *   bounds(during)  which ends it has: '[a,b)', '[a,)', '(,b)', '(,)' or 'empty'; NULL where it is
 *   lower(during)   its lower end, or its upper one where it has that alone; else NULL
 *   upper(during)   the distance from the lower end to the upper one; NULL unless it has both
 *
 * They are read and put together by PostgreSQL's own functions alone, for its own range types. Ends
 * are taken as [a,b), whether they belong to the range or not; one that is infinite, or has no
 * distance to others, is none. Runs in any process; it sees no data.
 */
#ifndef DPSYN_RANGE_PART_H
#define DPSYN_RANGE_PART_H

#include "pg/server/compat.h"

#include "pg/domain/column_field.h"

/* The labels of bounds, of which the first has both ends. */
#define DP_RANGE_BOUNDS_N 5
extern const char *const dp_range_bounds[DP_RANGE_BOUNDS_N];

/* Whether columns of the type, or of a domain over it, are modelled so. */
extern bool dp_type_has_range_parts(Oid type);
/* Whether a name is that of a part, such as lower(during). */
extern bool dp_is_range_part_name(const char *name);
/* The part of that name. type: in which its values are modelled, if that is known. */
extern DpJsonField *dp_range_part_of_name(const char *name, Oid type);
extern char *dp_range_part_name(DpRangePart part, const char *column);
/* In which the values of a part of a range type are modelled. */
extern Oid dp_range_part_type(DpRangePart part, Oid range);
/* The defaults of a part without a declaration: the ends of its range, and its resolution. */
extern const char *dp_range_part_low(DpRangePart part, Oid range);
extern const char *dp_range_part_high(DpRangePart part, Oid range);
extern const char *dp_range_part_resolution(DpRangePart part, Oid range);
/* Whether a range with these bounds has a lower part, or an upper one. label: of bounds; NULL: the
 * range is. */
extern bool dp_range_part_is_there(DpRangePart part, const char *label);
/* Whether ranges of those bounds have that end, where they have the part or not. */
extern bool dp_range_end_is_there(DpRangePart end, const char *label);
/* The part as an expression over the relation's columns. */
extern char *dp_range_part_expression(const DpJsonField *field, const char *of);
/* An end of a column of a range type, lower(during) or upper(during), as SQL reads it, by its name;
 * DP_NO_RANGE_PART: it is none. */
extern DpRangePart dp_range_end_named(const char *name, char **column);
/* The type of the ends; InvalidOid: the type is no range. */
extern Oid dp_range_end_type(Oid range);
extern char *dp_range_end_expression(DpRangePart end, const char *column);
extern NullableDatum dp_range_end(Datum range, Oid type, DpRangePart end);
/* The range that these parts [n] are, as dp_json_fields_object; empty, where it is NULL. */
extern bool dp_range_of_parts(DpJsonField *const *field, int n, const Datum *values,
							  const bool *nulls, Datum *range);

#endif
