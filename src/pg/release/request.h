/*
 * request.h -- one release, from words to a plan.
 */
#ifndef DPSYN_REQUEST_H
#define DPSYN_REQUEST_H

#include "pg/release/prepared.h"

/* The relations whose rows are released: one, or those of a tree. */
extern List *dp_released_relations(const DpReleaseRequest *request);
/* Those that the call releases, of this tree and of others. */
extern List *dp_relations_together(const DpReleaseRequest *request);
/* The method of this name. ERROR, with the nearest name: there is none. */
extern const DpMethod *dp_method_called(const char *name);
/* The seconds that the option effort states, such as "10s"; 0: it states none. */
extern double dp_effort_seconds(const char *options);
/*
 * The options of a request. Options of the method that are not given come from the caller's
 * settings, since the release worker has settings of its own. An effort in seconds is replaced by
 * the memory of the model that it allows.
 */
extern char *dp_options_with_settings(const DpReleaseRequest *request);
/* Asks a query that names columns as the SELECT of the same meaning would. False: there is none, and
 * the request is as it was. */
extern bool dp_request_as_question(DpReleaseRequest *request, const DpPrepared *prepared);
/*
 * Checks everything that can be checked without the data: rights, domain, options, plan. This
 * takes the longer the larger the domain is, so nothing may be locked then that others wait for.
 */
extern DpPrepared *dp_prepare_request(const DpReleaseRequest *request);
/* The digest of all public tables that a release stands on. */
extern uint64 dp_prepared_public(const DpPrepared *prepared);
/* The same without the plan. method NULL: for any method that a budget pays for. */
extern DpPrepared *dp_prepare_facts(const DpReleaseRequest *request, const DpMethod *method);
/* Plans a table of a tree again, once it is known how its rows count. It costs the same. */
extern void dp_prepare_part_again(DpPrepared *part, const DpTreeTable *table);
/*
 * Locks the rows of the ledger that pay, until the transaction ends, and checks that what was
 * prepared still holds.
 */
extern void dp_prepared_lock(const DpReleaseRequest *request, DpPrepared *prepared);

/* ---- request_forest.c ---- */

/* The same of all trees of a call, in the order of the rows' primary keys. */
extern void dp_forest_lock(const DpReleaseForest *forest, DpPrepared *const *prepared);
/* Sets the spent budget of each tree's dataset to its value after the trees before it are paid,
 * which can draw on the same budget. */
extern void dp_forest_add_costs(DpPrepared *const *prepared, int trees);
/* Does so, once. ERROR unless the budgets cover all trees. */
extern void dp_forest_check_budgets(DpPrepared *const *prepared, int trees);

#endif
