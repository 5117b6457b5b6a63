/*
 * public_answer.c -- answers by columns of public tables.
 *
 * A model knows a column that refers to a public table by its keys, or by groups of them. Which of
 * these have a value of a column there is public. So a value is a condition on the keys: a group of
 * which some keys have it counts in proportion, by what is known of the keys in it.
 */
#include "pg/sample/public_answer.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "pg/domain/predicate.h"
#include "pg/domain/public_keys.h"
#include "pg/domain/relation.h"

#define COMBINATIONS_MAX 10000

/* A column of the release that refers to a public table. */
typedef struct Reference
{
	uint32 attribute; /* of the release */
	const DpPublicKeys *keys;
	uint32 places;  /* keys that the release knows */
	uint32 *row;    /* [places] of the table; DP_PUBLIC_NO_VALUE: it is gone */
	uint32 *level;  /* [places] */
	double *share;  /* [places] of its level */
	double *before; /* [levels] what the filter says of them */
} Reference;

/* A column of a public table that is wanted for. */
typedef struct Wanted
{
	const char *name;
	Reference *reference;
	const DpPublicColumn *column;
	bool *passes; /* [values + 1] of a filter; NULL: it groups */
} Wanted;

struct DpPublicAnswer
{
	const DpDomain *domain;
	List *references; /* of Reference */
	List *by;         /* of Wanted */
	List *filters;    /* of Wanted */
};

/* ---- keys of the release ---- */

/* A key with its row. */
typedef struct KeyRow
{
	const char *key;
	uint32 row;
} KeyRow;

static int
compare_keys(const void *a, const void *b)
{
	return strcmp(((const KeyRow *) a)->key, ((const KeyRow *) b)->key);
}

static KeyRow *
keys_sorted(const DpPublicKeys *keys)
{
	KeyRow *sorted = palloc_extended(sizeof(KeyRow) * Max(keys->n, 1), MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < keys->n; i++)
		sorted[i] = (KeyRow){keys->label[i], keys->row[i]};
	qsort(sorted, keys->n, sizeof(KeyRow), compare_keys);
	return sorted;
}

static Reference *
reference_create(const DpDomain *domain, uint32 number, const DpPublicKeys *keys)
{
	const DpAttribute *attribute = &domain->attribute[number];
	const DpRange *range = attribute->range;
	Reference *reference = palloc0(sizeof(Reference));
	KeyRow *sorted = keys_sorted(keys);

	reference->attribute = number;
	reference->keys = keys;
	reference->places = range != NULL ? (uint32) range->grid.last + 1 : attribute->labels_n;
	reference->row = palloc_extended(sizeof(uint32) * Max(reference->places, 1), MCXT_ALLOC_HUGE);
	reference->level = palloc_extended(sizeof(uint32) * Max(reference->places, 1), MCXT_ALLOC_HUGE);
	reference->share = palloc_extended(sizeof(double) * Max(reference->places, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < reference->places; i++)
	{
		KeyRow wanted = {range != NULL ? range->listed[i] : attribute->labels[i], 0};
		KeyRow *found = bsearch(&wanted, sorted, keys->n, sizeof(KeyRow), compare_keys);

		CHECK_FOR_INTERRUPTS();
		reference->row[i] = found == NULL ? DP_PUBLIC_NO_VALUE : found->row;
		reference->level[i] = range != NULL ? dp_range_bin(range, i) : i;
		reference->share[i] = range != NULL ? dp_range_share(range, reference->level[i], i, i) : 1;
	}
	pfree(sorted);
	return reference;
}

static Reference *
reference_of(DpPublicAnswer *public, uint32 number, const DpPublicKeys *keys)
{
	ListCell *cell;

	foreach (cell, public->references)
		if (((Reference *) lfirst(cell))->attribute == number)
			return lfirst(cell);
	public->references =
		lappend(public->references, reference_create(public->domain, number, keys));
	return llast(public->references);
}

/* ---- what is wanted ---- */

/* Whether the release has categories of the column, or groups of them. */
static bool
is_of_keys(const DpAttribute *attribute)
{
	return attribute->kind == DP_CATEGORIES ||
		   (attribute->range != NULL && attribute->range->listed != NULL);
}

/* NULL: the name means no column of a public table. */
static Wanted *
wanted_find(DpPublicAnswer *public, const DpRelation *facts, const char *name)
{
	for (uint32 a = 0; a < facts->domain.attributes; a++)
	{
		const DpPublicKeys *keys = facts->column[a].keys;
		const char *column = facts->domain.attribute[a].name;
		int number = keys == NULL ? -1 : dp_domain_find(public->domain, column);
		const DpPublicColumn *found = number < 0 ? NULL : dp_public_column_find(keys, column, name);
		Wanted *wanted;

		if (found == NULL || !is_of_keys(&public->domain->attribute[number]))
			continue;
		wanted = palloc0(sizeof(Wanted));
		*wanted = (Wanted){name, reference_of(public, (uint32) number, keys), found, NULL};
		return wanted;
	}
	return NULL;
}

static void
filter_read(Wanted *wanted, const JsonbValue *value)
{
	List *terms = dp_predicate_terms(value, false);
	ListCell *cell;

	wanted->passes = palloc0(sizeof(bool) * (wanted->column->values + 1));
	foreach (cell, terms)
	{
		const DpTerm *term = lfirst(cell);
		bool found = term->kind == DP_TERM_NULL;

		if (found)
			wanted->passes[wanted->column->values] = true;
		for (uint32 v = 0; !found && v < wanted->column->values; v++)
			if (strcmp(wanted->column->value[v], term->text) == 0)
				found = wanted->passes[v] = true;
		if (!found)
			terms = NIL;
		if (terms == NIL)
			break;
	}
	if (terms == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the condition on column \"%s\" names no value of it", wanted->name),
				 errdetail("It is a column of public table \"%s\".", wanted->column->table)));
}

