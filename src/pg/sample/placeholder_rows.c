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

typedef struct FillColumn
{
	int index; /* in the row */
	Form_pg_attribute form;
	const char *pattern;
	DpPlaceholderText *text;
	bool constant; /* the value is the same in each row */
	Datum value;
	/* how values are read; the CHECK of a domain type is left to who takes the rows */
	FmgrInfo input;
	Oid parameter;
	int32 typmod;
	int characters; /* the most of a text of the type; 0: any number */
	/* of a column of a foreign key, where it is modelled whether a row refers to any */
	bool may_refer;
	uint32 reference; /* the attribute */
	bool is_null;     /* in the row whose codes came last */
	/* of a modelled column */
	bool modelled;
	uint32 attribute;
	uint32 other; /* the level that is NULL */
	uint32 levels;
	bool has_last; /* a row of this block has another level */
	uint32 last;
	bool marked_has_last; /* at the mark */
	uint32 marked_last;
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
		&column->input,
		unconstify(char *, dp_placeholder_text_write(column->text, row, column->characters)),
		column->parameter, column->typmod);
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
	if (!dp_pattern_is_constant(column->pattern))
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
	column->typmod = column->form->atttypmod;
	getTypeInputInfo(getBaseTypeAndTypmod(column->form->atttypid, &column->typmod), &function,
					 &column->parameter);
	fmgr_info(function, &column->input);
	column->characters =
		Max(dp_fill_characters_max(column->form->atttypid, column->form->atttypmod), 0);
	column->constant = dp_pattern_is_constant(column->pattern);
	if (column->constant)
		column->value = text_value(column, &(DpTextRow){.own = {1, 1}});
}

/* Of a modelled column whose level "other" must not show. */
static void
levels_prepare(FillColumn *column, uint32 index, const DpAttribute *attribute)
{
	bool is_listed = attribute->kind == DP_CATEGORIES ||
					 (attribute->range != NULL && attribute->range->listed != NULL);

	column->modelled = true;
	column->attribute = index;
	column->other = attribute->levels;
	if (!is_listed || !attribute->has_other || attribute->other != NULL)
		return;
	column->other = column->levels = attribute->levels - 1;
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
	placeholders->texts = dp_placeholder_texts_create(fill, domain);
	for (int i = 0; i < target->natts; i++)
	{
		FillColumn *column = &placeholders->column[placeholders->columns];
		int attribute, reference;

		column->index = i;
		column->form = TupleDescAttr(target, i);
		if (column->form->attisdropped)
			continue;
		column->pattern =
			dp_placeholder_pattern(placeholders->texts, NameStr(column->form->attname));
		if (column->pattern == NULL)
			continue;
		column->text = dp_placeholder_text(placeholders->texts, NameStr(column->form->attname));
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
	dp_placeholder_texts_key(placeholders->texts, key);
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
			dp_placeholder_text_refer(placeholders->texts, column->text, up, table, table_column);
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
		placeholders->column[i].has_last = false;
}

void
dp_placeholders_mark(DpPlaceholders *placeholders)
{
	for (int i = 0; i < placeholders->columns; i++)
	{
		FillColumn *column = &placeholders->column[i];

		column->marked_has_last = column->has_last;
		column->marked_last = column->last;
	}
}

void
dp_placeholders_back(DpPlaceholders *placeholders)
{
	for (int i = 0; i < placeholders->columns; i++)
	{
		FillColumn *column = &placeholders->column[i];

		column->has_last = column->marked_has_last;
		column->last = column->marked_last;
	}
}

double
dp_placeholders_longest(const DpPlaceholders *placeholders)
{
	size_t longest = 0;

	for (int i = 0; placeholders != NULL && i < placeholders->columns; i++)
		if (!placeholders->column[i].modelled)
			longest = Max(longest, dp_pattern_bytes(placeholders->column[i].pattern));
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
level_without_other(FillColumn *column, uint32 code, DpPrng *prng)
{
	if (code != column->other)
	{
		column->has_last = true;
		column->last = code;
	}
	else if (column->has_last)
		code = column->last;
	else if (column->levels > 0)
		code = (uint32) dp_prng_below(prng, column->levels);
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
		placeholders->codes[column->attribute] =
			level_without_other(column, codes[column->attribute], prng);
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
		nulls[at] = column->is_null;
		values[at] = (Datum) 0;
		if (!column->is_null)
			values[at] = column->constant ? column->value : text_value(column, &placeholders->row);
	}
}
