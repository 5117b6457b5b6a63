/*
 * placeholder_rows.c -- values of columns that are not modelled, and of modelled ones that must not
 * be NULL.
 *
 * A modelled column whose level "other" came up, while the column must not be NULL, takes the
 * level of the row before it in the block. So it has the column's own distribution, and the rest
 * tells nothing else that could be kept. The first rows of a block have no row before them, and
 * take any of the column's levels. This is done with the codes, so that rules, and columns that a
 * dictionary gives, are of the level that the row has.
 */
#include "pg/sample/placeholder_rows.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "core/domain/pattern.h"
#include "pg/domain/fill_capacity.h"
#include "pg/sample/decode.h"
#include "pg/server/catalog.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/values.h"
#include "mb/pg_wchar.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"
#include "core/base/siphash.h"
#include "pg/server/bridge.h"

/*
 * Texts, row by row: the text of a pattern (core/domain/pattern.h), with the values of the columns
 * that it names.
 *
 * A text follows from the number of its row, from the seed and from the codes of the row. So a text
 * can use the value of another column that is not in the row type.
 */

typedef struct DpPlaceholderTexts DpPlaceholderTexts;
typedef struct DpPlaceholderText DpPlaceholderText;

/* The inputs of the texts of a row. */
typedef struct DpTextRow
{
	DpPatternRow own;
	const DpPatternRow *above; /* the ancestors, the parent first */
	const uint32 *codes;       /* of the row */
} DpTextRow;

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
	uint64 rows_max; /* that it numbers; 0: any number */
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

/* The pattern of a column; NULL: it has none. */
static const char *
placeholder_pattern(const DpPlaceholderTexts *texts, const char *column)
{
	JsonbValue *value = NULL;

	if (texts->fill != NULL)
		value =
			getKeyJsonValueFromContainer(&texts->fill->root, column, (int) strlen(column), NULL);
	if (value == NULL || value->type != jbvString)
		return NULL;
	return pnstrdup(value->val.string.val, value->val.string.len);
}

/* fill: {"column": pattern}; NULL: there are none. */
static DpPlaceholderTexts *
placeholder_texts_create(Jsonb *fill, const DpDomain *domain)
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

/* Sets the key. A random text follows from the key, the column's name and the row number alone, so
 * that rows of other tables can contain it. */
static void
placeholder_texts_key(DpPlaceholderTexts *texts, const DpFillKey *key)
{
	ListCell *cell;

	texts->key = *key;
	foreach (cell, texts->texts)
	{
		DpPlaceholderText *text = lfirst(cell);

		text->stream = key_stream(key, key->table, text->name);
	}
}

/* Makes a text that of a column of an ancestor, `up` levels above the parent. */
static void
placeholder_text_refer(const DpPlaceholderTexts *texts, DpPlaceholderText *text, int up, int table,
					   const char *table_column)
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
	const char *pattern = placeholder_pattern(texts, name);
	DpPlaceholderText *text = text_find(texts, name, false);
	uint32 parts;

	if (text != NULL || pattern == NULL)
		return text;
	text = text_new(texts, name);
	text->pattern = dp_pattern_read(pattern, &texts->arena);
	if (text->pattern == NULL)
		dp_raise(&(DpError){.status = DP_ERR_MEMORY});
	text->capacity = dp_pattern_facts(pattern).bytes;
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

/* The placeholder text of a column. */
static DpPlaceholderText *
placeholder_text(DpPlaceholderTexts *texts, const char *column)
{
	return pattern_text_create(texts, column, 0);
}

