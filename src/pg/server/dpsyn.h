/*
 * dpsyn.h -- what the files of src/pg share, grouped by file.
 *
 * The glue has two sides of the wall. Only worker.c may hold a noise source; it
 * and scan.c run in the release worker alone. aggregate.c, encode.c and
 * marginals_*.c hold exact counts, in the release worker or of rows that the
 * caller may read anyway. Everything else runs in the caller's backend and sees
 * public facts, the catalog, and noisy models.
 */
#ifndef DPSYN_H
#define DPSYN_H

#include "compat.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "draw.h"

/* ---- dpsyn.c: settings ---- */

extern int dpsyn_max_parallel_workers; /* -1: max_parallel_workers_per_gather */
extern int dpsyn_progress_interval;    /* seconds; 0: no progress lines */
extern int dpsyn_counting_memory;      /* kB; -1: as a hash table */
extern int dpsyn_model_memory;         /* MB */

/* ---- bridge.c: core <-> PostgreSQL ---- */

/* An arena over a memory context; NULL on exhaustion, never an error. */
extern DpArena dp_arena_for(MemoryContext context);
/* ereport(ERROR) from a core error; status other than DP_OK. */
extern DP_NORETURN void dp_raise(const DpError *error);
extern int dp_status_sqlstate(DpStatus status);
/* numeric -> exact integers; round_up for a charge, down for a cap. what: "epsilon", for messages. */
extern int64 dp_epsilon_from_numeric(Numeric value, bool round_up, const char *what);
extern int64 dp_delta_from_numeric(Numeric value, bool round_up, const char *what);
extern int64 dp_rho_from_numeric(Numeric value, bool round_up, const char *what);
extern Datum dp_epsilon_to_numeric(int64 epsilon_nano);
extern Datum dp_delta_to_numeric(int64 delta_atto);
extern Datum dp_rho_to_numeric(int64 rho_pico);
/* jsonb object -> options; DpError-style ereport on anything that is not an object. */
extern void dp_options_from_jsonb(Jsonb *json, DpOptions *options);
extern const char *dp_neighbours_name(DpNeighbours neighbours);
extern DpNeighbours dp_neighbours_from_name(const char *name);

/* Answers to cancel, and nothing else. */
extern const DpTick dp_interrupt_tick;

/* Progress lines, and answering to cancel, in long work of the caller's backend. */
typedef struct DpProgress
{
	const char *stage;
	TimestampTz next_report; /* 0: not started */
	double share_done;       /* the last one known; negative: none */
	DpTick tick;             /* hand &progress.tick to the core */
} DpProgress;

extern void dp_progress_start(DpProgress *progress, const char *stage);
extern void dp_progress_report(DpProgress *progress, double share_done);

/* ---- catalog.c: reading and writing dpsyn's own tables ---- */

/* Runs a few statements as the bootstrap superuser with a pinned search_path, so that neither the
 * caller's rights nor the caller's schemas matter. Not to be held across anything that runs user code. */
typedef struct DpElevation
{
	Oid user;
	int security_context;
	int guc_level;
} DpElevation;

extern void dp_elevate(DpElevation *elevation);
/* The same, in a security-restricted context, with the rights of a role that has no more than the current
 * user; with the current user's own if that role has (InvalidOid: too). */
extern void dp_become_owner(DpElevation *elevation, Oid owner);
extern void dp_unelevate(DpElevation *elevation);
/* The extension's schema, quoted; ERROR if the extension is not installed in this database. */
extern const char *dp_schema(void);
/* Whether the catalog in this database is of this library's version. */
extern bool dp_catalog_is_current(void);
/* One statement, in which @ stands for that schema, while elevated and connected to SPI. Returns the
 * number of rows; ERROR if the result is not of the expected kind. read_only sees all that is committed. */
extern uint64 dp_spi(const char *statement, int expected, int nargs, Oid *types, Datum *values,
					 const char *nulls, bool read_only);
