/*
 * predicate.c -- reading predicates.
 */
#include "pg/domain/predicate.h"

#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "pg/domain/levels.h"
#include "pg/server/json.h"
#include "pg/server/values.h"

void
dp_refuse_predicate(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("a filter must be an object of columns"),
					errhint("Write {\"sex\": \"f\", \"age\": [18, 40]}, or leave it out.")));
}

List *
dp_predicate_members(JsonbContainer *predicate)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	List *members = NIL;

	if (predicate == NULL)
		return NIL;
	if (!JsonContainerIsObject(predicate))
		dp_refuse_predicate();
	iterator = JsonbIteratorInit(predicate);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		DpMember *member;

		CHECK_FOR_INTERRUPTS();
		if (token != WJB_KEY)
			continue;
		member = palloc(sizeof(DpMember));
		member->column = pnstrdup(value.val.string.val, value.val.string.len);
		member->value = dp_json_member(predicate, member->column);
		members = lappend(members, member);
	}
	return members;
}

/* NULL: it is none. */
static DpTerm *
term_of(const JsonbValue *value, bool has_bins)
{
	DpTerm *term = palloc0(sizeof(DpTerm));

	if (value->type == jbvNull)
		return term;
	term->text = dp_json_text(value);
	if (term->text == NULL)
		return NULL;
	if (has_bins && dp_range_text_read(term->text, &term->low, &term->high, &term->closed))
	{
		term->kind = DP_TERM_RANGE;
		return term;
	}
	term->kind = DP_TERM_VALUE;
	term->low = term->high = term->text;
	term->closed = true;
	return term;
}

/* Two values of a column with bins, or one and null, are the ends of one range. */
static bool
is_range(List *terms)
{
	DpTerm *low, *high;

	if (list_length(terms) != 2)
		return false;
	low = linitial(terms);
	high = lsecond(terms);
	return low->kind != DP_TERM_RANGE && high->kind != DP_TERM_RANGE;
}

List *
dp_predicate_terms(const JsonbValue *member, bool has_bins)
{
	List *terms = NIL;
	DpTerm *term;

	if (!dp_json_is_array(member))
	{
		term = term_of(member, has_bins);
		return term == NULL ? NIL : list_make1(term);
	}
	for (uint32 i = 0; i < JsonContainerSize(member->val.binary.data); i++)
	{
		term = term_of(getIthJsonbValueFromContainer(member->val.binary.data, i), has_bins);
		if (term == NULL)
			return NIL;
		terms = lappend(terms, term);
	}
	if (!has_bins || !is_range(terms))
		return terms;
	term = palloc0(sizeof(DpTerm));
	term->kind = DP_TERM_RANGE;
	term->low = ((DpTerm *) linitial(terms))->text;
	term->high = ((DpTerm *) lsecond(terms))->text;
	return list_make1(term);
}

/* ---- texts that mean the same in every session ---- */

/* A value, or a range of values as cells show it. */
static const char *
term_canonical(const char *text, Oid type)
{
	const char *low, *high;
	bool closed;

	if (OidIsValid(get_range_subtype(type)) || !dp_range_text_read(text, &low, &high, &closed))
		return dp_value_canonical(text, type, -1);
	return psprintf("[%s,%s%c", low == NULL ? "" : dp_value_canonical(low, type, -1),
					high == NULL ? "" : dp_value_canonical(high, type, -1), closed ? ']' : ')');
}

void
dp_json_put_canonical(StringInfo json, JsonbValue *value, Oid type)
{
	bool depends = OidIsValid(type) && dp_type_reads_by_settings(type);

	if (depends && value->type == jbvString)
		escape_json(json, term_canonical(dp_json_text(value), type));
	else if (depends && dp_json_is_array(value))
	{
		appendStringInfoChar(json, '[');
		for (uint32 i = 0; i < JsonContainerSize(value->val.binary.data); i++)
		{
			JsonbValue *element = getIthJsonbValueFromContainer(value->val.binary.data, i);

			appendStringInfoString(json, i ? ", " : "");
			if (element->type == jbvBinary)
				dp_json_put(json, element);
			else
				dp_json_put_canonical(json, element, type);
		}
		appendStringInfoChar(json, ']');
	}
	else
		dp_json_put(json, value);
}

Oid
dp_type_in_relation(const void *relation, const char *column)
{
	Oid oid = *(const Oid *) relation;
	AttrNumber number = get_attnum(oid, column);

	return number <= 0 ? InvalidOid : getBaseType(get_atttype(oid, number));
}

Jsonb *
dp_predicate_canonical(JsonbContainer *predicate, DpTypeOfColumn type_of, const void *context)
{
	JsonbIterator *iterator = JsonbIteratorInit(predicate);
	JsonbIteratorToken token;
	JsonbValue value;
	Oid type = InvalidOid;
	StringInfoData json;

	if (!JsonContainerIsObject(predicate))
		dp_refuse_predicate();
	initStringInfo(&json);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			appendStringInfoString(&json, json.len ? ", " : "{");
			type = type_of(context, dp_json_text(&value));
			dp_json_put(&json, &value);
			appendStringInfoString(&json, ": ");
		}
		else if (token == WJB_VALUE)
			dp_json_put_canonical(&json, &value, type);
	}
	appendStringInfoString(&json, json.len ? "}" : "{}");
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data)));
}
