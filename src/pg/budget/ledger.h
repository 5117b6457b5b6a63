/*
 * ledger.h -- lines of the ledger, and stored releases.
 *
 * The release worker writes both, each in a transaction of its own, as the bootstrap superuser; a
 * refund (refund.c) is written in the custodian's backend.
 */
#ifndef DPSYN_LEDGER_H
#define DPSYN_LEDGER_H

#include "pg/server/compat.h"

#include "utils/timestamp.h"

#include "core/model/model.h"
#include "pg/budget/payer.h"
#include "pg/server/foreign_key.h"

/* What is debited, and from whom. */
typedef struct DpCharge
{
	int32 budget;  /* id of the dataset whose budget pays */
	int32 dataset; /* id of the dataset that is released */
	Oid payer;     /* the role whose allocation pays; InvalidOid: the custodian pays */
	DpBudget cost;
} DpCharge;

/*
 * Adds the cost to the totals of the budget and of the payer's allocation; with sign -1 it gives
 * the cost back. To be called between dp_catalog_open and dp_catalog_close.
 */
extern void dp_ledger_spend(const DpCharge *charge, int sign);

/* A release, as the ledger writes it down. */
typedef struct DpLedgerLine
{
	const DpDataset *dataset;
	const DpPayer *payer;
	Oid relation;
	Oid user;
	const char *method;
	const char *options; /* jsonb as text */
	const char *row_type;
	const char *derived; /* columns that are made from others, jsonb as text */
	const char *fill;    /* of columns that are not modelled, jsonb as text */
	int32 sets;
	List *public_relations; /* names of the public tables that the release stands on */
	int64 forest;           /* release of the first tree, where several were released; 0: one was */
	bool unprotected;       /* the method gives no guarantee */
	DpBudget cost;
} DpLedgerLine;

/* Writes a debit, and spends its cost; returns the number of the line. The caller holds the rows
 * that pay locked, and has checked the budget. */
extern int64 dp_ledger_debit(const DpLedgerLine *line);
/* Writes what became of a debit, in another line. kind: "released" or "failed". */
extern void dp_ledger_outcome(int64 debit, const DpLedgerLine *line, const char *kind,
							  TimestampTz started);
/* Writes what the custodian stated: kind "policy", or "reconcile" with amounts. */
extern void dp_ledger_statement(const DpDataset *dataset, const char *kind, DpBudget amounts,
								const char *reason);
/* A table that was released together with its root. */
typedef struct DpReleasePart
{
	int32 number; /* from 1 */
	int32 parent; /* number of its parent; 0: the root */
	Oid relation;
	const char *name;              /* without its schema */
	const char *root_name;         /* of the root, likewise */
	const DpForeignKey *reference; /* to its parent */
	const char *derived;
	const char *fill;
} DpReleasePart;

extern void dp_release_keep_part(int64 debit, const DpReleasePart *part, const DpModel *model,
								 DpArena *arena);
/* Stores the released model under the number of its debit. ERROR if it is too large for a value. */
extern void dp_release_keep(int64 debit, const DpLedgerLine *line, const DpModel *model,
							DpArena *arena);

#endif