/* How many rows it numbers: the next one has number 1 again. */
static void
placeholder_text_limit(DpPlaceholderText *text, uint64 rows)
{
	text->rows_max = rows;
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

/* Whether it is NULL in a row where so many of a hundred are. */
static bool
placeholder_text_is_missing(const DpPlaceholderText *text, const DpTextRow *row, int percent)
{
	return dp_pattern_is_missing(percent, text->refers ? row->above[text->up] : row->own,
								 text->stream);
}

/* The text in a row, valid until the next call for the same column. characters: its maximal length,
 * for which values of other columns are shortened; 0: any length. */
static const char *
placeholder_text_write(DpPlaceholderText *text, const DpTextRow *row, int characters)
{
	DpPatternRow number = text->refers ? row->above[text->up] : row->own;
	uint32 parts;
	int excess;

	if (text->attribute != NULL)
		return level_words(text->attribute, row->codes[text->number]);
	if (text->busy)
		return "";
	if (text->rows_max > 0 && number.number > text->rows_max)
		number.number = (number.number - 1) % text->rows_max + 1;
	text->busy = true;
	parts = dp_pattern_columns(text->pattern);
	for (uint32 i = 0; i < parts; i++)
		text->part_words[i] =
			text->part[i] == NULL ? NULL : placeholder_text_write(text->part[i], row, 0);
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

/* How the values of a column are read from their texts; the CHECK of a domain type is left to who
 * takes the rows. */
typedef struct FillInput
{
	FmgrInfo function;
	Oid parameter;
	int32 typmod;
	int characters; /* the most of a text of the type; 0: any number */
} FillInput;

/* The last level of a block that is not the one to be replaced. */
typedef struct LastLevel
{
	bool is_known;
	uint32 code;
} LastLevel;

/* What stands for the level "other" of a modelled column. */
typedef struct FillLevels
{
	uint32 attribute;
	uint32 other; /* the level that is NULL */
	uint32 levels;
	LastLevel last;
	LastLevel at_mark;
} FillLevels;

typedef struct FillColumn
{
	int index; /* in the row */
	Form_pg_attribute form;
	const char *pattern;
	DpPlaceholderText *text;
	bool constant; /* the value is the same in each row */
	Datum value;
	FillInput input;
	/* of a column of a foreign key, where it is modelled whether a row refers to any */
	bool may_refer;
	uint32 reference; /* the attribute */
	int null_percent; /* of rows, by the pattern */
	bool is_null;     /* in the row whose codes came last */
	bool modelled;
	FillLevels replaced; /* if it is modelled */
} FillColumn;

struct DpPlaceholders
{
	int columns;
	FillColumn *column;
	bool *fills;       /* [columns of target] whether it is not modelled */
	uint32 attributes; /* of the domain */
	uint32 *codes;     /* of a row */
	DpPlaceholderTexts *texts;
	DpTextRow row; /* inputs of the texts of the last row */
	uint64 first;  /* number of the first row of the same parent; 0: there is no parent */
};

static Datum
text_value(FillColumn *column, const DpTextRow *row)
{
	return InputFunctionCall(
		&column->input.function,
		unconstify(char *, placeholder_text_write(column->text, row, column->input.characters)),
		column->input.parameter, column->input.typmod);
}

/*
 * The column may have another type by now than when it was declared. A text is read for each row as
 * whoever draws, so no type may run code then. Constants without elements run none in any type.
 */
static void
check_type(const FillColumn *column, Oid owner)
{
	const char *name = NameStr(column->form->attname);
	Oid type = column->form->atttypid;

	if (!dp_type_runs_code(getBaseType(type)) || strcmp(column->pattern, "{}") == 0 ||
		strcmp(column->pattern, "empty") == 0)
		return;
	dp_check_type_readable(name, type, owner);
	if (!dp_pattern_facts(column->pattern).constant)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" of type %s cannot hold a text for each row", name,
							   format_type_be(type)),
						errdetail("Reading that type can run code."),
						errhint("Draw into a row type in which the column is a text.")));
}

static void
column_prepare(FillColumn *column, Oid owner)
{
	Oid function;

	check_type(column, owner);
	column->input.typmod = column->form->atttypmod;
	getTypeInputInfo(getBaseTypeAndTypmod(column->form->atttypid, &column->input.typmod), &function,
					 &column->input.parameter);
	fmgr_info(function, &column->input.function);
	column->input.characters =
		Max(dp_fill_characters_max(column->form->atttypid, column->form->atttypmod), 0);
	column->null_percent = dp_pattern_facts(column->pattern).null_percent;
	column->constant = dp_pattern_facts(column->pattern).constant;
	/* rows of a parent may be more than anybody asked for: keys that are there again are left out */
	placeholder_text_limit(column->text, dp_fill_capacity(column->pattern, column->form->atttypid,
														  column->form->atttypmod));
	if (column->constant)
		column->value = text_value(column, &(DpTextRow){.own = {1, 1}});
}

