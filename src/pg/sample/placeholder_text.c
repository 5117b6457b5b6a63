/*
 * placeholder_text.c -- the texts of placeholder values, row by row.
 *
 * A text follows from the number of its row, from the seed and from the codes of the row. So a text
 * can use the value of another column that is not in the row type.
 */
#include "pg/sample/placeholder_text.h"

#include "mb/pg_wchar.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"

#include "core/base/siphash.h"
#include "pg/server/bridge.h"

#define DEPTH_MAX 20 /* of texts in texts; fill.c refuses circles */

struct DpPlaceholderText
{
	const char *name;
	const DpAttribute *attribute; /* the text is that of the column's code; NULL: of a pattern */
	uint32 number;                /* of the attribute */
	DpPattern *pattern;
	DpStream stream; /* its block is set for each row */
	bool refers;     /* the text is that of an ancestor */
	int up;          /* levels above the parent */
	/* [dp_pattern_columns] NULL: there is no column of that name */
	DpPlaceholderText **part;
	const char **part_words;
	char *words; /* text of the last row */
	Size capacity;
	bool busy; /* being written: a text that contains itself */
};

struct DpPlaceholderTexts
{
	Jsonb *fill;
	const DpDomain *domain;
	DpArena arena;
	List *texts;
	DpFillKey key;
};

const char *
dp_placeholder_pattern(const DpPlaceholderTexts *texts, const char *column)
{
	JsonbValue *value = NULL;

	if (texts->fill != NULL)
		value =
			getKeyJsonValueFromContainer(&texts->fill->root, column, (int) strlen(column), NULL);
	if (value == NULL || value->type != jbvString)
		return NULL;
	return pnstrdup(value->val.string.val, value->val.string.len);
}

DpPlaceholderTexts *
dp_placeholder_texts_create(Jsonb *fill, const DpDomain *domain)
{
	DpPlaceholderTexts *texts = palloc0(sizeof(DpPlaceholderTexts));

	texts->fill = fill;
	texts->domain = domain;
	texts->arena = dp_arena_for(CurrentMemoryContext);
	return texts;
}

/* The stream of a column's texts. Columns of different tables, or names, have others. */
static DpStream
key_stream(const DpFillKey *key, int table, const char *name)
{
	static const unsigned char hash_key[DP_SIPHASH_KEY_BYTES] = "dpsyn keys";
	unsigned char number = (unsigned char) table; /* less than DP_TREE_TABLES_MAX */
	DpSiphash hash;

	dp_siphash_start(&hash, hash_key);
	dp_siphash_add(&hash, &number, 1);
	dp_siphash_add(&hash, name, strlen(name));
	return (DpStream){key->seed ^ dp_siphash_finish(&hash), key->set, 0};
}

void
dp_placeholder_texts_key(DpPlaceholderTexts *texts, const DpFillKey *key)
{
	ListCell *cell;

	texts->key = *key;
	foreach (cell, texts->texts)
	{
		DpPlaceholderText *text = lfirst(cell);

		text->stream = key_stream(key, key->table, text->name);
	}
}

void
dp_placeholder_text_refer(const DpPlaceholderTexts *texts, DpPlaceholderText *text, int up,
						  int table, const char *table_column)
{
	text->refers = true;
	text->up = up;
	text->stream = key_stream(&texts->key, table, table_column);
}

static DpPlaceholderText *
text_new(DpPlaceholderTexts *texts, const char *name)
{
	DpPlaceholderText *text = palloc0(sizeof(DpPlaceholderText));

	text->name = pstrdup(name);
	text->stream = key_stream(&texts->key, texts->key.table, name);
	texts->texts = lappend(texts->texts, text);
	return text;
}

/* The existing text of that name, or NULL. */
static DpPlaceholderText *
text_find(const DpPlaceholderTexts *texts, const char *name, bool modelled)
{
	ListCell *cell;

	foreach (cell, texts->texts)
	{
		DpPlaceholderText *text = lfirst(cell);

		if (strcmp(text->name, name) == 0 && (text->attribute != NULL) == modelled)
			return text;
	}
	return NULL;
}

static DpPlaceholderText *part_create(DpPlaceholderTexts *texts, const char *name, int depth);

