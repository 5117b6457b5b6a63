/*
 * scan.h -- the data, as the core counts it. RELEASE WORKER ONLY.
 */
#ifndef DP_SCAN_H
#define DP_SCAN_H

#include "dpsyn.h"

#include "nodes/params.h"
#include "tcop/dest.h"

#include "marginal_spec.h"

/* ---- source.c: which rows ---- */

/* A foreign table that its server counts, and how that server does. */
typedef struct DpShard
{
	Oid relation;
	int64 format; /* DP_COUNTS_FORMAT, or it cannot */
	uint64 room;  /* bytes */
} DpShard;

typedef struct DpSource
{
	const DpRelation *relation;
	char *clause; /* goes behind FROM; has the columns of relation's domain, by their names */
	const char *unit_column; /* NULL: a row is a unit */
	bytea *key;              /* parameter $2 of clause; NULL: it has none */
	List *shards;            /* of DpShard: filled by dp_scan_ask_servers */
	bool fetched; /* a view of foreign tables, whose servers were not asked to count: rows come */
} DpSource;

/* Memory of the current context, and a key that is drawn anew: one source for all scans of a release. */
extern DpSource *dp_source_create(const DpRelation *relation, const DpDataset *dataset);

/* ---- scan.c ---- */

typedef struct DpScan
{
	const DpSource *source;
	Oid owner;
	MemoryContext context;
	DpCounter counter;
} DpScan;

/* Reads source as owner, under the active snapshot. Memory comes from context. */
extern DpScan *dp_scan_create(const DpSource *source, Oid owner, MemoryContext context);
extern const DpCounter *dp_scan_counter(DpScan *scan);

/* Selects the listed attributes of every row, as the current user, into receiver. */
extern void dp_scan_columns(const DpScan *scan, const DpDomain *domain, const uint32 *attribute,
							uint32 n, DestReceiver *receiver);

/* ---- scan_cells.c ---- */

/* DpCounter.cells */
extern DpStatus dp_scan_cells(void *context, const DpDomain *domain, DpCells *sets, uint32 n,
							  DpError *error);

/* ---- scan_statement.c: how rows are counted; all of these as the owner ---- */

/* The aggregate's call: $1 is the spec. */
extern char *dp_scan_count_call(const DpSource *source, const uint32 *attribute, uint32 n);
/* The whole statement. spec NULL: not known yet. */
extern char *dp_scan_count_statement(const DpSource *source, Oid owner, const uint32 *attribute,
									 uint32 n, const DpSpec *spec);
/* Whether what parallel workers hand over is sure to fit. */
extern bool dp_scan_fits_parallel(const DpSource *source, const DpSpec *spec, Size spec_bytes);
/* The foreign table, or the partitions of which some are foreign, that are each counted alone; else NIL. */
extern List *dp_scan_counted_apart(const DpSource *source, Oid owner);
/* Whether the owner reads a table as it is: neither rights nor row security of its own are in the way. */
extern bool dp_scan_reads_alone(Oid relation, Oid owner);

/* ---- scan_rehearse.c ---- */

/* Plans the scan of all columns without running it: takes the locks, and checks the rights, of everything
 * below the relation. ERROR where the scan could not start. */
extern void dp_scan_rehearse(const DpSource *source, Oid owner);
/* Whether foreign tables may be below the relation. */
extern bool dp_scan_may_be_foreign(Oid relation);
/* Asks them, of no row; fills source->shards and ->fetched. ERROR where one cannot answer. */
extern void dp_scan_ask_servers(DpSource *source, Oid owner);
/* ERROR unless every server that counts for the release does it as this one. Told from public facts alone. */
extern void dp_scan_check_shards(const DpSource *source);

#endif
