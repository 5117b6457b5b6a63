/*
 * scan_units.h -- the rows of a query, by unit, read in one scan. RELEASE WORKER ONLY.
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
	bool *present; /* whether only the presence of a value is needed */
} DpSumNeeds;

/* The values of a row for the statistics: [attributes] each. */
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
	DpSumValues values;        /* of the current row */
	void (*take)(void *taker); /* a row */
	/* NULL: rows need not come unit by unit; otherwise called after the rows of each unit */
	DpEndUnit *end_unit;
	void *taker;
} DpSumRows;

typedef struct DpScanUnits
{
	bool lost; /* rows exceeded the memory: they are read in another way */
	uint32 columns;
	DpRowField *column; /* [columns] */
	uint32 *attribute;  /* [columns] */
	DpRowCache rows;
	uint32 *count; /* [rows.units] rows of each */
} DpScanUnits;

/* What is read of each row into a cache of rows, in one statement. */
typedef struct DpRowCacheRead
{
	const DpDomain *domain;
	const char *statement;  /* whose one value is the aggregate's; $1 is its spec */
	uint32 keys;            /* leading arguments that identify the unit */
	uint32 arguments;       /* attributes that follow */
	uint32 others;          /* arguments that follow these */
	const uint32 *argument; /* [arguments] the attribute of each */
	uint32 columns;
	DpRowField *column; /* [columns] the hash is the first one, where there is one */
	uint32 *attribute;  /* [columns] */
} DpRowCacheRead;

/* Whether an aggregate on this server reads all rows. A call that is pushed down to a foreign
 * server would return an untrusted result. */
extern bool dp_scan_reads_rows_here(const DpSource *source);
/* Reads the rows, as the current user, in parallel if PostgreSQL plans it so. False: they cannot be
 * read in this way, or do not fit in memory. */
extern bool dp_scan_row_cache(DpScan *scan, const DpRowCacheRead *read, DpRowCache *rows);

/* Reads the rows, as the current user, unless they were read. False: they
 * cannot be read in this way. */
extern bool dp_scan_read_units(DpScan *scan, const DpSumRows *rows);
/* Hands over the rows within the contribution bound of the source. */
extern DpStatus dp_scan_unit_values(const DpScan *scan, const DpSumRows *rows);

#endif
