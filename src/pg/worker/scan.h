/*
 * scan.h -- the data, as the core counts it. RELEASE WORKER ONLY.
 */
#ifndef DPSYN_SCAN_H
#define DPSYN_SCAN_H

#include "pg/server/compat.h"

#include "nodes/params.h"
#include "nodes/pg_list.h"
#include "nodes/plannodes.h"
#include "executor/tuptable.h"
#include "tcop/dest.h"

#include "core/exact/counts.h"
#include "core/exact/spec.h"
#include "core/model/model.h"
#include "core/plan/measurement.h"
#include "pg/budget/dataset.h"
#include "pg/domain/relation.h"
#include "pg/domain/table_tree.h"

/* ---- source.c: which rows ---- */

/* A foreign table that its server counts, and how that server does it. */
typedef struct DpShard
{
	Oid relation;
	int64 format;    /* DP_COUNTS_FORMAT, or the server cannot count */
	uint64 capacity; /* bytes */
} DpShard;

typedef struct DpTreeReader DpTreeReader;

typedef struct DpSource
{
	const DpRelation *relation;
	const DpDataset *dataset; /* of the relation, where its units have rows; else NULL */
	char *clause; /* goes behind FROM; has the columns of relation's domain, by their names */
	/* a statement that says whether a unit has more rows than may be read; NULL: it is not to be
	 * asked. If none has, whole has the same rows as clause, for less work */
	char *any_over;
	char *whole;
	uint32 rows_max; /* of a unit */
	int units;       /* columns that identify the unit; 0: a row is a unit */
	/* text after FROM for the rows of all units: c1, c2, ... are the attributes, u1, u2, ...
	 * identify the unit. NULL: these cannot be hashed, or a row is a unit */
	char *unit_rows;
	List *unit_names; /* of columns of clause that identify the unit and are not in the domain */
	const char
		*unit_columns;    /* that tell whose a row is, with commas between; NULL: a row is a unit */
	bytea *key;           /* parameter $2 of clause; NULL: it has none */
	List *shards;         /* of DpShard: filled by dp_scan_ask_servers */
	PlannedStmt *planned; /* the scan of all columns, planned by dp_scan_preflight */
	bool fetched; /* a view of foreign tables, whose servers were not asked to count: rows come */
	bool distributed;     /* Citus tables are read: dp_scan_find_distributed has found some */
	bool of_tree;         /* rows of a tree, each of which may be there more than once */
	DpTreeReader *reader; /* of_tree: of all of its tables */
	int number;           /* of_tree: of the table */
} DpSource;

/*
 * Takes memory of the current context, and draws a key anew. So one source serves all scans
 * of a release. rows_max: of a unit, at first.
 */
extern DpSource *dp_source_create(const DpRelation *relation, const DpDataset *dataset,
								  uint32 rows_max);
/* A statement whose one row says how many units there are of each class of numbers of rows, and then
 * how many rows the largest has. */
extern char *dp_source_units(const DpSource *source, const uint32 *last, uint32 classes);
/* The same source with another bound of the rows of a unit, and the same key, where the largest unit
 * has so many. */
extern DpSource *dp_source_with_bound(const DpSource *source, uint32 rows_max, int64 largest);
/* The expression that is counted for an attribute: its column, a distance, or a field. of: what stands
 * before names of columns, "s0." say. */
extern char *dp_source_value(const DpRelation *relation, uint32 attribute, const char *of);
/* A key of a source, drawn anew. */
extern bytea *dp_source_key(void);
/* What goes behind FROM for the relation, or one of its partitions: its label, or a subquery that
 * has distances in the place of columns. */
extern char *dp_source_of(const DpRelation *relation, const char *label);

/* ---- unit_order.c: rows unit by unit ---- */

/* The unit of the previous row. */
typedef struct DpUnitOrder DpUnitOrder;
/* first: index, from 0, of the first column that identifies the unit; the others follow. */
extern DpUnitOrder *dp_unit_order_create(uint32 first);
/* Whether a row is of another unit than the previous row; false for the first row. */
extern bool dp_unit_order_next(DpUnitOrder *order, TupleTableSlot *slot);

/* ---- source_asked.c ---- */

/* A SELECT of the rows that a question counts, or of all if there is none: c1, c2, ... are the
 * attributes, u1, u2, ... tell the unit, if anything does, and are not NULL. */
extern char *dp_source_asked_rows(const DpRelation *relation, const DpDataset *dataset);
/* " WHERE ..." of a question that names columns, restricted to rows that belong to a unit; "": all
 * rows. */
extern char *dp_source_where(const DpRelation *relation);
/* Whether the condition of such a question runs code of a type. */
extern bool dp_source_runs_code(const DpRelation *relation);

/* ---- source_tree.c ---- */

/*
 * The rows of one table of a tree, with what is known of its parent's rows and of its siblings. One
 * key serves all tables of a release, so that all read the same rows.
 */
