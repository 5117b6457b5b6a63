/*
 * row_rules.h -- what the table of the row type asks of a row: its CHECKs, and the values of its
 * generated columns.
 *
 * Post-processing: runs in the caller's backend, on what was released. The rules are those that the
 * table has when rows are drawn. No code of users runs (pg/domain/checks.h).
 */
#ifndef DPSYN_ROW_RULES_H
#define DPSYN_ROW_RULES_H

#include "pg/server/compat.h"

#include "pg/rows/decode.h"
#include "pg/rows/fill_rows.h"

typedef struct DpRowRules DpRowRules;

/* NULL: the row type has none. filler: of the same row type; NULL: nothing is
 * filled. */
extern DpRowRules *dp_row_rules_create(const DpDomain *domain, const DpDecoder *decoder,
									   const DpFiller *filler, TupleDesc row);
/*
 * Completes a row that was decoded from codes and filled: computes generated columns, and where the values
 * break a rule draws those inside bins anew, together, so that they are uniform over the part of
 * the bins that keeps it. false: the codes must be drawn again.
 */
extern bool dp_row_rules_keep(DpRowRules *rules, const uint32 *codes, DpPrng *prng, Datum *values,
							  bool *nulls);
/* The name of the rule that was broken when dp_row_rules_keep was false. */
extern const char *dp_row_rules_broken(const DpRowRules *rules);

#endif