/* Prepares placeholder values for a modelled column whose level "other" must not be returned. */
static void
levels_prepare(FillColumn *column, uint32 index, const DpAttribute *attribute)
{
	bool is_listed = attribute->kind == DP_CATEGORIES ||
					 (attribute->range != NULL && attribute->range->listed != NULL);

	column->modelled = true;
	column->replaced = (FillLevels){.attribute = index, .other = attribute->levels};
	if (is_listed && attribute->has_other && attribute->other == NULL)
		column->replaced.other = column->replaced.levels = attribute->levels - 1;
}

/* Whether it is modelled that rows refer to none by this column: the attribute's number; -1: it is
 * not. */
static int
reference_find(Jsonb *fill, const DpDomain *domain, const char *name)
{
	for (uint32 a = 0; fill != NULL && a < domain->attributes; a++)
	{
		const char *attribute = domain->attribute[a].name;
		JsonbValue *columns =
			getKeyJsonValueFromContainer(&fill->root, attribute, (int) strlen(attribute), NULL);
		JsonbValue column = {.type = jbvString};

		if (columns == NULL || columns->type != jbvBinary ||
			!JsonContainerIsArray(columns->val.binary.data))
			continue;
		column.val.string.val = unconstify(char *, name);
		column.val.string.len = (int) strlen(name);
		if (findJsonbValueFromContainer(columns->val.binary.data, JB_FARRAY, &column) != NULL)
			return (int) a;
	}
	return -1;
}

/* Input functions run as the decoder runs them (decode.c). */
DpPlaceholders *
dp_placeholders_create(Jsonb *fill, const DpDomain *domain, TupleDesc target)
{
	DpPlaceholders *placeholders = palloc0(sizeof(DpPlaceholders));
	Oid owner = dp_row_type_owner(target->tdtypeid);
	DpUserContext user_context;
	int level;

	dp_become_owner(&user_context, owner);
	level = dp_values_begin();
	placeholders->column = palloc0(sizeof(FillColumn) * Max(target->natts, 1));
	placeholders->fills = palloc0(sizeof(bool) * Max(target->natts, 1));
	placeholders->attributes = domain->attributes;
	placeholders->codes = palloc(sizeof(uint32) * Max(domain->attributes, 1));
	placeholders->texts = placeholder_texts_create(fill, domain);
	for (int i = 0; i < target->natts; i++)
	{
		FillColumn *column = &placeholders->column[placeholders->columns];
		int attribute, reference;

		column->index = i;
		column->form = TupleDescAttr(target, i);
		if (column->form->attisdropped)
			continue;
		column->pattern = placeholder_pattern(placeholders->texts, NameStr(column->form->attname));
		if (column->pattern == NULL)
			continue;
		column->text = placeholder_text(placeholders->texts, NameStr(column->form->attname));
		placeholders->columns++;
		column_prepare(column, owner);
		reference = reference_find(fill, domain, NameStr(column->form->attname));
		column->may_refer = reference >= 0;
		column->reference = (uint32) Max(reference, 0);
		attribute = dp_domain_find(domain, NameStr(column->form->attname));
		if (attribute >= 0)
			levels_prepare(column, (uint32) attribute, &domain->attribute[attribute]);
		else
			placeholders->fills[i] = true;
	}
	dp_values_end(level);
	dp_unelevate(&user_context);
	return placeholders;
}

uint64
dp_placeholders_rows(const DpPlaceholders *placeholders, uint64 rows, bool requested)
{
	const FillColumn *limit = NULL;

	for (int i = 0; i < placeholders->columns; i++)
	{
		const FillColumn *column = &placeholders->column[i];
		uint64 capacity;

		if (column->modelled)
			continue;
		capacity =
			dp_fill_capacity(column->pattern, column->form->atttypid, column->form->atttypmod);
		if (rows <= capacity)
			continue;
		if (requested)
			dp_fill_too_many(NameStr(column->form->attname), column->form->atttypid,
							 column->form->atttypmod, capacity);
		limit = column;
		rows = capacity;
	}
	if (limit != NULL)
		ereport(NOTICE,
				(errmsg("column \"%s\" of type %s can number " UINT64_FORMAT
						" rows, and no more are drawn",
						NameStr(limit->form->attname),
						format_type_with_typemod(limit->form->atttypid, limit->form->atttypmod),
						rows)));
	return rows;
}

void
dp_placeholders_key(DpPlaceholders *placeholders, const DpFillKey *key)
{
	placeholder_texts_key(placeholders->texts, key);
}

