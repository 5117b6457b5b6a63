/*
 * decoder.c -- making what turns codes into rows of the caller's type. Columns are matched by name,
 * and those that the release does not model are NULL.
 */
#include "pg/sample/decode.h"

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "pg/domain/bounds.h"
#include "pg/domain/derived.h"
#include "pg/domain/distance.h"
#include "pg/domain/range_part.h"
#include "pg/sample/column_decoder.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/values.h"

#define DISTANCE_PRECISION 100 /* digits of a distance between numerics */

static void
values_prepare(ColumnDecoder *column, const DpAttribute *attribute, const char *const *labels,
			   uint32 n)
{
	DpValueContext context = {attribute->name, "levels", attribute->type, InvalidOid};

	column->value = palloc_extended(sizeof(Datum) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n; i++)
		column->value[i] =
			dp_column_value_in(labels[i], column->drawn.type, column->drawn.typmod, &context);
}

/* Whether values are decimal numbers of any length, whose last digits would say nothing. */
static bool
is_decimal(const ColumnDecoder *column, const DpGrid *grid)
{
	return grid->kind == DP_GRID_NUMBER && grid->step == 1 &&
		   (uint64) grid->last - (uint64) grid->first >= DP_GRID_CELLS_MAX &&
		   dp_type_step(&column->drawn) == NULL;
}

static void
range_prepare(ColumnDecoder *column, const DpAttribute *attribute)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	const DpGrid *grid = &attribute->range->grid;

	column->range.found = attribute->range;
	column->range.first = grid->first;
	column->range.last = grid->last;
	if (attribute->range->listed != NULL)
		values_prepare(column, attribute, attribute->range->listed,
					   (uint32) column->range.last + 1);
	else
		column->range.coder =
			dp_grid_coder(&attribute->range->grid, column->drawn.type, column->drawn.typmod);
	if (is_decimal(column, grid))
	{
		column->range.cells = palloc(sizeof(DpGridCells));
		dp_grid_cells(grid, column->range.cells);
	}
	column->range.sampler = dp_range_sampler_create(attribute->range, &arena);
	if (column->range.sampler == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

static bool
is_distance(const ColumnDecoder *column)
{
	return column->attribute >= 0 && (column->base >= 0 || column->base_above >= 0);
}

static void
column_prepare(ColumnDecoder *column, const DpAttribute *attribute)
{
	DpValueContext context = {attribute->name, "levels", attribute->type, InvalidOid};

	column->other = attribute->has_other ? attribute->levels - 1 : attribute->levels;
	column->other_value.isnull = attribute->other == NULL;
	if (attribute->has_other && attribute->other && is_distance(column))
		column->other_value.value =
			dp_value_in(attribute->other, column->own.type, column->own.typmod);
	else if (attribute->has_other && attribute->other)
		column->other_value.value = dp_column_value_in(attribute->other, column->drawn.type,
													   column->drawn.typmod, &context);
	if (attribute->range != NULL)
	{
		range_prepare(column, attribute);
		return;
	}
	if (attribute->kind == DP_BINS)
	{
		column->bins = dp_bins_create(attribute, column->drawn.type, column->drawn.typmod);
		return;
	}
	values_prepare(column, attribute, attribute->labels, attribute->labels_n);
}

static int
column_find(TupleDesc target, const char *name)
{
	for (int i = 0; i < target->natts; i++)
		if (!TupleDescAttr(target, i)->attisdropped &&
			strcmp(NameStr(TupleDescAttr(target, i)->attname), name) == 0)
			return i;
	return -1;
}

/* The column is drawn as a distance. */
static void
distance_prepare(ColumnDecoder *column)
{
	column->drawn.type = dp_distance_type(column->own.type);
	column->drawn.typmod = -1;
	/* a distance has as many digits as the column */
	if (column->own.type == NUMERICOID && column->own.typmod >= (int32) VARHDRSZ)
		column->drawn.typmod =
			((DISTANCE_PRECISION << 16) | ((column->own.typmod - VARHDRSZ) & 0x7ff)) + VARHDRSZ;
}

/* The type of the column that a name is, or of the end that it is of one; from: the column, -1: there
 * is none. */
static Oid
base_find(TupleDesc target, const char *name, int *from, BaseAbove *end)
{
	char *range = NULL;

	*from = column_find(target, name);
	if (*from >= 0)
		return getBaseType(TupleDescAttr(target, *from)->atttypid);
	end->end = dp_range_end_named(name, &range);
	*from = end->end == DP_NO_RANGE_PART ? -1 : column_find(target, range);
	if (*from < 0)
		return InvalidOid;
	end->range = getBaseType(TupleDescAttr(target, *from)->atttypid);
	end->column = (DpBaseColumn){NULL, name, dp_range_end_type(end->range)};
	return end->column.type;
}

/* From another column of the row type. */
static void
offset_prepare(DpDecoder *decoder, ColumnDecoder *column, TupleDesc target, int i, const char *base)
{
	Form_pg_attribute form = TupleDescAttr(target, i);
	BaseAbove end = {.value = {0, true}};
	int from;

	column->base_type = base_find(target, base, &from, &end);
	if (!dp_distance_fits(column->own.type, column->base_type))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" cannot be drawn without column \"%s\"",
							   NameStr(form->attname), base),
						errdetail("It is modelled as the distance from it."),
						errhint("Draw into a row type that has both, as they are in the table.")));
	column->base = from;
	if (end.end != DP_NO_RANGE_PART)
	{
		column->base_above = decoder->bases_above++;
		decoder->base_above[column->base_above] = end;
	}
	distance_prepare(column);
}

