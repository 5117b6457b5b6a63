/*
 * cell_json.c -- codes to jsonb.
 */
#include "pg/sample/cell_json.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "pg/domain/levels.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

typedef enum CellForm
{
	FORM_TEXT,
	FORM_NUMBER,
	FORM_BOOLEAN
} CellForm;

struct DpCellWriter
{
	const DpDomain *domain;
	uint32 n;
	uint32 *attribute;
	CellForm *form;
};

static CellForm
form_of(const DpAttribute *attribute)
{
	Oid type = attribute->type == NULL || attribute->kind == DP_BINS
				   ? InvalidOid
				   : dp_type_of_label(attribute->type);

	if (type == BOOLOID)
		return FORM_BOOLEAN;
	return dp_is_number(type) ? FORM_NUMBER : FORM_TEXT;
}

DpCellWriter *
dp_cell_writer(const DpDomain *domain, const DpAttributeSet *set)
{
	DpCellWriter *writer = palloc0(sizeof(DpCellWriter));

	writer->domain = domain;
	writer->n = set->n;
	writer->attribute = palloc(sizeof(uint32) * Max(set->n, 1));
	writer->form = palloc(sizeof(CellForm) * Max(set->n, 1));
	for (uint32 k = 0; k < set->n; k++)
	{
		writer->attribute[k] = set->attribute[k];
		writer->form[k] = form_of(&domain->attribute[set->attribute[k]]);
	}
	return writer;
}

static JsonbValue
text_value(const char *text)
{
	JsonbValue value = {.type = jbvString};

	value.val.string.val = unconstify(char *, text);
	value.val.string.len = (int) strlen(text);
	return value;
}

static JsonbValue
level_value(const DpAttribute *attribute, CellForm form, uint32 code)
{
	JsonbValue value = {.type = jbvNull};
	const char *text;

	if (attribute->has_other && code == attribute->levels - 1)
		return attribute->other == NULL ? value : text_value(attribute->other);
	text = dp_level_text(attribute, code);
	if (form == FORM_BOOLEAN)
	{
		value.type = jbvBool;
		value.val.boolean = text[0] == 't';
		return value;
	}
	if (form == FORM_NUMBER && text[0] != 'N' && strchr(text, 'I') == NULL) /* NaN, Infinity */
	{
		value.type = jbvNumeric;
		value.val.numeric = DatumGetNumeric(DirectFunctionCall3(
			numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
		return value;
	}
	return text_value(text);
}

static void
push_group(DpJsonbState *state, const DpAttribute *attribute, CellForm form, uint32 code,
		   const uint32 *group)
{
	JsonbValue value;
	uint32 levels = 0;

	for (uint32 i = 0; group != NULL && i < attribute->levels; i++)
		levels += group[i] == group[code];
	if (levels < 2)
	{
		value = level_value(attribute, form, code);
		DP_JSONB_PUSH(state, WJB_VALUE, &value);
		return;
	}
	DP_JSONB_PUSH(state, WJB_BEGIN_ARRAY, NULL);
	for (uint32 i = 0; i < attribute->levels; i++)
		if (group[i] == group[code])
		{
			value = level_value(attribute, form, i);
			DP_JSONB_PUSH(state, WJB_ELEM, &value);
		}
	DP_JSONB_PUSH(state, WJB_END_ARRAY, NULL);
}

Jsonb *
dp_cell_json(const DpCellWriter *writer, const uint32 *code, uint32 *const *group)
{
	DpJsonbState state = {0};

	DP_JSONB_PUSH(&state, WJB_BEGIN_OBJECT, NULL);
	for (uint32 k = 0; k < writer->n; k++)
	{
		uint32 a = writer->attribute[k];
		const DpAttribute *attribute = &writer->domain->attribute[a];
		JsonbValue key = text_value(attribute->name);

		DP_JSONB_PUSH(&state, WJB_KEY, &key);
		push_group(&state, attribute, writer->form[k], code[k], group == NULL ? NULL : group[a]);
	}
	DP_JSONB_PUSH(&state, WJB_END_OBJECT, NULL);
	return JsonbValueToJsonb(state.result);
}