/* Columns (from 1) of a row (from 0) of the last result; 0, InvalidOid or false for NULL. */
extern Datum dp_spi_value(uint64 row, int column, bool *isnull);
extern int64 dp_spi_int64(uint64 row, int column);
extern int32 dp_spi_int32(uint64 row, int column);
extern Oid dp_spi_oid(uint64 row, int column);
extern bool dp_spi_bool(uint64 row, int column);

/* InvalidOid if the relation is gone. */
extern Oid dp_relation_owner(Oid relation);
extern bool dp_is_custodian(Oid relation, Oid user);
/* ERROR unless the current user owns the relation (or is a member of the owning role). */
extern void dp_check_custodian(Oid relation, const char *action);
extern char *dp_relation_label(
	Oid relation); /* schema-qualified, quoted; "with OID 123" if it is gone */
extern char *dp_role_label(Oid role);
/* One elevated statement; returns the rows it touched. The caller's rights are checked before. */
extern uint64 dp_write_catalog(const char *statement, int expected, int nargs, Oid *types,
							   Datum *values, const char *nulls);

/* ---- dataset.c: protected relations ---- */

typedef enum DpAccountant
{
	DP_BASIC, /* epsilon and delta add up */
	DP_ZCDP   /* rho and delta add up */
} DpAccountant;

typedef struct DpDataset
{
	int32 id; /* 0: not protected */
	Oid relation;
	bool active;
	DpUnit unit;
	char *unit_column;      /* NULL: a unit is unit.rows_max rows, whichever */
	int64 max_epsilon_nano; /* of one release; 0: no limit */
	/* the budget that pays: its own, or that of another relation */
	int32 budget;
	Oid budget_relation;
	DpAccountant accountant;
	DpBudget amounts; /* as the custodian stated them; no rho */
	DpBudget spent;   /* 0 where a refresh is due */
	bool refresh_due; /* the next release writes it */
	bool fence_holds; /* this is the cluster and database that the ledger was kept in */
} DpDataset;

extern const char *dp_accountant_name(DpAccountant accountant);
extern DpAccountant dp_accountant_from_name(const char *name);
/* The part of a relation's delta that turns rho into epsilon. */
extern int64 dp_zcdp_conversion_delta(int64 delta_atto);
/* What the sums of a relation with these amounts may come to. */
extern DpBudget dp_budget_allowed(DpAccountant accountant, DpBudget amounts);
/* ERROR unless the relation has such a column, and its values can be told apart by sorting. */
extern void dp_check_unit_column(Oid relation, const char *column);
/* for_update locks the relation's row and its budget's, and writes a refresh that is due. */
extern bool dp_dataset_find(Oid relation, bool for_update, DpDataset *dataset);
/* ERROR unless the relation is protected. */
extern void dp_dataset_get(Oid relation, bool for_update, DpDataset *dataset);
/* Whether anything was ever debited for this relation, or stated as spent. */
extern bool dp_dataset_has_spent(int32 dataset);
/* Whether other relations spend its budget. */
extern bool dp_dataset_is_shared(int32 dataset);
extern void dp_fence_here(char **system_identifier, int32 *timeline, char **database);

/* ---- arguments.c: arguments of the custodian's functions ---- */

extern void dp_check_not_null(FunctionCallInfo fcinfo, int argument, const char *name);
/* Arguments number epsilon and delta, no rho; round_up for what was spent, down for a cap. */
extern DpBudget dp_amounts_argument(FunctionCallInfo fcinfo, int epsilon, int delta, bool round_up);
/* ERROR unless these amounts can be a relation's total. */
extern void dp_check_total(DpAccountant accountant, DpBudget total);
/* A limit of epsilon; 0 for NULL, no limit. */
extern int64 dp_limit_argument(FunctionCallInfo fcinfo, int argument);

/* ---- payer.c: who pays, and whether it fits ---- */

typedef struct DpPayer
{
	bool custodian; /* pays from the total alone; role is InvalidOid */
	Oid role;       /* whose allocation pays */
	DpBudget allowed;
	DpBudget spent;
} DpPayer;

