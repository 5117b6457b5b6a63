/*
 * run_and_report.c -- a release, and what came of its open columns, by the numbers that were
 * released.
 */
#include "pg/sample/sample.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

#include "core/domain/query.h"
#include "core/model/noise_share.h"
#include "core/plan/planner.h"
#include "pg/release/choose.h"
#include "pg/release/prepared.h"
#include "pg/release/release.h"
#include "pg/release/request_rights.h"
#include "pg/release/several.h"
#include "pg/sample/public_model.h"
#include "pg/sample/store.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/compat.h"
#include "pg/server/injection_point.h"
#include "pg/server/subtransaction.h"

PG_FUNCTION_INFO_V1(dp_release);

#define MOSTLY 0.5

static void
notice_open(const DpModel *model, uint32 index)
{
	const DpAttribute *attribute = &model->domain.attribute[index];
	const char *rest = attribute->other ? "the value for unlisted values" : "NULL";
	double share = attribute->has_other ? dp_level_share(model, index, attribute->levels - 1) : 0;

	if (attribute->labels_n > 0 && share <= MOSTLY)
		return;
	ereport(NOTICE,
			(attribute->labels_n == 0
				 ? errmsg("no value of open column \"%s\" was found: it holds %s in every row",
						  attribute->name, rest)
				 : errmsg("open column \"%s\" holds %s in most rows", attribute->name, rest),
			 attribute->labels_n > 0
				 ? errdetail("%u of its values were found.", attribute->labels_n)
				 : 0,
			 errhint("More epsilon, more delta or a larger open_share finds rarer values. It costs "
					 "less if the custodian declares what is public: categories, or a domain.")));
}

/* open: names of the columns of the relation that were. */
static void
notice_outcome(int64 release, Oid relation, const List *open)
{
	const DpStored *stored = dp_stored_of(release, relation);
	DpModel first;
	ListCell *cell;

	if (dp_model_view(&stored->model, 1, &first) != DP_OK)
		return;
	foreach (cell, open)
	{
		int index = dp_domain_find(&first.domain, lfirst(cell));

		if (index >= 0 && first.domain.attribute[index].kind == DP_CATEGORIES)
			notice_open(&first, (uint32) index);
	}
}

/*
 * How often rows have to be drawn until they keep the rules of a relation, before anything is paid
 * for.
 *
 * Runs in the caller's backend, and reads the schema and the declarations alone.
 */

#define TRIED_ROWS 10
#define TRIES_A_ROW 5000  /* that are allowed */
#define TRIES_UNSPOKEN 10 /* a row; of more a NOTICE tells */

/* Whether rows of the relation may have to be tried at all: levels alone decide rules of one
 * column, or nearly so. */
static bool
needs_trial(const DpRelation *relation)
{
	ListCell *cell;

	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (relation->domain.attribute[a].open && !relation->column[a].nullable)
			return false; /* its values are found in the data alone */
	foreach (cell, relation->checks)
		if (bms_num_members(((DpCheck *) lfirst(cell))->columns) > 1)
			return true;
	return relation->generated != NIL || relation->computed != NIL;
}

static DP_NORETURN void
raise_tries(const DpRelation *relation, const DpCheck *check, int found)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("a row of relation \"%s\" would have to be drawn more than %d times until it "
					"keeps the rule \"%s\"",
					dp_relation_words(relation->oid), TRIES_A_ROW, check->name),
			 errdetail("%d rows were found in %d tries in which every value of the public domains "
					   "is as probable as any other. Nothing was spent.",
					   found, TRIED_ROWS * TRIES_A_ROW),
			 errhint("Its custodian can declare columns so that the rule holds by itself, with "
					 "dp_define_column: a distance (offset_of), a narrower range. The option "
					 "partial => true goes on all the same, and rows may break the rule.")));
}

