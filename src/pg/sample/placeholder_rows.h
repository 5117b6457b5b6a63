/*
 * placeholder_rows.h -- values of columns that are not modelled, the last step of making a row.
 * Post-processing: runs in the caller's backend, on released models.
 */
#ifndef DPSYN_PLACEHOLDER_ROWS_H
#define DPSYN_PLACEHOLDER_ROWS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "core/base/prng.h"
#include "core/domain/domain.h"
#include "core/domain/pattern.h"
#include "pg/server/compat.h"

/* The rows that are drawn: those of table number `table` in a release of several tables. */
typedef struct DpFillKey
{
	uint64 seed, set;
	int table;
} DpFillKey;

typedef struct DpPlaceholders DpPlaceholders;

/*
 * Matches the columns of target by name with a release's fill, {"column": pattern} or NULL, and
 * with its domain. ERROR if a pattern is no value of its column's type.
 */
extern DpPlaceholders *dp_placeholders_create(Jsonb *fill, const DpDomain *domain,
											  TupleDesc target);
/* How many of so many rows the columns of target can number. Fewer than the caller asked for is an
 * ERROR, and else a NOTICE. */
extern uint64 dp_placeholders_rows(const DpPlaceholders *placeholders, uint64 rows, bool requested);
/* Sets the table whose rows are drawn. */
extern void dp_placeholders_key(DpPlaceholders *placeholders, const DpFillKey *key);
/* A column of target that refers to a row of another table, so many rows above the parent's row: it
 * holds what that table's column holds there. */
extern void dp_placeholders_refer(DpPlaceholders *placeholders, const char *column, int up,
								  int table, const char *table_column);
/*
 * What the next rows belong to: above[0] is the parent's row, above[1] the row that this belongs
 * to, and so on up to the root's; the array stays the caller's. first: number of the first row that
 * belongs to the parent's. Without this each row is the only one of its parent.
 */
extern void dp_placeholders_ancestor(DpPlaceholders *placeholders, const DpPatternRow *above,
									 uint64 first);
/* Begins a block of rows. Its rows depend on no other block. */
extern void dp_placeholders_begin(DpPlaceholders *placeholders);
/* Goes back to where it was at the mark. */
extern void dp_placeholders_mark(DpPlaceholders *placeholders);
extern void dp_placeholders_back(DpPlaceholders *placeholders);
/* Bytes of the longest text that it gives a column; column -1: any of them. 0: it gives it none.
 * placeholders may be NULL. */
extern double dp_placeholders_longest(const DpPlaceholders *placeholders, int column);
/* Whether column i of target, counted from 0, is filled and not modelled; placeholders may be
 * NULL. */
extern bool dp_placeholders_cover(const DpPlaceholders *placeholders, int i);
/* Whether there is a column that is not modelled. */
extern bool dp_placeholders_fill_any(const DpPlaceholders *placeholders);
/* Whether it gives column i of target values at all, be it in place of NULL. */
extern bool dp_placeholders_knows(const DpPlaceholders *placeholders, int i);
/* Whether it leaves column i of target NULL in the row whose codes dp_fill_codes got last. */
extern bool dp_placeholders_is_null(const DpPlaceholders *placeholders, int i);
/*
 * The codes of a row, in which a level "other" of a column that must not be NULL gives way to
 * that of the row before. They are valid until the next call.
 */
extern const uint32 *dp_fill_codes(DpPlaceholders *placeholders, const uint32 *codes, DpPrng *prng);
/*
 * Fills the columns of row n, which counts from 1, that are not modelled, and what is still NULL of
 * modelled columns that must not be NULL.
 */
extern void dp_fill_row(DpPlaceholders *placeholders, uint64 n, Datum *values, bool *nulls);

#endif