/* The value of the column, or the base of its distance, is in an ancestor's row and is given with
 * each row. */
static void
base_above_add(DpDecoder *decoder, ColumnDecoder *column, const DpDerivation *derivation)
{
	column->base_above = decoder->bases_above++;
	decoder->base_above[column->base_above] = (BaseAbove){
		.column = {derivation->table, derivation->base, column->own.type}, .value = {0, true}};
}

/* From a column of the rows that rows belong to. */
static void
offset_prepare_above(DpDecoder *decoder, ColumnDecoder *column, TupleDesc target, int i,
					 const DpDerivation *derivation)
{
	if (!OidIsValid(dp_distance_type(column->own.type)))
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" cannot be drawn as a value of type %s",
					NameStr(TupleDescAttr(target, i)->attname), format_type_be(column->own.type)),
			 errdetail("It is modelled as the distance from %s.%s.",
					   quote_identifier(derivation->table), quote_identifier(derivation->base)),
			 errhint("Draw into a row type that has the column of the type that it has "
					 "in its table.")));
	base_above_add(decoder, column, derivation);
	distance_prepare(column);
}

/* The column has for each level of another column the value of a dictionary. */
static void
dictionary_prepare(ColumnDecoder *column, const DpAttribute *base, Jsonb *dictionary)
{
	char *words;

	column->value = palloc_extended(sizeof(Datum) * Max(base->labels_n, 1), MCXT_ALLOC_HUGE);
	column->missing = palloc_extended(Max(base->labels_n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < base->labels_n; i++)
	{
		words = dp_dictionary_look_up(dictionary, base->labels[i]);
		column->missing[i] = words == NULL;
		if (words != NULL)
			column->value[i] = dp_value_in(words, column->drawn.type, column->drawn.typmod);
	}
	column->other = base->has_other ? base->levels - 1 : base->levels;
	words = base->has_other && base->other ? dp_dictionary_look_up(dictionary, base->other) : NULL;
	column->other_value.isnull = words == NULL;
	if (words != NULL)
		column->other_value.value = dp_value_in(words, column->drawn.type, column->drawn.typmod);
}

/* The column is put together from those of its fields that the release has; false: it has none. */
static bool
fields_prepare(ColumnDecoder *column, const DpDomain *domain, Jsonb *derived,
			   Form_pg_attribute form)
{
	FieldsDecoder *fields = &column->fields;
	DpDerivation derivation;

	if ((column->own.type != JSONBOID && !dp_type_has_range_parts(column->own.type)) ||
		derived == NULL)
		return false;
	fields->part = palloc0(sizeof(ColumnDecoder) * Max(domain->attributes, 1));
	fields->field = palloc(sizeof(DpJsonField *) * Max(domain->attributes, 1));
	for (uint32 a = 0; a < domain->attributes; a++)
	{
		const DpAttribute *attribute = &domain->attribute[a];
		Oid type = attribute->type == NULL ? InvalidOid : dp_type_of_label(attribute->type);

		if (!dp_derivation_find(derived, attribute->name, &derivation) ||
			derivation.field_of == NULL || strcmp(derivation.field_of, NameStr(form->attname)) != 0)
			continue;
		fields->not_null = derivation.not_null;
		fields->field[fields->n] = dp_json_field_of_name(attribute->name, type);
		fields->field[fields->n]->range = column->own.type;
		fields->part[fields->n] = (ColumnDecoder){.attribute = (int) a,
												  .base = -1,
												  .base_above = -1,
												  .drawn = {type, -1},
												  .own = {.type = type}};
		column_prepare(&fields->part[fields->n++], attribute);
	}
	return fields->n > 0;
}

Oid
dp_row_type_owner(Oid type)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	owner = type == RECORDOID ? InvalidOid : ((Form_pg_type) GETSTRUCT(tuple))->typowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* false: the release says nothing of the column. The CHECK of a domain type is left to who takes
 * the rows. */
static bool
column_create(DpDecoder *decoder, int i, const DpDomain *domain, Jsonb *derived, TupleDesc target)
{
	ColumnDecoder *column = &decoder->column[i];
	Oid owner = dp_row_type_owner(target->tdtypeid);
	Form_pg_attribute form = TupleDescAttr(target, i);
	const char *name = NameStr(form->attname);
	DpDerivation derivation = {0};

	*column = (ColumnDecoder){
		.attribute = -1, .base = -1, .base_above = -1, .own = {.typmod = form->atttypmod}};
	if (form->attisdropped)
		return false;
	column->own.type = getBaseTypeAndTypmod(form->atttypid, &column->own.typmod);
	column->drawn = column->own;
	column->attribute = dp_domain_find(domain, name);
	(void) dp_derivation_find(derived, name, &derivation);
	if (column->attribute < 0 && derivation.base != NULL && derivation.table != NULL)
	{
		base_above_add(decoder, column, &derivation);
		return true;
	}
	if (column->attribute < 0 && derivation.base != NULL && derivation.dictionary == NULL)
		column->attribute = dp_domain_find(domain, derivation.base);
	if (column->attribute < 0 && derivation.dictionary != NULL)
	{
		column->attribute = dp_domain_find(domain, derivation.base);
		if (column->attribute < 0 || domain->attribute[column->attribute].kind != DP_CATEGORIES)
		{
			column->attribute = -1;
			return false;
		}
		dp_check_type_readable(name, form->atttypid, owner);
		dictionary_prepare(column, &domain->attribute[column->attribute], derivation.dictionary);
		return true;
	}
	if (column->attribute < 0)
		return fields_prepare(column, domain, derived, form);
	dp_check_type_readable(name, form->atttypid, owner);
	if (derivation.is_offset && derivation.table != NULL)
		offset_prepare_above(decoder, column, target, i, &derivation);
	else if (derivation.is_offset)
		offset_prepare(decoder, column, target, i, derivation.base);
	column_prepare(column, &domain->attribute[column->attribute]);
	return true;
}

/* Fills of_code of a column of categories. */
static void
codes_prepare(ColumnDecoder *column, const DpDomain *domain)
{
	uint32 levels;
	NullableDatum *of_code;

	if (column->attribute < 0 || column->fields.n > 0 || column->base >= 0 ||
		column->base_above >= 0 || column->bins != NULL || column->range.sampler != NULL)
		return;
	levels = domain->attribute[column->attribute].levels;
	of_code = palloc_extended(sizeof(NullableDatum) * Max(levels, 1), MCXT_ALLOC_HUGE);
	for (uint32 code = 0; code < levels; code++)
		if (!decode_null(column, code, &of_code[code].value, &of_code[code].isnull))
			of_code[code] = (NullableDatum){column->value[code], false};
	column->of_code = of_code;
}

/* Adds a column, after those that it is a distance from. */
static int
order_add(const DpDecoder *decoder, int i, bool *added, int *order, int n)
{
	check_stack_depth();
	if (added[i])
		return n;
	added[i] = true;
	if (decoder->column[i].base >= 0)
		n = order_add(decoder, decoder->column[i].base, added, order, n);
	order[n] = i;
	return n + 1;
}

static int *
order_create(const DpDecoder *decoder)
{
	int *order = palloc(sizeof(int) * Max(decoder->columns, 1));
	bool *added = palloc0(Max(decoder->columns, 1));
	int n = 0;

	/* what is no distance first, so that rows without any are drawn in the order of columns */
	for (int i = 0; i < decoder->columns; i++)
		if (decoder->column[i].base < 0)
			n = order_add(decoder, i, added, order, n);
	for (int i = 0; i < decoder->columns; i++)
		n = order_add(decoder, i, added, order, n);
	return order;
}

/* Reading a label can run the CHECK of a domain inside its type. It does so only as the owner of
 * the row type. */
DpDecoder *
dp_decoder_create(const DpDomain *domain, Jsonb *derived, TupleDesc target)
{
	DpDecoder *decoder = palloc0(sizeof(DpDecoder));
	DpUserContext user_context;
	int level;

	dp_become_owner(&user_context, dp_row_type_owner(target->tdtypeid));
	level = dp_values_begin();
	decoder->columns = target->natts;
	decoder->column = palloc0(sizeof(ColumnDecoder) * Max(target->natts, 1));
	decoder->base_above = palloc0(sizeof(BaseAbove) * Max(target->natts, 1));
	for (int i = 0; i < target->natts; i++)
		if (column_create(decoder, i, domain, derived, target))
		{
			decoder->any = true;
			codes_prepare(&decoder->column[i], domain);
		}
	decoder->order = order_create(decoder);
	dp_values_end(level);
	dp_unelevate(&user_context);
	return decoder;
}

void
dp_decoder_expect_columns(const DpDecoder *decoder)
{
	if (!decoder->any)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the row type has no column of the release"),
				 errhint("Draw into the row type of the protected relation, NULL::relation, or "
						 "one with columns of the same names.")));
}

