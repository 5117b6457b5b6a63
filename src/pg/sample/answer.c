/*
 * answer.c -- dp_answer: counts and shares of a stored release, with error bars, free of charge.
 */
#include "pg/server/compat.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "pg/sample/public_answer.h"
#include "pg/sample/release_query.h"
#include "pg/sample/tree_answer.h"
#include "pg/server/arguments.h"

PG_FUNCTION_INFO_V1(dp_answer);

static const DpWords measures = {.unknown = "unknown measure",
								 .hint = "Measures are count, share (of all rows) and rate (of the "
										 "rows that meet the filter).",
								 .n = 3,
								 .word = {"count", "share", "rate"}};

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
	request->drawn = dp_tree_drawn_get(root, parts, part);
	return part->relation;
}

Datum
dp_answer(PG_FUNCTION_ARGS)
{
	DpReleaseQuery *request = palloc0(sizeof(DpReleaseQuery));
	DpMarginalQuery *marginal_query = &request->marginal_query;
	Datum *names;
	Jsonb *filter = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	DpPublicAnswer *public;
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
	names = dp_name_elements(PG_GETARG_DATUM(1), NULL, &n);
	name = palloc(sizeof(char *) * Max(n, 1));
	for (int k = 0; k < n; k++)
		name[k] = NameStr(*DatumGetName(names[k]));
	relation = PG_ARGISNULL(5) ? InvalidOid : PG_GETARG_OID(5);
	relation = choose_table(request, dp_stored_counts_of(PG_GETARG_INT64(0), relation), relation);
	public = dp_public_answer(request->stored, relation, name, &n, &filter);
	dp_release_query_by(request, name, n);
	dp_condition_read(&request->stored->model.domain, filter, &request->condition);
	marginal_query->domain = &request->stored->model.domain;
	marginal_query->given = dp_condition_given(&request->condition);
	marginal_query->rows_public = request->drawn != NULL ? -1 : dp_rows_public(request->stored);
	InitMaterializedSRF(fcinfo, 0);
	if (public != NULL)
	{
		dp_public_answer_return(public, request, (ReturnSetInfo *) fcinfo->resultinfo);
		return (Datum) 0;
	}
	dp_release_query_answer(request);
	dp_release_query_return(request, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}