static DpPlaceholderText *
pattern_text_create(DpPlaceholderTexts *texts, const char *name, int depth)
{
	const char *pattern = dp_placeholder_pattern(texts, name);
	DpPlaceholderText *text = text_find(texts, name, false);
	uint32 parts;

	if (text != NULL || pattern == NULL)
		return text;
	text = text_new(texts, name);
	text->pattern = dp_pattern_read(pattern, &texts->arena);
	if (text->pattern == NULL)
		dp_raise(&(DpError){.status = DP_ERR_MEMORY});
	text->capacity = dp_pattern_bytes(pattern);
	text->words = palloc(text->capacity);
	parts = dp_pattern_columns(text->pattern);
	text->part = palloc0(sizeof(DpPlaceholderText *) * Max(parts, 1));
	text->part_words = palloc0(sizeof(char *) * Max(parts, 1));
	for (uint32 i = 0; i < parts && depth < DEPTH_MAX; i++)
		text->part[i] = part_create(texts, dp_pattern_column(text->pattern, i), depth + 1);
	return text;
}

/* NULL: there is no such column. */
static DpPlaceholderText *
part_create(DpPlaceholderTexts *texts, const char *name, int depth)
{
	int attribute = dp_domain_find(texts->domain, name);
	DpPlaceholderText *text;

	if (attribute < 0)
		return pattern_text_create(texts, name, depth);
	text = text_find(texts, name, true);
	if (text != NULL)
		return text;
	text = text_new(texts, name);
	text->attribute = &texts->domain->attribute[attribute];
	text->number = (uint32) attribute;
	return text;
}

DpPlaceholderText *
dp_placeholder_text(DpPlaceholderTexts *texts, const char *column)
{
	return pattern_text_create(texts, column, 0);
}

const DpPattern *
dp_placeholder_text_pattern(const DpPlaceholderText *text)
{
	return text->pattern;
}

/* ---- a row ---- */

/* The value of a modelled column; an empty text for NULL. */
static const char *
level_words(const DpAttribute *attribute, uint32 code)
{
	if (code < attribute->labels_n)
		return attribute->labels[code];
	return attribute->other != NULL ? attribute->other : "";
}

/* Removes a number of characters, from all values of other columns in a text alike. */
static void
parts_clip(DpPlaceholderText *text, int excess)
{
	uint32 parts = dp_pattern_columns(text->pattern);
	int most = 0, total;

	for (uint32 i = 0; i < parts; i++)
		most = Max(most, text->part_words[i] ? pg_mbstrlen(text->part_words[i]) : 0);
	do
	{
		most--;
		total = 0;
		for (uint32 i = 0; i < parts; i++)
			if (text->part_words[i] != NULL)
				total += Max(pg_mbstrlen(text->part_words[i]) - most, 0);
	} while (most > 0 && total < excess);
	for (uint32 i = 0; i < parts; i++)
		if (text->part_words[i] != NULL)
			text->part_words[i] =
				pnstrdup(text->part_words[i],
						 pg_mbcharcliplen(text->part_words[i], (int) strlen(text->part_words[i]),
										  Max(most, 0)));
}

static void
words_write(DpPlaceholderText *text, DpPatternRow row)
{
	Size capacity = text->capacity;

	for (uint32 i = 0; i < dp_pattern_columns(text->pattern); i++)
		capacity += text->part_words[i] != NULL ? strlen(text->part_words[i]) : 0;
	if (capacity > text->capacity)
	{
		text->capacity = capacity;
		text->words = repalloc(text->words, capacity);
	}
	dp_pattern_write(text->pattern, row, text->stream, text->part_words, text->words);
}

const char *
dp_placeholder_text_write(DpPlaceholderText *text, const DpTextRow *row, int characters)
{
	DpPatternRow number = text->refers ? row->above[text->up] : row->own;
	uint32 parts;
	int excess;

	if (text->attribute != NULL)
		return level_words(text->attribute, row->codes[text->number]);
	if (text->busy)
		return "";
	text->busy = true;
	parts = dp_pattern_columns(text->pattern);
	for (uint32 i = 0; i < parts; i++)
		text->part_words[i] =
			text->part[i] == NULL ? NULL : dp_placeholder_text_write(text->part[i], row, 0);
	words_write(text, number);
	excess = characters > 0 && parts > 0 ? pg_mbstrlen(text->words) - characters : 0;
	if (excess > 0)
	{
		parts_clip(text, excess);
		words_write(text, number);
	}
	text->busy = false;
	return text->words;
}
