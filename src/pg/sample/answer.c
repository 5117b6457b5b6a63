/*
 * answer.c -- dp_answer: counts and shares of a stored release, with error bars, free of charge.
 */
#include "pg/domain/predicate.h"

#include <math.h>
#include "pg/domain/public_keys.h"
#include "pg/domain/relation.h"
#include "pg/sample/fitted.h"
#include "pg/sample/tree_rows.h"
#include "pg/server/compat.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "pg/sample/release_query.h"
#include "pg/server/arguments.h"

PG_FUNCTION_INFO_V1(dp_answer);

static const DpWords measures = {.unknown = "unknown measure",
								 .hint = "Measures are count, share (of all rows) and rate (of the "
										 "rows that meet the filter).",
								 .n = 3,
								 .word = {"count", "share", "rate"}};

/*
 * The model of a table from which queries are answered, one that was released together with its
 * root. Post-processing: runs in the caller's backend, on released models.
 */

typedef struct Request
{
	DpStored *root;
	List *parts;
	DpStoredPart *part;
} Request;

static DpDrawJob *
job_create(const Request *request)
{
	DpDrawJob *job = palloc0(sizeof(DpDrawJob));

	job->stored = &request->part->stored;
	job->seed = DP_SIMULATED_SEED;
	job->set = 1;
	job->rows = DP_SIMULATED_ROWS;
	dp_job_view_set(job);
	dp_progress_start(&job->progress, "preparing to draw rows");
	job->tree = dp_tree_rows_create(job, request->root, request->parts, request->part->number);
	dp_progress_start(&job->progress, "drawing rows");
	return job;
}

/* Draws rows until the capacity is full, or no rows of the root are left: of which it returns how
 * many belong to a row of the root, on average. */
static double
fill_drawn(DpDrawJob *job, const DpAttributeSet *kept, DpMonteCarlo *drawn)
{
	uint64 blocks = dp_job_blocks(job);
	uint64 rows = 0, root_rows = 0;

	for (uint64 block = 0; block < blocks && rows < drawn->rows; block++)
	{
		DpTreeBlock of = dp_tree_rows_block(job->tree, block, &job->progress.tick);
		uint64 left = rows < drawn->rows ? drawn->rows - rows : 0;

		dp_monte_carlo_keep(drawn, kept, kept->n, of.codes, rows, Min(of.rows, left));
		rows += of.rows;
		root_rows += of.root_rows;
		dp_tick(&job->progress.tick, (double) Min(rows, drawn->rows) / drawn->rows);
	}
	drawn->rows = Min(rows, drawn->rows);
	return (double) rows / root_rows;
}

