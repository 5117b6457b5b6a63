/*
 * answer_entry.h -- an entry of a range table that stands for the noisy answer of a question.
 */
#ifndef DPSYN_ANSWER_ENTRY_H
#define DPSYN_ANSWER_ENTRY_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/sql/carried.h"

/* An entry for a question; its columns have names for EXPLAIN, which need not differ. */
extern RangeTblEntry *dp_answer_entry(const DpCarried *carried);

#endif
