/*
 * scan_units.h -- the rows of a query, by unit, read in one pass. RELEASE WORKER ONLY.
 */
#ifndef DPSYN_SCAN_UNITS_H
#define DPSYN_SCAN_UNITS_H

#include "core/exact/row_cache.h"
#include "pg/worker/scan.h"

/* What a query needs of each attribute: [attributes] each. */
typedef struct DpSumNeeds
{
	bool *code;
	bool *coordinate;
	bool *present; /* whether there is a value, of which no coordinate is needed */
} DpSumNeeds;

/* A row as sums take it: [attributes] each. */
typedef struct DpSumValues
{
	bool *present;
	int64 *coordinate;
	uint32 *code;
} DpSumValues;

/* The rows of a query, and who takes them. */
typedef struct DpSumRows
{
	const DpDomain *domain;
	const DpQuery *query;
	DpSumNeeds needs;
	DpSumValues values;        /* of the row at hand */
	void (*take)(void *taker); /* a row */
	/* NULL: rows need not come unit by unit; else called behind the rows of each */
	DpEndUnit *end_unit;
	void *taker;
} DpSumRows;

typedef struct DpScanUnits
{
	bool lost; /* there were too many rows: they are to be read in another way */
	uint32 columns;
	DpRowField *column; /* [columns] */
	uint32 *attribute;  /* [columns] */
	DpRowCache rows;
	uint32 *count; /* [rows.units] rows of each */
} DpScanUnits;

/* Reads the rows, as the current user, unless that was done. False: they cannot be read so. */
extern bool dp_scan_read_units(DpScan *scan, const DpSumRows *rows);
/* Hands over the rows that are counted: of each unit as many as the source says. */
extern DpStatus dp_scan_unit_values(const DpScan *scan, const DpSumRows *rows);

#endif
