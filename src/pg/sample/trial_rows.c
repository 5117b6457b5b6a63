/*
 * trial_rows.c -- dp_trial_rows: rows of a public model, for whoever looks whether they could stand
 * in a table (public_model.h).
 */
#include "pg/server/compat.h"

#include "funcapi.h"
#include "miscadmin.h"

#include "pg/budget/payer.h"
#include "pg/domain/computed.h"
#include "pg/sample/public_model.h"
#include "pg/sample/sample.h"
#include "pg/server/arguments.h"
#include "pg/server/rights.h"

PG_FUNCTION_INFO_V1(dp_trial_rows);

#define TRIAL_ROWS 20

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
	job = dp_public_job(relation, row, TRIAL_ROWS, (uint64) PG_GETARG_INT64(2));
	dp_public_bases(job, &dataset);
	dp_job_run_serial(job, 0, dp_job_blocks(job),
					  ((ReturnSetInfo *) fcinfo->resultinfo)->setResult);
	return (Datum) 0;
}