void
dp_placeholders_refer(DpPlaceholders *placeholders, const char *name, int up, int table,
					  const char *table_column)
{
	for (int i = 0; i < placeholders->columns; i++)
	{
		FillColumn *column = &placeholders->column[i];

		if (strcmp(NameStr(column->form->attname), name) != 0)
			continue;
		if (!column->modelled)
			placeholder_text_refer(placeholders->texts, column->text, up, table, table_column);
	}
}

void
dp_placeholders_ancestor(DpPlaceholders *placeholders, const DpPatternRow *above, uint64 first)
{
	placeholders->row.above = above;
	placeholders->first = first;
}

void
dp_placeholders_begin(DpPlaceholders *placeholders)
{
	for (int i = 0; i < placeholders->columns; i++)
		placeholders->column[i].replaced.last.is_known = false;
}

void
dp_placeholders_mark(DpPlaceholders *placeholders)
{
	for (int i = 0; i < placeholders->columns; i++)
		placeholders->column[i].replaced.at_mark = placeholders->column[i].replaced.last;
}

void
dp_placeholders_back(DpPlaceholders *placeholders)
{
	for (int i = 0; i < placeholders->columns; i++)
		placeholders->column[i].replaced.last = placeholders->column[i].replaced.at_mark;
}

double
dp_placeholders_longest(const DpPlaceholders *placeholders, int column)
{
	size_t longest = 0;

	for (int i = 0; placeholders != NULL && i < placeholders->columns; i++)
		if (column < 0 || placeholders->column[i].index == column)
			longest = Max(longest, dp_pattern_facts(placeholders->column[i].pattern).bytes);
	return (double) longest;
}

bool
dp_placeholders_cover(const DpPlaceholders *placeholders, int i)
{
	return placeholders != NULL && placeholders->fills[i];
}

bool
dp_placeholders_fill_any(const DpPlaceholders *placeholders)
{
	for (int i = 0; i < placeholders->columns; i++)
		if (!placeholders->column[i].modelled)
			return true;
	return false;
}

bool
dp_placeholders_knows(const DpPlaceholders *placeholders, int i)
{
	for (int k = 0; k < placeholders->columns; k++)
		if (placeholders->column[k].index == i)
			return true;
	return false;
}

bool
dp_placeholders_is_null(const DpPlaceholders *placeholders, int i)
{
	for (int k = 0; k < placeholders->columns; k++)
		if (placeholders->column[k].index == i)
			return placeholders->column[k].is_null;
	return false;
}

static uint32
level_without_other(FillLevels *levels, uint32 code, DpPrng *prng)
{
	if (code != levels->other)
		levels->last = (LastLevel){true, code};
	else if (levels->last.is_known)
		code = levels->last.code;
	else if (levels->levels > 0)
		code = (uint32) dp_prng_below(prng, levels->levels);
	return code;
}

const uint32 *
dp_fill_codes(DpPlaceholders *placeholders, const uint32 *codes, DpPrng *prng)
{
	bool any = false;

	for (int i = 0; i < placeholders->columns; i++)
	{
		FillColumn *column = &placeholders->column[i];

		column->is_null = column->may_refer && codes[column->reference] == 0;
		if (!column->modelled)
			continue;
		if (!any)
			memcpy(placeholders->codes, codes, sizeof(uint32) * placeholders->attributes);
		any = true;
		placeholders->codes[column->replaced.attribute] =
			level_without_other(&column->replaced, codes[column->replaced.attribute], prng);
	}
	placeholders->row.codes = any ? placeholders->codes : codes;
	return placeholders->row.codes;
}

void
dp_fill_row(DpPlaceholders *placeholders, uint64 n, Datum *values, bool *nulls)
{
	placeholders->row.own.number = n;
	placeholders->row.own.place = placeholders->first > 0 ? n - placeholders->first + 1 : 1;
	for (int i = 0; i < placeholders->columns; i++)
	{
		FillColumn *column = &placeholders->column[i];
		int at = column->index;

		if (column->modelled && !nulls[at])
			continue;
		if (column->null_percent > 0)
			column->is_null =
				placeholder_text_is_missing(column->text, &placeholders->row, column->null_percent);
		nulls[at] = column->is_null;
		values[at] = (Datum) 0;
		if (!column->is_null)
			values[at] = column->constant ? column->value : text_value(column, &placeholders->row);
	}
}
