/*
 * public_model.c -- rows of a model that says nothing; see public_model.h.
 */
#include "pg/sample/public_model.h"

#include "funcapi.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "pg/budget/parent.h"
#include "pg/domain/computed.h"
#include "pg/domain/derived.h"
#include "pg/domain/fill.h"
#include "pg/sample/base_rows.h"
#include "pg/server/bridge.h"
#include "pg/server/labels.h"

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
	dp_placeholders_key(job->placeholders, &(DpFillKey){.seed = seed, .set = 1});
	job->rules = dp_row_rules_create(domain, job->decoder, job->placeholders, job->stored->derived,
									 job->row);
	if (job->rules != NULL)
		dp_row_rules_quiet(job->rules);
	job->drawer = (DpDrawer){
		.sampler = &even_sampler, .state = unconstify(DpDomain *, domain), .domain = domain};
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

/* ---- ancestors ---- */

/* The relation of this name that rows of a dataset belong to. */
static Oid
above_named(const DpDataset *dataset, const char *name)
{
	ListCell *cell;

	foreach (cell, dp_dataset_parents(dataset))
		if (strcmp(get_rel_name(lfirst_oid(cell)), name) == 0)
			return lfirst_oid(cell);
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("rows of relation \"%s\" do not belong to rows of \"%s\" any more",
						   dp_relation_words(dataset->relation), name),
					errdetail("A column of it is declared as the distance from one of theirs."),
					errhint("Its custodian can run dp_define_column again.")));
}

/* A row of the public model of an ancestor, with what its own distances are from. */
static void
row_above(Oid relation, TupleDesc row, uint64 seed, Datum *values, bool *nulls)
{
	DpRelation *facts;
	DpDataset dataset;
	DpDrawJob *job;
	DpRowStream stream;
	uint32 *codes;

	dp_dataset_get(relation, false, &dataset);
	facts = dp_relation_domain(relation, dataset.id, false);
	dp_relation_compute(facts, NULL);
	job = dp_public_job(facts, row, 1, seed);
	dp_public_bases(job, &dataset);
	codes = palloc(dp_job_block_bytes(job));
	dp_job_draw(job, 0, codes, &job->progress.tick);
	dp_job_rows(job, 0, codes, &stream);
	dp_job_row(job, &stream, values, nulls);
}

void
dp_public_bases(DpDrawJob *job, const DpDataset *dataset)
{
	ListCell *cell;

	foreach (cell, dp_base_tables(job->decoder))
	{
		Oid relation = above_named(dataset, lfirst(cell));
		TupleDesc row = lookup_rowtype_tupdesc_copy(get_rel_type_id(relation), -1);
		Datum *values = palloc(sizeof(Datum) * Max(row->natts, 1));
		bool *nulls = palloc(sizeof(bool) * Max(row->natts, 1));

		row_above(relation, row, job->seed, values, nulls);
		for (int b = 0; b < dp_decoder_bases_above(job->decoder); b++)
		{
			const DpBaseColumn *base = dp_decoder_base_above(job->decoder, b);
			DpBaseIn in;

			if (base->table == NULL || strcmp(base->table, lfirst(cell)) != 0)
				continue;
			in = dp_base_in(row, base);
			dp_decoder_give_base(job->decoder, b, dp_base_value(&in, values, nulls));
		}
	}
}
