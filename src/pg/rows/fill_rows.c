/*
 * fill_rows.c -- values of columns that are not modelled, and of modelled ones that must not be NULL.
 *
 * A modelled column whose level for the rest came up, while the column must not be NULL, takes the
 * value of the row before it in the block. So it has the column's own distribution, and
 * the rest tells nothing else that could be kept. The first rows of a block have no row before
 * them, and take any of the column's values.
 */
#include "pg/rows/fill_rows.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "core/domain/pattern.h"
#include "pg/domain/fill.h"
#include "pg/rows/decode.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

typedef struct FillColumn
{
	int index; /* in the row */
	Form_pg_attribute form;
	const char *pattern;
	bool constant; /* the value is the same in each row */
	Datum value;
	/* how values are read; the CHECK of a domain type is left to who takes the rows */
	FmgrInfo input;
	Oid parameter;
	int32 typmod;
	char *words; /* room for the text of a row */
	/* of a modelled column */
	bool modelled;
	uint32 labels_n;
	Datum *label;
	bool has_last; /* a row of this block has a value */
	Datum last;
} FillColumn;

struct DpFiller
{
	int columns;
	FillColumn *column;
};

static const char *
pattern_find(Jsonb *fill, const char *name)
{
	JsonbValue *value = NULL;

	if (fill != NULL)
		value = getKeyJsonValueFromContainer(&fill->root, name, (int) strlen(name), NULL);
	if (value == NULL || value->type != jbvString)
		return NULL;
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static Datum
pattern_value(FillColumn *column, uint64 n, DpPrng *prng)
{
	dp_pattern_write(column->pattern, n, prng, column->words);
	return InputFunctionCall(&column->input, column->words, column->parameter, column->typmod);
}

static void
column_prepare(FillColumn *column)
{
	Oid function;

	column->typmod = column->form->atttypmod;
	getTypeInputInfo(getBaseTypeAndTypmod(column->form->atttypid, &column->typmod), &function,
					 &column->parameter);
	fmgr_info(function, &column->input);
	column->words = palloc(dp_pattern_bytes(column->pattern));
	column->constant = !dp_pattern_is_unique(column->pattern);
	/* an array or a range that is empty reads no element */
	if (strcmp(column->pattern, "{}") != 0 && strcmp(column->pattern, "empty") != 0)
		dp_check_reads_no_code(getBaseType(column->form->atttypid));
	if (column->constant)
		column->value = pattern_value(column, 1, NULL);
}

/* The values of a modelled column, of which one can take the place of NULL. */
static void
levels_prepare(FillColumn *column, const DpAttribute *attribute)
{
	const DpRange *range = attribute->range;
	const char **labels = range != NULL ? range->listed : attribute->labels;

	column->modelled = true;
	if (attribute->kind != DP_CATEGORIES && (range == NULL || range->listed == NULL))
		return;
	column->labels_n = range != NULL ? (uint32) range->grid.last + 1 : attribute->labels_n;
	column->label = palloc_extended(sizeof(Datum) * Max(column->labels_n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < column->labels_n; i++)
		column->label[i] =
			dp_value_in_unchecked(labels[i], column->form->atttypid, column->form->atttypmod);
}

/* Input functions run as the decoder runs them (decode.c). */
DpFiller *
dp_filler_create(Jsonb *fill, const DpDomain *domain, TupleDesc target)
{
	DpFiller *filler = palloc0(sizeof(DpFiller));
	DpElevation elevation;
	int level;

	dp_become_owner(&elevation, dp_row_type_owner(target->tdtypeid));
	level = dp_values_begin();
	filler->column = palloc0(sizeof(FillColumn) * Max(target->natts, 1));
	for (int i = 0; i < target->natts; i++)
	{
		FillColumn *column = &filler->column[filler->columns];
		int attribute;

		column->index = i;
		column->form = TupleDescAttr(target, i);
		if (column->form->attisdropped)
			continue;
		column->pattern = pattern_find(fill, NameStr(column->form->attname));
		if (column->pattern == NULL)
			continue;
		filler->columns++;
		column_prepare(column);
		attribute = dp_domain_find(domain, NameStr(column->form->attname));
		if (attribute >= 0)
			levels_prepare(column, &domain->attribute[attribute]);
	}
	dp_values_end(level);
	dp_unelevate(&elevation);
	return filler;
}

void
dp_filler_check_rows(const DpFiller *filler, uint64 rows)
{
	for (int i = 0; i < filler->columns; i++)
	{
		const FillColumn *column = &filler->column[i];
		uint64 capacity;

		if (column->modelled)
			continue;
		capacity =
			dp_fill_capacity(column->pattern, column->form->atttypid, column->form->atttypmod);
		if (rows > capacity)
			dp_fill_too_many(NameStr(column->form->attname), column->form->atttypid,
							 column->form->atttypmod, capacity);
	}
}

bool
dp_filler_is_constant(const DpFiller *filler, int column)
{
	for (int i = 0; filler != NULL && i < filler->columns; i++)
		if (filler->column[i].index == column)
			return filler->column[i].constant && !filler->column[i].modelled;
	return false;
}

void
dp_filler_begin(DpFiller *filler)
{
	for (int i = 0; i < filler->columns; i++)
		filler->column[i].has_last = false;
}

/*
 * The values of categories live as long as the decoder. Those of bins do not, but bins of a column
 * that must not be NULL have no level that is.
 */
static Datum
value_without_null(FillColumn *column, uint64 n, DpPrng *prng)
{
	if (column->has_last)
		return column->last;
	if (column->labels_n > 0)
		return column->label[dp_prng_below(prng, column->labels_n)];
	return column->constant ? column->value : pattern_value(column, n, prng);
}

void
dp_fill_row(DpFiller *filler, uint64 n, DpPrng *prng, Datum *values, bool *nulls)
{
	for (int i = 0; i < filler->columns; i++)
	{
		FillColumn *column = &filler->column[i];
		Datum *value = &values[column->index];

		if (!column->modelled)
			*value = column->constant ? column->value : pattern_value(column, n, prng);
		else if (nulls[column->index])
			*value = value_without_null(column, n, prng);
		else if (column->labels_n > 0)
		{
			column->has_last = true;
			column->last = *value;
		}
		nulls[column->index] = false;
	}
}
