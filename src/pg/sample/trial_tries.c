/*
 * trial_tries.c -- how often rows of a public model have to be drawn until they keep the rules of
 * their tables; see trial_tries.h.
 */
#include "pg/sample/trial_tries.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "core/plan/planner.h"
#include "pg/domain/query.h"
#include "pg/sample/public_model.h"
#include "pg/server/catalog.h"
#include "pg/server/subtransaction.h"

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
					dp_relation_label(relation->oid), TRIES_A_ROW, check->name),
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
					dp_relation_label(relation->oid), tries / (uint64) Max(found, 1), check->name),
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

void
dp_trial_check(const DpPrepared *prepared)
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
