/*
 * dataset.h -- protected relations as the catalog has them.
 *
 * Runs in any process: the caller's backend reads them to plan, the release worker to debit.
 */
#ifndef DPSYN_DATASET_H
#define DPSYN_DATASET_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

#include "core/accounting/budget.h"
#include "core/accounting/privacy_unit.h"

/* ---- accountants ---- */

typedef enum DpAccountant
{
	DP_BASIC, /* epsilon and delta add up */
	DP_ZCDP   /* rho and delta add up, or epsilon and delta: what fits either sum is allowed */
} DpAccountant;

extern const char *dp_accountant_name(DpAccountant accountant);
/* ERROR for a name that is none. */
extern DpAccountant dp_accountant_from_name(const char *name);
/* The part of a relation's delta (1e-18) that turns rho into epsilon. */
extern int64 dp_zcdp_conversion_delta(int64 delta_atto);
/* The largest sums that a relation with these amounts may reach. */
extern DpBudget dp_budget_allowed(DpAccountant accountant, DpBudget amounts);

/* ---- the fence ---- */

/* Where a ledger is kept. */
typedef struct DpFence
{
	char *system_identifier; /* of the cluster */
	int32 timeline;
	char *database;
} DpFence;

/* That of this session. */
extern DpFence dp_fence_here(void);

/* ---- datasets ---- */

#define DP_TREE_DEPTH_MAX 8 /* tables on the way from one to its root */

/* What one release may cost, and must; 0: nothing is stated. */
typedef struct DpReleasePolicy
{
	int64 max_epsilon_nano;
	int64 min_epsilon_nano;
	int64 no_false_positives_nano; /* of a sparse histogram, at least */
} DpReleasePolicy;

/* What the ledger says of a budget. */
typedef struct DpLedgerState
{
	DpBudget spent;     /* 0 where a refresh is due */
	bool refresh_due;   /* the next release writes it */
	bool epsilon_known; /* spent.epsilon_nano is complete; always so under DP_BASIC */
	bool fence_holds;   /* it was kept in this cluster and database */
} DpLedgerState;

typedef struct DpDataset
{
	int32 id; /* 0: not protected */
	Oid relation;
	bool active;
	DpUnit unit;
	char *unit_column; /* NULL: a unit is any unit.rows_max rows */
	int32 sensitivity; /* rows of a view that one unit more or less can change; 0: not stated */
	List *public_relations; /* that a view joins: OIDs */
	DpReleasePolicy policy;
	/* the budget that pays: the relation's own, or that of another relation */
	int32 budget;
	Oid budget_relation;
	DpAccountant accountant;
	DpBudget amounts; /* as the custodian stated them; no rho */
	DpLedgerState ledger;
	/* a foreign key in unit_column leads to a row of this relation, and unit.rows_max is the
	 * product of the bounds on the way to the root (parent.h); InvalidOid: none does */
	Oid parent;
	uint32 rows_per_parent; /* of the relation, that belong to one row of parent */
	char *order_column;     /* by which these follow each other; NULL: none was named */
} DpDataset;

/*
 * Reads a relation that is or was protected; false if it never was. for_update locks the relation's
 * row and its budget's until the transaction ends, and writes a refresh that is due.
 */
extern bool dp_dataset_find(Oid relation, bool for_update, DpDataset *dataset);
/* The same; ERROR unless the relation is protected now. */
extern void dp_dataset_get(Oid relation, bool for_update, DpDataset *dataset);
/*
 * The unit that noise is calibrated to. Where the custodian states how many rows of a view one unit
 * that is added or removed can change, so many may go and so many come; twice as many where one is
 * replaced.
 */
extern DpUnit dp_dataset_noise_unit(const DpDataset *dataset);
/* Whether its rows tell whose they are, and releases bound the rows of a unit. */
extern bool dp_dataset_has_units(const DpDataset *dataset);
/*
 * ERROR, before anything is spent, where the relation is a view whose rows depend on more than one
 * unit, and no sensitivity was stated; or where a relation that was called public is protected.
 */
extern void dp_dataset_check_view(const DpDataset *dataset);
/* Whether anything was ever debited for this relation, or stated as spent. */
extern bool dp_dataset_has_spent(int32 dataset);
/* Whether other relations spend its budget. */
extern bool dp_dataset_is_shared(int32 dataset);
/* ERROR unless the relation has such a column, and its values can be distinguished by sorting. */
extern void dp_check_unit_column(Oid relation, const char *column);

#endif
