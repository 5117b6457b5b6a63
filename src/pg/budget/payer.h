/*
 * payer.h -- who pays for a release, and whether the budget covers it.
 *
 * Runs in the caller's backend, to refuse early, and again in the release worker, which decides.
 */
#ifndef DPSYN_PAYER_H
#define DPSYN_PAYER_H

#include "pg/server/compat.h"

#include "pg/budget/dataset.h"

typedef struct DpPayer
{
	bool custodian; /* pays from the total alone; role is InvalidOid */
	Oid role;       /* whose allocation pays */
	DpBudget allowed;
	DpBudget spent;
} DpPayer;

/* Who pays for user. for_update locks the payer's allocation until the transaction ends. ERROR if
 * nobody can pay, or more than one grant could. */
extern void dp_payer_get(const DpDataset *dataset, Oid user, bool for_update, DpPayer *payer);
/* Whether user may know of the dataset at all: as its custodian, or by a grant. */
extern bool dp_may_ask(const DpDataset *dataset, Oid user);
/* Whether user may draw from a stored release of the dataset. */
extern bool dp_may_draw(const DpDataset *dataset, Oid user);
/* ERROR unless user may ask. */
extern void dp_check_may_ask(const DpDataset *dataset, Oid user);
/* ERROR unless this is the cluster and database that the ledger was kept in. */
extern void dp_check_fence(const DpDataset *dataset);
/* ERROR, or NOTICE as level says, where a release costs less than the relation's minimum. */
extern void dp_check_minimum(const DpDataset *dataset, DpBudget cost, int level);
/* ERROR unless the fence holds, and cost fits the limit of one release, the payer's allocation and
 * the relation's total. */
extern void dp_check_budget(const DpDataset *dataset, const DpPayer *payer, DpBudget cost);

#endif
