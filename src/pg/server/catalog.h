/*
 * catalog.h -- reading and writing dpsyn's own tables, with the rights that this takes (rights.h).
 *
 * Runs in any process. The tables hold what was declared, spent and released, and no row of a
 * protected relation.
 */
#ifndef DPSYN_CATALOG_H
#define DPSYN_CATALOG_H

#include "pg/server/compat.h"

#include "nodes/params.h"
#include "nodes/pg_list.h"
#include "nodes/plannodes.h"
#include "tcop/dest.h"

#include "pg/server/labels.h"
#include "pg/server/rights.h"

/* ---- the extension ---- */

/* The schema of what users call and read, quoted; what is inside is in the schema dp_catalog. ERROR
 * if the extension is not installed in this database, or in another version than this library's. */
extern const char *dp_schema(void);
/* Whether it is installed in this database, in the version of this library. */
extern bool dp_catalog_is_current(void);

/* A function of one argument, in the extension's schema or in dp_catalog. InvalidOid: there is
 * none. */
extern Oid dp_function_of_users(const char *name, Oid argument);
extern Oid dp_function_inside(const char *name, Oid argument);

/* ---- statements ---- */

/* The values of the parameters $1, $2, ... of a statement. */
typedef struct DpArgument
{
	Oid type;
	Datum value;
	bool isnull;
} DpArgument;

typedef struct DpArguments
{
	int n;
	const DpArgument *argument;
} DpArguments;

#define DP_ARGUMENTS(...)                                                                          \
	((DpArguments){lengthof(((DpArgument[]){__VA_ARGS__})), (DpArgument[]){__VA_ARGS__}})
#define DP_NO_ARGUMENTS ((DpArguments){0, NULL})
#define DP_BOOL(of) ((DpArgument){BOOLOID, BoolGetDatum(of), false})
#define DP_INT32(of) ((DpArgument){INT4OID, Int32GetDatum(of), false})
#define DP_INT64(of) ((DpArgument){INT8OID, Int64GetDatum(of), false})
#define DP_REGCLASS(of) ((DpArgument){REGCLASSOID, ObjectIdGetDatum(of), false})
/* InvalidOid becomes NULL. */
#define DP_OID(of) ((DpArgument){OIDOID, ObjectIdGetDatum(of), !OidIsValid(of)})
/* NULL becomes NULL. */
extern DpArgument dp_text_argument(const char *words);
extern DpArgument dp_name_argument(const char *name);
extern DpArgument dp_names_argument(char *const *names, int n);

/*
 * Connects to SPI, with the bootstrap superuser as the current user and search_path pinned, so that
 * neither the caller's rights nor the caller's schemas matter. No code of users may run before
 * dp_catalog_close. All functions named dp_spi_ belong between these two.
 */
extern void dp_catalog_open(DpUserContext *user_context);
extern void dp_catalog_close(DpUserContext *user_context);

/*
 * Both run one statement, in which @ stands for the extension's schema, and return the number of
 * rows. dp_spi_read sees all that is committed, whatever the caller's isolation level is.
 * dp_spi_write is also for SELECT ... FOR UPDATE.
 */
extern uint64 dp_spi_read(const char *statement, DpArguments arguments);
extern uint64 dp_spi_write(const char *statement, DpArguments arguments);
/*
 * Connects to SPI for statements with the rights of the caller, as dp_become_owner does for an
 * owner that all of these relations have in common: so what runs of code of the owner's, where the
 * caller has the owner's rights, has no more than these. search_path is pinned, and nothing in such
 * a statement is found in the schemas of the caller, who named the relations before. The first
 * statement must read no other relations (pg/server/names.h). relations: OIDs; NIL: it may.
 */
extern void dp_caller_open(DpUserContext *user_context, const List *relations);
extern void dp_caller_close(DpUserContext *user_context);
/*
 * Connects to SPI for one statement that reads a public relation with the rights of its owner,
 * whoever asks: its rows are nobody's (budget/public_relation.h says which). So the statement must
 * run no code of users: columns whose types are PostgreSQL's own, and no operator. text: the
 * statement, which may name this relation alone. The relation is locked.
 */
extern void dp_public_open(DpUserContext *user_context, Oid relation, const char *text);
extern void dp_public_close(DpUserContext *user_context);
/* A SELECT with the rights and the snapshot of the current user, after dp_caller_open. */
extern uint64 dp_spi_read_as_caller(const char *statement, DpArguments arguments);
/* Columns (from 1) of a row (from 0) of the last result. NULL is read as 0, InvalidOid, false or
 * NULL. A text is in the current memory context. */
extern Datum dp_spi_value(uint64 row, int column, bool *isnull);
extern int64 dp_spi_int64(uint64 row, int column);
extern int32 dp_spi_int32(uint64 row, int column);
extern Oid dp_spi_oid(uint64 row, int column);
extern bool dp_spi_bool(uint64 row, int column);
extern char *dp_spi_text(uint64 row, int column);
extern char **dp_spi_names(uint64 row, int column, int *n);
/* NULL is read as NaN. */
extern double dp_spi_float8(uint64 row, int column);

/* One statement, with dp_catalog_open and dp_catalog_close around it. */
extern uint64 dp_catalog_write(const char *statement, DpArguments arguments);
/* The same for a SELECT: whether it finds a row. */
extern bool dp_catalog_finds(const char *statement, DpArguments arguments);
/* What read makes of each row that a SELECT finds, but for NULL, in the current memory context. */
typedef void *DpReadRow(uint64 row);
extern List *dp_catalog_list(const char *statement, DpArguments arguments, DpReadRow *read);
/* Column 1 of each row, as OIDs. */
extern List *dp_catalog_oids(const char *statement);
/* Runs a planned query under the active snapshot; its rows go to receiver. text: for its errors. */
extern void dp_run_planned(PlannedStmt *planned, const char *text, ParamListInfo parameters,
						   DestReceiver *receiver);
/* ERROR: a row that was found is newer than the snapshot of the transaction, which so cannot change
 * it. For writes that must touch a row, in REPEATABLE READ and SERIALIZABLE. */
extern DP_NORETURN void dp_raise_newer(void);

#endif
