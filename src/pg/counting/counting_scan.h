/*
 * counting_scan.h -- dp_marginals over the rows of a plan, in a node of its own.
 */
#ifndef DPSYN_COUNTING_SCAN_H
#define DPSYN_COUNTING_SCAN_H

/* Lets plans of this session contain counting scans from now on. */
extern void dp_counting_scan_init(void);

#endif
