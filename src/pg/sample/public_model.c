/*
 * public_model.c -- rows of a model that says nothing; see public_model.h.
 */
#include "pg/sample/public_model.h"

#include "funcapi.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "pg/domain/derived.h"
#include "pg/domain/fill.h"
#include "pg/server/bridge.h"

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

DpDrawJob *
dp_public_job(const DpRelation *relation, TupleDesc row, uint64 rows, uint64 seed)
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
	job->rows = rows;
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