static void
make_drawn(void *context, DpFitted *fitted, DpArena *arena)
{
	const Request *request = context;
	MemoryContext work =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn tree", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	uint32 n = fitted->model.domain.attributes;
	uint32 *all = palloc(sizeof(uint32) * Max(n, 1));
	DpAttributeSet kept = {n, all};
	DpError error = {0};

	for (uint32 a = 0; a < n; a++)
		all[a] = a;
	error.status = dp_monte_carlo_allocate(&fitted->model.domain, &kept, DP_SIMULATED_ROWS,
										   &fitted->drawn, arena);
	if (error.status != DP_OK)
		dp_raise(&error);
	fitted->model.rows = (int64) rint(fill_drawn(job_create(request), &kept, &fitted->drawn) *
									  (double) request->root->model.rows);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/*
 * Rows of a part, as many as DP_SIMULATED_ROWS or as belong to so many rows of the root, drawn from
 * a seed of their own. Their model's rows are those that belong to as many rows of the root as the
 * release has. They stay until the current memory context ends, and are kept for the session.
 */
static const DpFitted *
tree_drawn_get(DpStored *root, List *parts, DpStoredPart *part)
{
	Request request = {root, parts, part};

	return dp_drawn_get_made(&part->stored, 1, (DpDrawnMaker){make_drawn, &request});
}

/* The table that is request about: the root, or one that was released with it. Returns its OID. */
static Oid
choose_table(DpReleaseQuery *request, DpStored *root, Oid relation)
{
	List *parts = dp_stored_parts(root);
	DpStoredPart *part = dp_part_requested(root, parts, relation);

	request->stored = root;
	if (part == NULL)
		return root->relation;
	request->stored = &part->stored;
	request->drawn = tree_drawn_get(root, parts, part);
	return part->relation;
}

/*
 * Columns of public tables in a question about a stored release: "part.brand".
 *
 * Post-processing: runs in the caller's backend, on what was released and on public facts.
 */

typedef struct PublicAnswer PublicAnswer;

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

struct PublicAnswer
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
reference_of(PublicAnswer *public, uint32 number, const DpPublicKeys *keys)
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
wanted_find(PublicAnswer *public, const DpRelation *facts, const char *name)
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

/*
 * Takes the names out of by, and the members out of filter, that mean columns of public tables to
 * which columns of the release refer; n and filter become what is left. relation: of whose rows the
 * release is. NULL: there are none.
 */
static PublicAnswer *
public_answer(const DpStored *stored, Oid relation, char **name, int *n, Jsonb **filter)
{
	PublicAnswer *public = palloc0(sizeof(PublicAnswer));
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

/* The value of a row of the public table; the code for NULL if there is no row. */
static uint32
value_at(const Wanted *wanted, uint32 row)
{
	uint32 code = row == DP_PUBLIC_NO_VALUE ? row : wanted->column->code[row];

	return Min(code, wanted->column->values);
}

static bool
passes(const PublicAnswer *public, const Reference *reference, uint32 row, const uint32 *code)
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
condition_set(const PublicAnswer *public, const Reference *reference, const uint32 *code,
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
cell_of(const PublicAnswer *public, const uint32 *code)
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
check_combinations(const PublicAnswer *public, const DpReleaseQuery *request)
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
step(const PublicAnswer *public, uint32 *code)
{
	for (int k = list_length(public->by); k-- > 0;)
	{
		if (++code[k] <= ((Wanted *) list_nth(public->by, k))->column->values)
			return true;
		code[k] = 0;
	}
	return false;
}

/* Answers the query for each combination of the columns' values, and returns all that is found. The
 * condition of the request says what the other columns must be. */
static void
public_answer_return(PublicAnswer *public, DpReleaseQuery *request, ReturnSetInfo *result)
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

Datum
dp_answer(PG_FUNCTION_ARGS)
{
	DpReleaseQuery *request = palloc0(sizeof(DpReleaseQuery));
	DpMarginalQuery *marginal_query = &request->marginal_query;
	Datum *names;
	Jsonb *filter = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	PublicAnswer *public;
	char **name;
	Oid relation;
	int n;

	dp_check_not_null(fcinfo, 0, "release");
	dp_check_not_null(fcinfo, 1, "by");
	dp_check_not_null(fcinfo, 3, "confidence");
	dp_check_not_null(fcinfo, 4, "measure");
	marginal_query->confidence = PG_GETARG_FLOAT8(3);
	marginal_query->measure =
		(DpAnswerMeasure) dp_word_find(&measures, text_to_cstring(PG_GETARG_TEXT_PP(4)));
	dp_check_confidence(marginal_query->confidence);
	names = dp_elements(PG_GETARG_DATUM(1), NULL, &n);
	name = palloc(sizeof(char *) * Max(n, 1));
	for (int k = 0; k < n; k++)
		name[k] = NameStr(*DatumGetName(names[k]));
	relation = PG_ARGISNULL(5) ? InvalidOid : PG_GETARG_OID(5);
	relation = choose_table(request, dp_stored_counts_of(PG_GETARG_INT64(0), relation), relation);
	public = public_answer(request->stored, relation, name, &n, &filter);
	dp_release_query_by(request, name, n);
	dp_condition_read(request->stored, filter, &request->condition);
	marginal_query->domain = &request->stored->model.domain;
	marginal_query->given = dp_condition_given(&request->condition);
	marginal_query->rows_public = request->drawn != NULL ? -1 : dp_rows_public(request->stored);
	InitMaterializedSRF(fcinfo, 0);
	if (public != NULL)
	{
		public_answer_return(public, request, (ReturnSetInfo *) fcinfo->resultinfo);
		return (Datum) 0;
	}
	dp_release_query_answer(request);
	dp_release_query_return(request, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}
