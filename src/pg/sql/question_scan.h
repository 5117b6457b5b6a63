/*
 * question_scan.h -- the scan that asks a question when its plan runs, and hands out the answer.
 */
#ifndef DPSYN_QUESTION_SCAN_H
#define DPSYN_QUESTION_SCAN_H

/* The planner's hook on paths; called once, when the library is loaded. */
extern void dp_question_scan_init(void);

#endif