/* Who pays for user; ERROR if nobody can, or several could. */
extern void dp_payer_get(const DpDataset *dataset, Oid user, bool for_update, DpPayer *payer);
/* Whether user may know of the dataset at all: custodian or holder of a grant. */
extern bool dp_may_ask(const DpDataset *dataset, Oid user);
/* ERROR unless cost fits the limit of one release, the payer's allocation and the relation's total. */
extern void dp_check_budget(const DpDataset *dataset, const DpPayer *payer, DpBudget cost);

/* ---- relation.c: the public domain of a relation ---- */

/* Beside each DpAttribute: where the column is. */
typedef struct DpColumn
{
	AttrNumber number;
	Oid type;
	int32 typmod;
	Oid collation;
	const char *source; /* "declared", "schema"; NULL: no domain */
	Jsonb *domain;      /* of an open column: what it may hold, dictionaries read; NULL: anything */
} DpColumn;

/* A column without a public domain. */
typedef struct DpUnmodelled
{
	AttrNumber number;
	Oid type;
	int32 typmod;
	Oid collation;
	char *name;
	const char *source; /* "outdated": declared for another type; NULL: no domain */
} DpUnmodelled;

typedef struct DpRelation
{
	Oid oid;
	DpDomain domain;  /* attributes that can be modelled, in column order */
	DpColumn *column; /* [domain.attributes] */
	List *unmodelled; /* of DpUnmodelled */
} DpRelation;

/* Facts of the schema and declarations. dataset_id 0: facts alone. strict: ERROR where a declaration no
 * longer fits the table; else such a column has no domain. */
extern DpRelation *dp_relation_domain(Oid relation, int32 dataset_id, bool strict);
/* Restricts to the option "attributes", if given; ERROR for a name that has no domain. */
extern void dp_relation_restrict(DpRelation *relation, const DpOptions *options);
/* Columns become open, with the domains of an object {"column": domain}, whatever domain they had. */
extern void dp_relation_assert_domains(DpRelation *relation, Jsonb *domains);
/* Reads the domains of open columns. */
extern void dp_relation_read_domains(DpRelation *relation, DpArena *arena);

/* ---- universe.c, dictionary.c: public domains too large to list ---- */

/* What a domain of a column of this type says; ERROR if it is none, or its values are not of the type. */
extern const DpUniverse *dp_universe_from_json(Jsonb *json, const char *column, Oid type,
											   int32 typmod, DpArena *arena);
/* The same text for values that a base type calls equal, as far as dpsyn knows the type: without trailing
 * zeros or blanks. output: the type's output function. */
extern char *dp_text_canonical(FmgrInfo *output, Oid type, Datum value);
/* The domain as JSON, with the values of its dictionaries, which are read as the current user. */
extern char *dp_domain_expand(Jsonb *domain);
/* Options as the ledger keeps them: of long lists of their domain the length and a digest. */
extern char *dp_options_kept(char *options);
/* Whether a relation that is or was protected has rows of this one, which so is not public. */
extern bool dp_holds_protected_rows(Oid relation);

/* ---- zeros.c: combinations that cannot occur ---- */

/* Declared zeros of a relation into its domain, before it is restricted. strict: ERROR where one names what the
 * domain no longer has; else it is left out. */
extern void dp_zeros_read(DpRelation *relation, int32 dataset_id, bool strict);

/* ---- prior.c: public counts ---- */

/* As dp_zeros_read, of declared priors. */
extern void dp_priors_read(DpRelation *relation, int32 dataset_id, bool strict);

/* ---- schema_facts.c: what the schema itself declares about a column ---- */

/* Text forms of all values that the column can hold besides NULL, or false. */
/* Whether no row of the relation, nor of a child of it, can hold NULL there. index counts from 0. */
extern bool dp_schema_not_null(Relation relation, int index);
extern bool dp_schema_values(Relation relation, Form_pg_attribute attribute, bool owner_code,
							 const char ***labels, uint32 *labels_n);

/* ---- values.c: text forms of values, the same in every session ---- */

