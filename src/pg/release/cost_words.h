/*
 * cost_words.h -- what a release costs, in words. All of it follows from what is public: request
 * and ledger.
 */
#ifndef DPSYN_COST_WORDS_H
#define DPSYN_COST_WORDS_H

#include "pg/release/prepared.h"

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
