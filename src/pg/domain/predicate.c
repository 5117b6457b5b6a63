/*
 * predicate.c -- reading predicates.
 */
#include "pg/domain/predicate.h"

#include "miscadmin.h"

#include "pg/domain/levels.h"
#include "pg/server/json.h"

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