/* Pins DateStyle and the like for good: the release worker. */
extern void dp_values_pin(GucContext context, GucSource source);
/* The same until dp_values_end(level). */
extern int dp_values_begin(void);
extern void dp_values_end(int level);
/* The value that text means in a column of this type, or ERROR from the type's input function. */
extern Datum dp_value_in(const char *text, Oid type, int32 typmod);
extern char *dp_value_out(Datum value, Oid type);
/* The integer that a value passed by value is (for date and timestamps: days, microseconds). */
extern int64 dp_value_word(Oid type, Datum value);
/* A type by its SQL name (integer, "timestamp without time zone") or with its schema: the same in every session. */
extern char *dp_type_label(Oid type);
/* The type of such a name, whatever search_path says; InvalidOid if there is none here. */
extern Oid dp_type_of_label(const char *label);
/* Types whose bins can be drawn from. */
extern bool dp_type_has_bins(Oid type);
/* Whether reading a value of that type can run code that somebody wrote: a CHECK inside an array, a
 * composite or a range type. */
extern bool dp_type_runs_code(Oid type);
/* Whether a text of the type names an object of the catalog, as of regclass. */
extern bool dp_type_names_objects(Oid type);
/* ERROR if values of the column's type cannot be discovered. */
extern void dp_check_open(const char *column, Oid type);
/* A scalar type of PostgreSQL itself whose texts mean the same in every session. */
extern bool dp_type_is_plain(Oid type);
/* Whether a value of such a type is finite and in the range of the sampler of bins (decode_bins.c). */
extern bool dp_edge_is_drawable(Datum edge, Oid type, int32 typmod);

/* ---- request.c: one release, from words to a plan ---- */

typedef struct DpReleaseRequest
{
	Oid relation;
	Oid user;
	char *method;
	char *options; /* jsonb as text */
	char *row_type;
	char *
		domains; /* {"column": domain}, dictionaries read, as text; NULL: to be read from options */
	int64 epsilon_nano;
	int64 delta_atto;
	int32 sets;
	int64 rows;              /* to be drawn at once; negative: as the release says. Stays here */
	const DpSeedPool *seeds; /* read by the caller's backend; NULL: none */
} DpReleaseRequest;

typedef struct DpPrepared
{
	DpDataset dataset;
	DpPayer payer;
	DpRelation *relation;
	DpOptions options;
	char *domains; /* as of a request; NULL: none were asserted */
	DpRequest request;
	DpPlan plan;   /* with the memory of its scans */
	DpArena arena; /* over the memory context it was prepared in */
} DpPrepared;

/* The caller's settings as options of a method that has them, unless they are given: the release worker
 * has settings of its own. */
extern char *dp_options_with_settings(const char *method, char *options);
/* Everything that can be checked without the data: rights, domain, options, plan. As long as a domain is, so
 * long it takes: nothing may be locked then that others wait for. */
extern DpPrepared *dp_prepare_request(const DpReleaseRequest *request);
/* The same without the plan; method NULL: for any that a budget pays for. */
extern DpPrepared *dp_prepare_facts(const DpReleaseRequest *request, const DpMethod *method);
/* Locks the rows of the ledger that pay, until the transaction ends, and checks that what was prepared
 * still holds and still is within the budget. */
extern void dp_prepared_lock(const DpReleaseRequest *request, DpPrepared *prepared);
extern void dp_notice_unmodelled(const DpPrepared *prepared);

/* ---- choose.c: method "auto" ---- */

/* Puts the method that is chosen in the place of "auto", and says so in a NOTICE; any other name stays. */
extern void dp_resolve_method(DpReleaseRequest *request);
/* ---- marginals_seed.c: the public rows at which chains start ---- */

/* The relation that option seed_pool names, or InvalidOid. ERROR unless it is a plain table that is not and
 * was not protected, nor has rows of what is or was. */
extern Oid dp_seed_pool_relation(const DpPrepared *prepared);
/* Its rows, read with the current user's rights; NULL where the option is not given. */
extern const DpSeedPool *dp_seed_pool_read(const DpPrepared *prepared);

/* ---- release.c: the caller's side of a release ---- */

extern int64 dp_run_release(const DpReleaseRequest *request);

/* ---- ledger.c: lines of the ledger; called by the release worker ---- */