extern DpSource *dp_source_of_tree(const DpTableTree *tree, int number, bytea *key);
/*
 * "x.a0, x.q1_0, x.f0, x.o) FROM ...": for all rows of a table its own attributes, the keys that
 * children refer to, the columns that refer to its parent, and the columns that identify the row.
 */
extern char *dp_source_tree_rows(const DpTableTree *tree, int number);
/* A SELECT of dp_row_cache of the columns of a child's rows that refer to the parent. */
extern char *dp_source_tree_references(const DpTableTree *tree, int child);
/*
 * How many rows of one parent are best counted in full: as many as leave the noise of a parent's
 * row, relative to what all of them count, little more than if the rows of each counted as one. By
 * the released numbers of rows of the parent's rows.
 */
extern uint32 dp_source_full_rows(const DpTreeTable *table, const DpModel *parent);

/* ---- scan.c ---- */

typedef struct DpScanCodeCache DpScanCodeCache;

typedef struct DpScan
{
	const DpSource *source;
	const char *clause; /* of the source: clause or whole; NULL: it was not asked for yet */
	Oid owner;
	MemoryContext context;
	DpCounter counter;
	int64 largest_unit;        /* rows of the largest unit, once units are counted */
	struct DpScanUnits *units; /* rows of units that one scan has kept; NULL: none */
	bool may_keep;             /* whether rows are kept for later scans of the same release */
	DpScanCodeCache *kept;     /* rows that one scan has kept as codes; NULL: none */
	bool too_large;            /* the rows of units do not fit in memory */
} DpScan;

/* The attributes that a pass reads. */
typedef struct DpScanColumns
{
	uint32 n;
	uint32 *attribute; /* [n] ascending */
	uint32 *position;  /* [attributes] where an attribute is in it */
} DpScanColumns;

/* Reads source as owner, under the active snapshot. Memory comes from context. */
extern DpScan *dp_scan_create(const DpSource *source, Oid owner, MemoryContext context);
extern const DpCounter *dp_scan_counter(DpScan *scan);
/* What goes behind FROM. Reads the data for it once, as the current user. */
extern const char *dp_scan_clause(DpScan *scan);

/* Lists the attributes that are needed, ascending. position[i]: where attribute i is in it. */
extern uint32 dp_scan_list(const bool *needed, const DpDomain *domain, uint32 *attribute,
						   uint32 *position);

/* Adds a table of the aggregate, which numbers the attributes as its spec does, not as the domain
 * does. */
extern DpStatus dp_scan_marginal_take(DpMarginal *into, const DpMarginal *from);

/* Runs a statement of one row as the current user; take sees that row. */
typedef void DpTakeSlot(void *taker, TupleTableSlot *slot);
extern void dp_scan_one_row(DpScan *scan, const char *sql, DpTakeSlot *take, void *taker);
/* The same where $1 is what is asked for. */
extern void dp_scan_one_value(DpScan *scan, const char *sql, bytea *spec, DpTakeSlot *take,
							  void *taker);
/* Whether encoding a value runs code of its type, which may not be parallel safe. */
extern bool dp_scan_runs_code(const DpScan *scan, const uint32 *attribute, uint32 n);
/* These apply until the settings are restored. */
extern void dp_scan_forbid_parallel(void);
/* Runs an aggregate as the current user, by a statement whose $1 is its spec. Calls take with its
 * counts, unless there was no row. */
typedef void DpTakeCounts(void *taker, DpCounts *counts);
extern void dp_scan_counts(DpScan *scan, const char *sql, bytea *spec, DpTakeCounts *take,
						   void *taker);
/* Expressions are computed where rows are read, and that is worth more than handing rows over costs.
 * This holds until the settings are taken back. */
extern void dp_scan_prefer_parallel(void);
/* Takes one row. What it allocates is freed some rows later. */
typedef void DpTakeRow(void *taker, const Datum *values, const bool *isnull);
/* Ends a unit, after its last row. */
typedef void DpEndUnit(void *taker);
/* Selects the listed attributes of every row, as the current user. end: unless NULL, rows come unit by
 * unit. */
extern void dp_scan_rows(DpScan *scan, const DpDomain *domain, const uint32 *attribute, uint32 n,
						 DpTakeRow *take, DpEndUnit *end, void *taker);

/* ---- scan_code_cache.c: rows that are counted again without a pass ---- */

/* Whether what is requested may count rows again. */
extern void dp_scan_may_keep(DpScan *scan, const DpRequest *request);
/* Whether the pass over domain, which stays as long as the scan does, is to keep its rows. */
extern bool dp_scan_keeps(const DpScan *scan, const DpDomain *domain);
/* Which columns it reads then. */
extern void dp_scan_keep_columns(const DpDomain *domain, bool *needed);
/* How many rows it keeps. */
extern DpKeep dp_scan_keep(const DpScan *scan, bool parallel);
/* Begins to keep codes of these columns, in place of what was kept before, and with the bounds of
 * spec->keep. They are added to the result. */
