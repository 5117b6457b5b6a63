/*
 * run_and_report.c -- a release, and what came of its open columns, by the numbers that were
 * released.
 */
#include "pg/sample/run_and_report.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "core/model/level_share.h"
#include "pg/domain/query.h"
#include "pg/release/choose.h"
#include "pg/release/release.h"
#include "pg/release/request_rights.h"
#include "pg/release/several.h"
#include "pg/release/spent.h"
#include "pg/sample/store.h"
#include "pg/sample/trial_tries.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/injection_point.h"

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

int64
dp_release_and_report(const DpReleaseForest *forest)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(caller, "dpsyn outcome", ALLOCSET_DEFAULT_SIZES);
	List *open = NIL;
	volatile int64 release;

	MemoryContextSwitchTo(work);
	release = dp_run_release(forest, dp_trial_check, &open);
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
	request.delta_atto = dp_delta_argument(fcinfo, 3, true, "delta");
	dp_check_question_rights(PG_GETARG_JSONB_P(4));
	request.options = dp_options_argument(fcinfo, 4);
	request.sets = PG_GETARG_INT32(5);
	forest = dp_forest_of(&request, dp_relations_argument(fcinfo, 0));
	dp_forest_resolve_methods(forest);
	PG_RETURN_INT64(dp_release_and_report(forest));
}
