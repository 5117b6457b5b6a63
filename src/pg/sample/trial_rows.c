/*
 * trial_rows.c -- dp_trial_rows: rows of a public model, for whoever looks whether they could stand
 * in a table (public_model.h).
 */
#include "pg/server/compat.h"

#include "funcapi.h"
#include "miscadmin.h"

#include "pg/budget/parent.h"
#include "pg/budget/payer.h"
#include "pg/domain/computed.h"
#include "pg/domain/table_tree.h"
#include "pg/sample/public_model.h"
#include "pg/sample/sample.h"
#include "pg/server/arguments.h"
#include "pg/server/rights.h"

PG_FUNCTION_INFO_V1(dp_trial_rows);

#define TRIAL_ROWS 20

/* The public facts of a relation, with those of the ancestor columns that its rows have. */
static DpRelation *
facts_of(const DpDataset *dataset)
{
	DpTableTree *tree = dp_tree_of(lappend_oid(dp_dataset_parents(dataset), dataset->relation));
	DpRelation *facts = NULL;

	for (int i = 0; i < tree->tables; i++)
	{
		facts = dp_relation_domain(tree->table[i].relation, tree->table[i].dataset.id, false);
		dp_tree_inherit(tree, i, facts);
		dp_relation_compute(facts, NULL);
		dp_tree_extend(tree, i, facts);
	}
	return facts;
}

/* dp_catalog.dp_trial_rows(target anyelement, relation regclass, seed bigint) */
Datum
dp_trial_rows(PG_FUNCTION_ARGS)
{
	TupleDesc row = dp_result_row(fcinfo);
	DpDataset dataset;
	DpDrawJob *job;

	dp_check_not_null(fcinfo, 1, "relation");
	dp_check_not_null(fcinfo, 2, "seed");
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dp_dataset_get(PG_GETARG_OID(1), false, &dataset);
	if (!dp_may_ask(&dataset, GetUserId()))
		dp_check_custodian(dataset.relation, "see its domains");
	job = dp_public_job(facts_of(&dataset), row, TRIAL_ROWS, (uint64) PG_GETARG_INT64(2));
	dp_public_bases(job, &dataset);
	dp_job_run_serial(job, 0, dp_job_blocks(job),
					  ((ReturnSetInfo *) fcinfo->resultinfo)->setResult);
	return (Datum) 0;
}
