/*
 * placeholder_text.h -- the texts of placeholder values, row by row: what a pattern says
 * (core/domain/pattern.h), with the texts of other columns where it names them.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_PLACEHOLDER_TEXT_H
#define DPSYN_PLACEHOLDER_TEXT_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

#include "core/base/prng.h"
#include "core/domain/domain.h"
#include "core/domain/pattern.h"

typedef struct DpPlaceholderTexts DpPlaceholderTexts;
typedef struct DpPlaceholderText DpPlaceholderText;

/* What the texts of a row follow from. */
typedef struct DpTextRow
{
	DpPatternRow own;
	const DpPatternRow *above; /* the ancestors, the parent first */
	const uint32 *codes;       /* of the row */
} DpTextRow;

/* Whose rows are drawn: those of table number `table` of a release of several. */
typedef struct DpFillKey
{
	uint64 seed, set;
	int table;
} DpFillKey;

/* fill: {"column": pattern}; NULL: there are none. */
extern DpPlaceholderTexts *dp_placeholder_texts_create(Jsonb *fill, const DpDomain *domain);
/* The pattern of a column; NULL: it has none. */
extern const char *dp_placeholder_pattern(const DpPlaceholderTexts *texts, const char *column);
/* The text of a column that has one. */
extern DpPlaceholderText *dp_placeholder_text(DpPlaceholderTexts *texts, const char *column);
/* Texts that need a stream follow from this, the column's name and the number of the row, and from
 * nothing else, so that rows of other tables can hold them. */
extern void dp_placeholder_texts_key(DpPlaceholderTexts *texts, const DpFillKey *key);
/* The text is that of a column of another table, in its row that is so many rows above the parent's. */
extern void dp_placeholder_text_refer(const DpPlaceholderTexts *texts, DpPlaceholderText *text,
									  int up, int table, const char *table_column);
/* The text in a row, valid until the next call for the same column. characters: so many it may have
 * at most, by what it takes from other columns; 0: any number. */
extern const char *dp_placeholder_text_write(DpPlaceholderText *text, const DpTextRow *row,
											 int characters);
/* What it is written by. */
extern const DpPattern *dp_placeholder_text_pattern(const DpPlaceholderText *text);

#endif
