/*
 * joint_kernel.h -- the innermost loops of joint.c: a large array and a small one over some of
 * its axes.
 */
#ifndef DP_JOINT_KERNEL_H
#define DP_JOINT_KERNEL_H

#include <stdint.h>

#include "core/base/status.h"

/* Neighbouring axes of the large array, all kept or all dropped in the small one, taken as one
 * axis. */
typedef struct DpRun
{
	uint64_t length;
	uint64_t step;       /* in the large array */
	uint64_t step_small; /* in the small one; 0 = dropped */
} DpRun;

/* large[i] = small[...]; runs >= 1, the last with step 1. */
extern void dp_runs_assign(double *large, const double *small, const DpRun *run, uint32_t runs);
/* large[i] *= small[...] */
extern void dp_runs_multiply(double *large, const double *small, const DpRun *run, uint32_t runs);
/* small[...] += large[i] */
extern void dp_runs_sum(const double *large, double *small, const DpRun *run, uint32_t runs);
/* The sum in a fixed order, so that it is the same on every machine. */
extern double dp_sum(const double *value, uint64_t n);

#endif