extern DpCodeCache *dp_scan_keep_codes(DpScan *scan, const DpDomain *domain,
									   const DpScanColumns *columns, const DpSpec *spec);
/* Takes over what it kept. */
extern void dp_scan_take_cached(DpScan *scan, const DpDomain *domain, const DpScanColumns *columns,
								const DpSpec *spec, DpCodeCache *from);
/* Counts the sets of spec into marginals. False: nothing is counted, a pass is needed. */
extern bool dp_scan_count_cached(const DpScan *scan, const DpDomain *domain,
								 const DpScanColumns *columns, const DpSpec *spec,
								 DpMarginal *const *marginals, DpStatus *status, DpError *error);

/* ---- scan_bounded.c ---- */

/*
 * Reads the rows of units within their bound once, and keeps the codes of all attributes of the
 * domain that have levels, so that dp_scan_count_cached counts them. False: they cannot be read in
 * this way.
 */
extern bool dp_scan_read_bounded(DpScan *scan, const DpDomain *domain);

/* ---- scan_cells.c: where the values themselves are needed ---- */

/* DpCounter.distinct */
extern DpStatus dp_scan_distinct(void *context, const DpDomain *domain, const uint32 *attributes,
								 uint32 n, DpValueCounts *out, DpError *error);
/* DpCounter.cells */
extern DpStatus dp_scan_cells(void *context, const DpDomain *domain, DpCells *sets, uint32 n,
							  DpError *error);

/* ---- scan_sums.c: statistics of groups ---- */

/* DpCounter.sums */
extern DpStatus dp_scan_sums(void *context, const DpDomain *domain, const DpQuery *query,
							 DpSums *sums, DpError *error);

/* DpCounter.units and DpCounter.bound */
extern DpStatus dp_scan_units(void *context, const DpDomain *domain, const DpQuery *query,
							  const uint32 *last, uint32 classes, int64 *count, DpError *error);
extern void dp_scan_bound(void *context, uint32 rows_max);

/* ---- scan_statement.c: how rows are counted; all of these run as the owner ---- */

/* The aggregate's call: $1 is the spec. */
extern char *dp_scan_count_call(const DpSource *source, const uint32 *attribute, uint32 n);
/* Whether columns are sent to worker nodes of Citus as one row, and a statement that counts rows of
 * the listed expressions there. */
extern bool dp_scan_counts_records(const DpSource *source);
extern char *dp_scan_record_statement(const char *from, const char *expressions);
/* The whole statement. spec NULL: it is not known yet. */
extern char *dp_scan_count_statement(const DpSource *source, const char *from, Oid owner,
									 const uint32 *attribute, uint32 n, const DpSpec *spec);
/* Whether this server counts all rows, by one call. */
extern bool dp_scan_counts_here(const DpSource *source, Oid owner);
/* Whether what parallel workers hand over is sure to fit. */
extern bool dp_scan_fits_parallel(const DpSource *source, const DpSpec *spec, Size spec_bytes);
/*
 * The tables that are each counted alone: the foreign table, or all partitions where some are
 * foreign. NIL: there are none.
 */
extern List *dp_scan_counted_apart(const DpSource *source, Oid owner);
/*
 * Whether the owner reads a table as it is, so that neither rights nor row security of its own
 * are in the way.
 */
extern bool dp_scan_reads_alone(Oid relation, Oid owner);

/* ---- scan_citus.c ---- */

/* Says in source->distributed whether there are Citus tables in what a source reads, below its views
 * too. */
extern void dp_scan_find_distributed(DpSource *source, Oid owner);
/*
 * The plan of a statement over Citus tables, in the current context. Citus does not plan all that has
 * parameters, so that their values are known to it.
 */
extern PlannedStmt *dp_scan_plan_distributed(const DpSource *source, const char *statement);
/*
 * Runs a statement over Citus tables, and no row of these is read. ERROR if a worker node with a part
 * of them does not answer, cannot run the statement, or has another version of dpsyn.
 */
extern void dp_scan_ask_nodes(const DpSource *source, const char *statement);

/* ---- scan_preflight.c ---- */

/*
 * Plans the scan of all columns without running it, into source->planned. This takes the
 * locks, and checks the rights, of everything below the relation. ERROR where the scan could
 * not start.
 */
extern void dp_scan_preflight(DpSource *source, Oid owner);
/*
 * ERROR if a right on anything that was planned to be read is gone. Reads the catalogue alone,
 * and runs nobody's code.
 */
extern void dp_scan_check_rights(const DpSource *source, Oid owner);
/* Whether foreign tables may be below the relation. */
extern bool dp_scan_may_be_foreign(Oid relation);
/*
 * Asks the servers of these tables, and reads no row. Fills source->shards and
 * source->fetched. ERROR where a server cannot answer.
 */
extern void dp_scan_ask_servers(DpSource *source, Oid owner);
/*
 * ERROR unless every server that counts for the release counts as this one does. Public facts
 * alone decide.
 */
extern void dp_scan_check_shards(const DpSource *source);

#endif