static Jsonb *
without_members(Jsonb *filter, const List *wanted)
{
	Datum left = JsonbPGetDatum(filter);
	ListCell *cell;

	foreach (cell, wanted)
		left = DirectFunctionCall2(jsonb_delete, left,
								   CStringGetTextDatum(((Wanted *) lfirst(cell))->name));
	return DatumGetJsonbP(left);
}

DpPublicAnswer *
dp_public_answer(const DpStored *stored, Oid relation, char **name, int *n, Jsonb **filter)
{
	DpPublicAnswer *public = palloc0(sizeof(DpPublicAnswer));
	DpRelation *facts = NULL;
	bool unknown = false;
	int left = 0;
	List *members = dp_predicate_members(*filter == NULL ? NULL : &(*filter)->root);
	ListCell *cell;

	public->domain = &stored->model.domain;
	for (int i = 0; i < *n; i++)
		unknown |= dp_domain_find(public->domain, name[i]) < 0;
	foreach (cell, members)
		unknown |= dp_domain_find(public->domain, ((DpMember *) lfirst(cell))->column) < 0;
	if (unknown && OidIsValid(relation))
		facts = dp_relation_protected(relation);
	if (facts == NULL)
		return NULL;
	for (int i = 0; i < *n; i++)
	{
		Wanted *wanted = dp_domain_find(public->domain, name[i]) >= 0
							 ? NULL
							 : wanted_find(public, facts, name[i]);

		if (wanted != NULL)
		public->by = lappend(public->by, wanted);
		else name[left++] = name[i];
	}
	*n = left;
	foreach (cell, members)
	{
		const DpMember *member = lfirst(cell);
		Wanted *wanted = dp_domain_find(public->domain, member->column) >= 0
							 ? NULL
							 : wanted_find(public, facts, member->column);

		if (wanted == NULL)
			continue;
		filter_read(wanted, member->value);
		public->filters = lappend(public->filters, wanted);
	}
	if (public->filters != NIL)
		*filter = without_members(*filter, public->filters);
	return public->by == NIL && public->filters == NIL ? NULL : public;
}

/* ---- conditions on keys ---- */

/* The value of a key; that of one that is gone, and of no key, is the one that stands for NULL. */
static uint32
value_at(const Wanted *wanted, uint32 row)
{
	uint32 code = row == DP_PUBLIC_NO_VALUE ? row : wanted->column->code[row];

	return Min(code, wanted->column->values);
}

static bool
passes(const DpPublicAnswer *public, const Reference *reference, uint32 row, const uint32 *code)
{
	ListCell *cell;

	foreach (cell, public->filters)
	{
		const Wanted *wanted = lfirst(cell);

		if (wanted->reference == reference && !wanted->passes[value_at(wanted, row)])
			return false;
	}
	foreach (cell, public->by)
	{
		const Wanted *wanted = lfirst(cell);

		if (wanted->reference == reference &&
			value_at(wanted, row) != code[foreach_current_index(cell)])
			return false;
	}
	return true;
}