void
dp_decoder_restrict(DpDecoder *decoder, int attribute, const char *low, const char *high,
					bool closed)
{
	int level = dp_values_begin();

	for (int i = 0; i < decoder->columns; i++)
	{
		ColumnDecoder *column = &decoder->column[i];

		for (int k = 0; k < column->fields.n; k++)
			if (column->fields.part[k].attribute == attribute &&
				column->fields.part[k].bins != NULL)
				dp_bins_restrict(column->fields.part[k].bins, low, high, closed);
		if (column->attribute == attribute && column->bins != NULL)
			dp_bins_restrict(column->bins, low, high, closed);
	}
	dp_values_end(level);
}

static void
range_restrict(ColumnDecoder *column, int64 first, int64 last)
{
	column->range.first = first;
	column->range.last = last;
}

void
dp_decoder_restrict_range(DpDecoder *decoder, int attribute, int64 first, int64 last)
{
	for (int i = 0; i < decoder->columns; i++)
	{
		ColumnDecoder *column = &decoder->column[i];

		for (int k = 0; k < column->fields.n; k++)
			if (column->fields.part[k].attribute == attribute &&
				column->fields.part[k].range.sampler != NULL)
				range_restrict(&column->fields.part[k], first, last);
		if (column->attribute == attribute && column->range.sampler != NULL)
			range_restrict(column, first, last);
	}
}

