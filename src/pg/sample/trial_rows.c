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
#include "pg/server/compat.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "pg/budget/payer.h"
#include "pg/domain/computed.h"
#include "pg/domain/derived.h"
#include "pg/domain/fill.h"
#include "pg/domain/relation.h"
#include "pg/sample/draw_job.h"
#include "pg/sample/sample.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/rights.h"

PG_FUNCTION_INFO_V1(dp_trial_rows);

#define TRIAL_ROWS 20

/* ---- the model ---- */

static void
draw_even(const void *state, DpPrng *prng, uint32_t *codes)
{
	const DpDomain *domain = state;

	for (uint32 a = 0; a < domain->attributes; a++)
		codes[a] = (uint32) dp_prng_below(prng, domain->attribute[a].levels);
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