/* Draws the rows, and says what that took. */
static void
trial_run(const DpRelation *relation, DpDrawJob *job, bool partial)
{
	Datum *values = palloc(sizeof(Datum) * Max(job->row->natts, 1));
	bool *nulls = palloc(sizeof(bool) * Max(job->row->natts, 1));
	DpRowStream stream;
	const DpCheck *check;
	uint64 tries;
	int found = 0;

	dp_row_rules_try(job->rules, TRIED_ROWS * TRIES_A_ROW);
	dp_job_stream(job, 0, NULL, TRIED_ROWS, 1, &stream);
	while (found < TRIED_ROWS && dp_job_try_row(job, &stream, values, nulls))
		found++;
	check = dp_row_rules_tried(job->rules, &tries);
	if (check == NULL || tries <= (uint64) found * TRIES_UNSPOKEN)
		return;
	if (found < TRIED_ROWS && !partial)
		raise_tries(relation, check, found);
	ereport(NOTICE,
			(errmsg("a row of relation \"%s\" may have to be drawn about " UINT64_FORMAT
					" times until it keeps the rule \"%s\"",
					dp_relation_words(relation->oid), tries / (uint64) Max(found, 1), check->name),
			 errdetail("So it was with rows of the public domains, each value as probable as any "
					   "other. Rows of the release may take more or fewer.")));
}

typedef struct Trial
{
	const DpPrepared *prepared;
	DpDrawJob *job;
} Trial;

static void
trial_create(void *argument)
{
	Trial *trial = argument;
	const DpRelation *relation = trial->prepared->relation;
	TupleDesc row = lookup_rowtype_tupdesc_copy(get_rel_type_id(relation->oid), -1);

	trial->job = dp_public_job(relation, row, TRIED_ROWS, 1);
	dp_public_bases(trial->job, &trial->prepared->dataset);
}

/* Rows that the caller cannot draw, for the types that they have, are not tried. */
static void
trial_of(const DpPrepared *prepared)
{
	Trial trial = {prepared, NULL};
	bool partial =
		dp_option_integer(&prepared->options, dp_common_specs, dp_common_specs_n, "partial") != 0;

	if (needs_trial(prepared->relation) && dp_run_in_subtransaction(trial_create, &trial) &&
		trial.job->rules != NULL)
		trial_run(prepared->relation, trial.job, partial);
}

/*
 * Draws rows of the release's relations whose values are as probable as any other, and counts how
 * often that has to be tried until they keep the rules of their tables. A NOTICE tells of more than
 * a few tries a row. ERROR where they are too many, unless the option "partial" is given.
 */
static void
trial_check(const DpPrepared *prepared)
{
	MemoryContext work =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn trial", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	const char *method = prepared->plan.method->name;

	if (strcmp(method, DP_QUERY_METHOD) != 0 && strcmp(method, "histogram") != 0)
	{
		trial_of(prepared);
		for (int i = 1; prepared->tree != NULL && i < prepared->tree->tables; i++)
			trial_of(prepared->part[i]);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

int64
dp_release_and_report(const DpReleaseForest *forest)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(caller, "dpsyn outcome", ALLOCSET_DEFAULT_SIZES);
	List *open = NIL;
	volatile int64 release;

	MemoryContextSwitchTo(work);
	release = dp_run_release(forest, trial_check, &open);
	PG_TRY();
	{
		DP_INJECTION_POINT("outcome");
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < forest->trees; i++)
			if (list_nth(open, i) != NIL && strcmp(forest->tree[i].method, DP_QUERY_METHOD) != 0)
				notice_outcome(release, forest->tree[i].relation, list_nth(open, i));
	}
	PG_CATCH();
	{
		dp_rethrow_spent(DP_SPENT_STORED, release, caller);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return release;
}

Datum
dp_release(PG_FUNCTION_ARGS)
{
	DpReleaseRequest request = {.user = GetUserId(), .row_type = "", .rows = -1};
	DpReleaseForest *forest;

	dp_check_no_null(fcinfo);
	request.method = text_to_cstring(PG_GETARG_TEXT_PP(1));
	request.epsilon_nano = dp_epsilon_argument(fcinfo, 2, true, "epsilon");
	request.delta_atto = dp_delta_argument(fcinfo, 3, true);
	dp_check_question_rights(PG_GETARG_JSONB_P(4));
	request.options = dp_options_argument(fcinfo, 4);
	request.sets = PG_GETARG_INT32(5);
	forest = dp_forest_of(&request, dp_relations_argument(fcinfo, 0));
	dp_forest_resolve_methods(forest);
	PG_RETURN_INT64(dp_release_and_report(forest));
}
