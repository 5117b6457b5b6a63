/*
 * budget_notification.h -- the server log's line and the notifications about what was spent.
 *
 * Runs in the release worker, on the ledger alone: no value of a relation is known here. The
 * custodian's backend writes which alerts there are.
 */
#ifndef DPSYN_BUDGET_NOTIFICATION_H
#define DPSYN_BUDGET_NOTIFICATION_H

#include "pg/server/compat.h"

#include "pg/budget/ledger.h"
#include "pg/server/catalog.h"

typedef struct DpBudgetNotification
{
	char *line;   /* for the log; NULL: dpsyn.log_releases is off */
	char *detail; /* of the line */
	List *passed; /* words of each alert that this debit passed */
} DpBudgetNotification;

/*
 * Reads, in the transaction of a debit and after it was written, what is to be said of it, and
 * sends a NOTIFY for each alert that it passed. Listeners get it once the transaction commits.
 */
extern DpBudgetNotification dp_budget_notification(const DpLedgerLine *line, int64 debit);
/* Writes it to the server log, once the transaction is committed. */
extern void dp_budget_notify(const DpBudgetNotification *notification);

/* An array of shares of a budget at which an alert is wanted. ERROR unless each is one. */
extern Datum dp_alerts_argument(FunctionCallInfo fcinfo, int argument);
/* Replaces the alert shares of a dataset's custodian by these, a float8[]. Each dataset has alerts
 * of its own, even if it shares a budget. */
extern void dp_alerts_write(int32 dataset, DpArgument shares);

#endif