/* How much of each level passes; false: nothing of any. */
static bool
condition_set(const DpPublicAnswer *public, const Reference *reference, const uint32 *code,
			  DpCondition *condition)
{
	const DpAttribute *attribute = &public->domain->attribute[reference->attribute];
	double *weight = palloc0(sizeof(double) * attribute->levels);
	bool any = false;

	for (uint32 i = 0; i < reference->places; i++)
		if (passes(public, reference, reference->row[i], code))
			weight[reference->level[i]] += reference->share[i];
	if (attribute->has_other && passes(public, reference, DP_PUBLIC_NO_VALUE, code))
		weight[attribute->levels - 1] = 1;
	for (uint32 i = 0; i < attribute->levels; i++)
	{
		weight[i] = Min(weight[i], 1);
		if (reference->before != NULL)
			weight[i] *= reference->before[i];
		any |= weight[i] > 0;
		condition->prorated[reference->attribute] |= weight[i] > 0 && weight[i] < 1;
	}
	condition->given.weight[reference->attribute] = weight;
	condition->any = true;
	return any;
}

/* ---- answers ---- */

/* {"part.brand": "a"} */
static Jsonb *
cell_of(const DpPublicAnswer *public, const uint32 *code)
{
	DpJsonbState state = {0};
	ListCell *cell;

	DP_JSONB_PUSH(&state, WJB_BEGIN_OBJECT, NULL);
	foreach (cell, public->by)
	{
		const Wanted *wanted = lfirst(cell);
		uint32 value_code = code[foreach_current_index(cell)];
		JsonbValue key = {.type = jbvString}, value = {.type = jbvNull};

		key.val.string.val = unconstify(char *, wanted->name);
		key.val.string.len = (int) strlen(wanted->name);
		DP_JSONB_PUSH(&state, WJB_KEY, &key);
		if (value_code < wanted->column->values)
		{
			value.type = jbvString;
			value.val.string.val = unconstify(char *, wanted->column->value[value_code]);
			value.val.string.len = (int) strlen(wanted->column->value[value_code]);
		}
		DP_JSONB_PUSH(&state, WJB_VALUE, &value);
	}
	DP_JSONB_PUSH(&state, WJB_END_OBJECT, NULL);
	return JsonbValueToJsonb(state.result);
}

static void
check_combinations(const DpPublicAnswer *public, const DpReleaseQuery *request)
{
	uint64 n = 1;
	ListCell *cell;

	foreach (cell, public->by)
		n *= ((Wanted *) lfirst(cell))->column->values + 1;
	if (n > COMBINATIONS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are too many groups to answer"),
						errdetail("Columns of public tables may have %d combinations of values.",
								  COMBINATIONS_MAX),
						errhint("Group by fewer columns, or filter.")));
	if (public->by != NIL && request->marginal_query.measure == DP_MEASURE_RATE &&
		(request->condition.any || public->filters != NIL))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("measure rate is not known by columns of public tables"),
						errhint("Ask for share, and divide by the share of the rows that meet the "
								"filter.")));
}

/* The next combination; false: there is none. */
static bool
step(const DpPublicAnswer *public, uint32 *code)
{
	for (int k = list_length(public->by); k-- > 0;)
	{
		if (++code[k] <= ((Wanted *) list_nth(public->by, k))->column->values)
			return true;
		code[k] = 0;
	}
	return false;
}

void
dp_public_answer_return(DpPublicAnswer *public, DpReleaseQuery *request, ReturnSetInfo *result)
{
	uint32 *code = palloc0(sizeof(uint32) * (list_length(public->by) + 1));
	ListCell *cell;

	check_combinations(public, request);
	if (request->marginal_query.measure == DP_MEASURE_RATE && public->by != NIL)
		request->marginal_query.measure = DP_MEASURE_SHARE; /* of all rows */
	foreach (cell, public->references)
	{
		Reference *reference = lfirst(cell);

		reference->before = request->condition.given.weight[reference->attribute];
	}
	do
	{
		bool any = true;

		CHECK_FOR_INTERRUPTS();
		foreach (cell, public->references)
			any &= condition_set(public, lfirst(cell), code, &request->condition);
		if (!any && public->by != NIL)
			continue; /* no key has these values */
		request->marginal_query.given = dp_condition_given(&request->condition);
		request->also = public->by == NIL ? NULL : cell_of(public, code);
		dp_release_query_answer(request);
		dp_release_query_return(request, result);
	} while (step(public, code));
}
