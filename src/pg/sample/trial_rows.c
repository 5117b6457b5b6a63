/*
 * trial_rows.c -- rows of a public model, to be held against the rules of a table before anything
 * is paid for.
 *
 * The model is that of a release that says nothing: every level of every column is as probable as
 * any other, a range is one bin, and an open column has no values. What its rows can never be, rows
 * of a release can hardly be. They are decoded, filled and kept to the rules of the row type as
 * those of a release are, so that whatever fails there fails here, for nothing.
 *
 * Runs in the caller's backend, and reads the schema and the declarations alone.
 */
#include "pg/sample/trial_rows.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "core/plan/planner.h"
#include "pg/budget/payer.h"
#include "pg/domain/computed.h"
#include "pg/domain/derived.h"
#include "pg/domain/fill.h"
#include "pg/domain/query.h"
#include "pg/domain/relation.h"
#include "pg/sample/draw_job.h"
#include "pg/sample/sample.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/rights.h"
#include "pg/server/subtransaction.h"

PG_FUNCTION_INFO_V1(dp_trial_rows);

#define TRIAL_ROWS 20
#define TRIED_ROWS 10
#define TRIES_A_ROW 5000  /* that are allowed */
#define TRIES_UNSPOKEN 10 /* a row; of more a NOTICE tells */

/* ---- the model ---- */

static void
draw_even(const void *state, DpPrng *prng, uint32_t *codes)
{
	dp_even_codes(state, prng, codes);
}

static uint64_t
draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	return model->domain.attributes;
}

static const DpSampler even_sampler = {.draw = draw_even, .draw_cost = draw_cost};

/* A range whose bins are not known yet, as one bin. */
static const DpRange *
range_of_one_bin(const DpRange *range)
{
	DpRange *found = palloc(sizeof(DpRange));

	*found = *range;
	found->state = DP_RANGE_FOUND;
	found->boundary = NULL;
	found->bins = found->leaves = 1;
	found->bin = palloc(sizeof(int64_t));
	found->leaf = palloc(sizeof(int64_t));
	found->weight = palloc(sizeof(uint64_t));
	found->bin[0] = found->leaf[0] = range->grid.first;
	found->weight[0] = 1;
	return found;
}

/* The domain, with levels for all that a release would find. */
static void
domain_with_levels(const DpDomain *from, DpDomain *domain)
{
	*domain = *from;
	domain->attribute = palloc(sizeof(DpAttribute) * Max(from->attributes, 1));
	for (uint32 a = 0; a < from->attributes; a++)
	{
		DpAttribute *attribute = &domain->attribute[a];

		*attribute = from->attribute[a];
		attribute->boundary = NULL;
		if (attribute->range != NULL && dp_range_is_unknown(attribute->range))
			attribute->range = range_of_one_bin(attribute->range);
		if (attribute->open)
		{
			attribute->open = false;
			attribute->universe = NULL;
			attribute->labels_n = 0;
			attribute->has_other = true;
		}
		dp_attribute_count_levels(attribute);
	}
}

static Jsonb *
jsonb_of(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

static DpStored *
public_model(const DpRelation *relation)
{
	DpStored *stored = palloc0(sizeof(DpStored));

	stored->sets = 1;
	stored->relation = relation->oid;
	stored->arena = dp_arena_for(CurrentMemoryContext);
	stored->fill = jsonb_of(dp_fill_to_json(relation));
	stored->derived = jsonb_of(dp_derived_to_json(relation));
	domain_with_levels(&relation->domain, &stored->model.domain);
	return stored;
}

/* ---- rows ---- */

static DpDrawJob *
public_job(const DpRelation *relation, TupleDesc row, uint64 seed)
{
	DpDrawJob *job = palloc0(sizeof(DpDrawJob));
	const DpDomain *domain;
	DpStatus status;

	job->stored = public_model(relation);
	job->model = job->stored->model;
	domain = &job->stored->model.domain;
	job->row = BlessTupleDesc(CreateTupleDescCopy(row));
	job->seed = seed;
	job->set = 1;
	job->rows = TRIAL_ROWS;
	job->decoder = dp_decoder_create(domain, job->stored->derived, job->row);
	job->placeholders = dp_placeholders_create(job->stored->fill, domain, job->row);
	job->rules = dp_row_rules_create(domain, job->decoder, job->placeholders, job->stored->derived,
									 job->row);
	if (job->rules != NULL)
		dp_row_rules_quiet(job->rules);
	job->drawer = (DpDrawer){.sampler = &even_sampler,
							 .state = unconstify(DpDomain *, domain),
							 .attributes = domain->attributes};
	status = dp_zero_test_build(&job->drawer.forbidden, domain, NULL, 0, &job->stored->arena);
	if (status != DP_OK)
		dp_raise(&(DpError){.status = status});
	dp_job_want(job, 1, 1);
	job->tries =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn row again", ALLOCSET_DEFAULT_SIZES);
	job->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn rows", ALLOCSET_DEFAULT_SIZES);
	dp_progress_start(&job->progress, "drawing rows for trial");
	dp_job_begin(job);
	return job;
}

/* ---- tries, before the debit ---- */

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
	const DpRelation *relation;
	DpDrawJob *job;
} Trial;

static void
trial_create(void *argument)
{
	Trial *trial = argument;
	TupleDesc row = lookup_rowtype_tupdesc_copy(get_rel_type_id(trial->relation->oid), -1);

	trial->job = public_job(trial->relation, row, 1);
}

/* Rows that the caller cannot draw, for the types that they have, are not tried. */
static void
trial_of(const DpPrepared *prepared)
{
	Trial trial = {prepared->relation, NULL};
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

/* ---- SQL ---- */

/* dp_catalog.dp_trial_rows(target anyelement, relation regclass, seed bigint) */
Datum
dp_trial_rows(PG_FUNCTION_ARGS)
{
	TupleDesc row = dp_result_row(fcinfo);
	DpRelation *relation;
	DpDataset dataset;
	DpDrawJob *job;

	dp_check_not_null(fcinfo, 1, "relation");
	dp_check_not_null(fcinfo, 2, "seed");
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dp_dataset_get(PG_GETARG_OID(1), false, &dataset);
	if (!dp_may_ask(&dataset, GetUserId()))
		dp_check_custodian(dataset.relation, "see its domains");
	relation = dp_relation_domain(dataset.relation, dataset.id, false);
	dp_relation_compute(relation, NULL);
	job = public_job(relation, row, (uint64) PG_GETARG_INT64(2));
	dp_job_run_serial(job, 0, dp_job_blocks(job),
					  ((ReturnSetInfo *) fcinfo->resultinfo)->setResult);
	return (Datum) 0;
}