/* Adds cost to the totals of the budget and of the payer; sign -1 gives it back. */
extern void dp_ledger_spend(int32 budget, int32 dataset, Oid payer, DpBudget cost, int sign);
extern int64 dp_ledger_debit(const DpReleaseRequest *request, const DpPrepared *prepared);
extern void dp_ledger_outcome(int64 debit, const DpReleaseRequest *request, int32 dataset,
							  const char *kind, TimestampTz started);
extern void dp_release_keep(int64 debit, const DpReleaseRequest *request,
							const DpPrepared *prepared, const DpModel *model, DpArena *arena);

/* ---- decode.c: codes to values of the caller's row type ---- */

typedef struct DpDecoder DpDecoder;

/* Matches columns by name. ERROR if no column of target is modelled, or a label is no value of its column. */
extern DpDecoder *dp_decoder_create(const DpDomain *domain, TupleDesc target);
/* One row; prng places values inside their bins. */
extern void dp_decode_row(const DpDecoder *decoder, const uint32 *codes, DpPrng *prng,
						  Datum *values, bool *nulls);

/* ---- decode_bins.c: a value inside a bin ---- */

typedef struct DpBins DpBins;

extern DpBins *dp_bins_create(const DpAttribute *attribute, Oid type, int32 typmod);
/* Uniform in bin i, as the column's type holds it; the last bin is closed. */
extern Datum dp_bins_draw(const DpBins *bins, uint32 i, DpPrng *prng);

/* ---- store.c: stored releases ---- */

/* A stored release, parsed and checked; memory of the context that was current. */
typedef struct DpStored
{
	int64 id;
	int32 sets;
	unsigned char *bytes; /* the serialised model */
	size_t length;
	DpArena arena;
	DpModel model;
	const DpMethod *method;
} DpStored;

/* ERROR if it does not exist or the current user may not draw from it. */
extern DpStored *dp_stored_get(int64 release);
/* Fills model and method from bytes. */
extern void dp_stored_parse(DpStored *stored);

/* ---- sample.c, sample_parallel.c: drawing rows ---- */

/* Releases the relation whose row type argument 0 has; epsilon, delta and options are the arguments from
 * `first` on, and not null. rows: as DpReleaseRequest has them. again: the function that reads the release, for a NOTICE. */
extern int64 dp_release_target(FunctionCallInfo fcinfo, const char *method, int first, int32 sets,
							   int64 rows, const char *again);

typedef struct DpDrawJob
{
	DpStored *stored;
	DpModel model; /* of the set that is drawn */
	DpDrawer drawer;
	DpDecoder *decoder;
	TupleDesc row;
	uint64 seed;
	uint64 set;
	uint64 rows;
	DpProgress progress;
	MemoryContext scratch; /* emptied after each block */
} DpDrawJob;

/* The row type that a function returning SETOF anyelement is to return; ERROR if it is none. */
extern TupleDesc dp_result_row(FunctionCallInfo fcinfo);
/* A stream of rows that nobody knows: where no seed is given. */
extern uint64 dp_fresh_stream(void);
/* The argument "rows"; -1 = not given. */
extern int64 dp_rows_argument(FunctionCallInfo fcinfo, int argument);
/* All rows of the job as the result of a set-returning function. */
extern Datum dp_return_all(FunctionCallInfo fcinfo, DpDrawJob *job, int workers);
/* Rows of a block, the last one may be short. */
extern uint32 dp_job_block_rows(const DpDrawJob *job, uint64 block);
extern uint64 dp_job_blocks(const DpDrawJob *job);
/* Draws the codes of one block; tick: of the process that draws. */
extern void dp_job_draw(const DpDrawJob *job, uint64 block, uint32 *codes, const DpTick *tick);
/* Codes of one block to rows of store. */
extern void dp_job_emit(DpDrawJob *job, uint64 block, const uint32 *codes, Tuplestorestate *store);
/* Draws all rows into store, with up to that many parallel workers. The rows do not depend on how many. */
extern void dp_job_run_parallel(DpDrawJob *job, int workers, Tuplestorestate *store);

#endif