void
dp_decoder_fix(DpDecoder *decoder, int column, Datum value)
{
	decoder->is_fixed = true;
	decoder->column[column].is_fixed = true;
	decoder->column[column].fixed = value;
}

void
dp_decoder_unfix(DpDecoder *decoder)
{
	decoder->is_fixed = false;
	for (int i = 0; i < decoder->columns; i++)
		decoder->column[i].is_fixed = false;
}

void
dp_decoder_even(DpDecoder *decoder, bool even)
{
	decoder->even = even;
}

bool
dp_decoder_is_fixed(const DpDecoder *decoder)
{
	return decoder->is_fixed;
}

int
dp_decoder_bases_above(const DpDecoder *decoder)
{
	return decoder->bases_above;
}

const DpBaseColumn *
dp_decoder_base_above(const DpDecoder *decoder, int base)
{
	return &decoder->base_above[base].column;
}

void
dp_decoder_give_base(DpDecoder *decoder, int base, NullableDatum value)
{
	decoder->base_above[base].value = value;
}

NullableDatum
dp_decoder_given_base(const DpDecoder *decoder, int base)
{
	return decoder->base_above[base].value;
}

DpDecoded
dp_decoded(const DpDecoder *decoder, int i)
{
	const ColumnDecoder *column = &decoder->column[i];

	return (DpDecoded){.attribute = column->attribute,
					   .base = column->base,
					   .base_above = column->base_above,
					   .has_bins = column->bins != NULL || column->range.sampler != NULL,
					   .is_looked_up = column->missing != NULL,
					   .has_fields = column->fields.n > 0,
					   .type = column->drawn.type,
					   .typmod = column->drawn.typmod,
					   .of_code = column->is_fixed ? NULL : column->of_code};
}

const int *
dp_decoder_order(const DpDecoder *decoder)
{
	return decoder->order;
}
