/*
 * risk.h -- what dp_evaluate_risk is asked for, and its answers.
 *
 * Runs in the caller's backend.
 */
#ifndef DPSYN_RISK_H
#define DPSYN_RISK_H

#include "pg/evaluate/two_tables.h"

typedef struct DpRisk
{
	DpTwoTables tables;
	FunctionCallInfo fcinfo; /* takes the answers */
	uint32 known;            /* how many columns the intruder knows */
	uint32 *column;          /* [known + 1] those, and the secret one */
	uint32 sample;           /* rows whose closest record is sought */
	int64 seed;
} DpRisk;

typedef struct DpRiskRow
{
	const char *measure;
	double value; /* NaN: NULL */
	double baseline;
	const char *detail;
} DpRiskRow;

extern void dp_risk_put(const DpRisk *risk, const DpRiskRow *row);
/* How far synthetic rows are from the original ones, beside rows of the original itself. */
extern void dp_risk_closest_records(DpRisk *risk);

#endif
