/*
 * placeholder_text.h -- the texts of placeholder values, row by row: the text of a pattern
 * (core/domain/pattern.h), with the values of the columns that it names.
 *
 * Post-processing: runs in the caller's backend, on released numbers.
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

/* The inputs of the texts of a row. */
typedef struct DpTextRow
{
	DpPatternRow own;
	const DpPatternRow *above; /* the ancestors, the parent first */
	const uint32 *codes;       /* of the row */
} DpTextRow;

/* The rows that are drawn: those of table number `table` in a release of several tables. */
typedef struct DpFillKey
{
	uint64 seed, set;
	int table;
} DpFillKey;

/* fill: {"column": pattern}; NULL: there are none. */
extern DpPlaceholderTexts *dp_placeholder_texts_create(Jsonb *fill, const DpDomain *domain);
/* The pattern of a column; NULL: it has none. */
extern const char *dp_placeholder_pattern(const DpPlaceholderTexts *texts, const char *column);
/* The placeholder text of a column. */
extern DpPlaceholderText *dp_placeholder_text(DpPlaceholderTexts *texts, const char *column);
/* Sets the key. A random text follows from the key, the column's name and the row number alone, so
 * that rows of other tables can contain it. */
extern void dp_placeholder_texts_key(DpPlaceholderTexts *texts, const DpFillKey *key);
/* Makes a text that of a column of an ancestor, `up` levels above the parent. */
extern void dp_placeholder_text_refer(const DpPlaceholderTexts *texts, DpPlaceholderText *text,
									  int up, int table, const char *table_column);
/* The text in a row, valid until the next call for the same column. characters: its maximal length,
 * for which values of other columns are shortened; 0: any length. */
extern const char *dp_placeholder_text_write(DpPlaceholderText *text, const DpTextRow *row,
											 int characters);
/* The pattern of a text. */
extern const DpPattern *dp_placeholder_text_pattern(const DpPlaceholderText *text);

#endif
