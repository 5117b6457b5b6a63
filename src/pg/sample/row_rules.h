/*
 * row_rules.h -- what the table of the row type asks of a row: its CHECKs, the values of its
 * generated columns, and those of columns that a release computes from others.
 *
 * Post-processing: runs in the caller's backend, on what was released. The rules are those that the
 * table has when rows are drawn. No code of users runs (pg/domain/checks.h).
 */
#ifndef DPSYN_ROW_RULES_H
#define DPSYN_ROW_RULES_H

#include "pg/server/compat.h"

#include "pg/domain/checks.h"
#include "pg/sample/decode.h"
#include "pg/sample/placeholder_rows.h"

typedef struct DpRowRules DpRowRules;

/* NULL: the row type has none. derived: what the release keeps of columns that are made from others
 * (pg/domain/derived.h); NULL: nothing. */
extern DpRowRules *dp_row_rules_create(const DpDomain *domain, const DpDecoder *decoder,
									   const DpPlaceholders *placeholders, Jsonb *derived,
									   TupleDesc row);
/* Whether they compute the column of this number. */
extern bool dp_row_rules_compute(const DpRowRules *rules, int number);
/* Starts a block of rows. What the first block finds of rules that filled columns break holds for
 * all others, so that a block's rows do not depend on which others were drawn before it. */
extern void dp_row_rules_begin(DpRowRules *rules, uint64 block);
/* Starts a row, before it is kept for the first time. */
extern void dp_row_rules_next(DpRowRules *rules);
/* Whether the first block tells anything, and so has to be drawn before others. */
extern bool dp_row_rules_learn(const DpRowRules *rules);
/* Draws the first block in advance to learn from it, by `call`. If a row of it fails, nothing is
 * learnt, and there is no error: the caller may not want that row. */
extern void dp_row_rules_learn_by(DpRowRules *rules, void (*call)(void *), void *argument);
/* Marks the beginning of the first requested block; and returns to that state. */
extern void dp_row_rules_start(DpRowRules *rules);
extern void dp_row_rules_start_again(DpRowRules *rules);
/*
 * Completes a row that was decoded from codes and filled: computes generated columns, and where the
 * values break a rule draws those inside bins anew, together, so that they are uniform over the
 * part of the bins that keeps it. false: the codes must be drawn again. Values that it draws live
 * as long as the current memory context.
 */
extern bool dp_row_rules_keep(DpRowRules *rules, const uint32 *codes, DpPrng *prng, Datum *values,
							  bool *nulls);
/* Computes the generated columns of a row anew, some of whose other columns have changed. */
extern void dp_row_rules_compute_again(DpRowRules *rules, Datum *values, bool *nulls);

/*
 * Rules whose expressions fail in some rows: dp_row_rules_keep finds that out in a subtransaction
 * for each of them. Who draws many rows calls dp_row_rules_mark before each, and all that through
 * dp_row_rules_together. That takes one subtransaction in all; false: in the row that was marked
 * last an expression failed, and the rules are again as they were at the mark. The rows before it
 * stand, and it is drawn anew by itself. Only where dp_row_rules_can_fail.
 */
extern bool dp_row_rules_can_fail(const DpRowRules *rules);
extern void dp_row_rules_mark(DpRowRules *rules);
extern bool dp_row_rules_together(DpRowRules *rules, void (*call)(void *), void *argument);
/* The same for rows that nobody has asked for yet: false also where anything else of the marked one
 * failed that would fail again. */
extern bool dp_row_rules_ahead(DpRowRules *rules, void (*call)(void *), void *argument);
/* The same around calls of either for several blocks, where those can begin no subtransaction.
 * false: the rules are as they were when the last block began. */
extern bool dp_row_rules_blocks_together(DpRowRules *rules, void (*call)(void *), void *argument);

/* How often a row is drawn again whose values cannot be chosen so that it keeps the rules. */
#define DP_ROW_TRIES_MAX 1000
/* The same once all rows together have taken as many tries as they may, or none was found for another
 * row of the block. */
#define DP_ROW_TRIES_FEW 10

/* And how many draws of rows and values that may take, of the release and of a model that says nothing.
 * A release that needs more than 5000 on average is refused. */
#define DP_TRIES_OF_RELEASE 20000
#define DP_TRIES_EVEN 100000
/* How many draws because of rules that are not soft are left to all rows together. */
extern uint64 dp_row_rules_tries_left(const DpRowRules *rules);

/* What was broken when dp_row_rules_keep was false: a CHECK, or a generated column that had no
 * value. */
extern const DpCheck *dp_row_rules_broken(const DpRowRules *rules);
/* How often to draw again because of it. */
extern int dp_row_rules_retry_budget(const DpRowRules *rules);
/* lenient: from now on rules of filled columns may be broken; false: what was broken is none of
 * these. */
extern bool dp_row_rules_forgive(DpRowRules *rules, bool lenient);

/* Whether the release had a row that keeps the rules in place of one that breaks them. Where it had
 * none for some rows of a block, others are looked for less long. */
extern void dp_row_rules_found(DpRowRules *rules, bool found);
/* Rows of a model that says nothing are tried from now on, or those of the release again. */
extern void dp_row_rules_even(DpRowRules *rules, bool even);
/* Says, once for all rows, that some which keep the rule that was broken last are not those of the
 * release; or that they break it, and then the other rows of the block are looked for less long. Says
 * nothing after dp_row_rules_quiet. */
extern void dp_row_rules_warn(DpRowRules *rules, bool kept);
extern void dp_row_rules_quiet(DpRowRules *rules);

/* ---- trials ---- */

/* From now on only rules count that are not soft, and all rows together take this many tries. */
extern void dp_row_rules_try(DpRowRules *rules, uint64 most);
/* How often rows and values were drawn again so far because of rules that are not soft, and the rule
 * that took most of it; NULL: none. */
extern const DpCheck *dp_row_rules_tried(const DpRowRules *rules, uint64 *tries);

#endif
