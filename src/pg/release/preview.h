/*
 * preview.h -- what a release will fill, cost and leave, by public facts, before it spends.
 */
#ifndef DPSYN_PREVIEW_H
#define DPSYN_PREVIEW_H

#include "pg/release/prepared.h"
#include "pg/release/request.h"

/* Says so in one NOTICE, of a release that comes next or that dp_explain is asked about. */
extern void dp_preview(const DpReleaseRequest *request, const DpPrepared *prepared);
/*
 * ERROR, with the calls that declare the other columns, where fewer than half of them would be
 * filled, and this was not asked for by the option "partial".
 */
extern void dp_check_columns(const DpPrepared *prepared);
/*
 * ERROR if most of the information in the rows of a table would be noise because it has many
 * columns without a declaration. Not if the option "partial" allows it or columns are named. Uses
 * the publicly known number of rows, or else that of an ordinary table. The hint says how to get
 * less noise.
 */
extern void dp_check_noise(const DpReleaseRequest *request, const DpPrepared *prepared);

/* What a release costs, in words. All of it follows from what is public: request and ledger. */

/* "epsilon 1 and delta 0, and leaves epsilon ... of the budget of role ..." */
extern char *dp_cost_words(const DpPrepared *prepared);
/*
 * What a delta would save, where the budget has one, the request names none, and the method's noise
 * is Gaussian with it: m tables that are paid for by epsilon have noise of m sqrt(2)/epsilon, and
 * by rho of sqrt(m/(2 rho)). NULL: too little to be worth a word.
 */
extern const char *dp_delta_hint(const DpReleaseRequest *request, const DpPrepared *const *table,
								 int tables);

#endif
