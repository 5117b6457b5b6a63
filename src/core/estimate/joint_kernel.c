/*
 * joint_kernel.c -- loops over contiguous cells, which the compiler turns into vectors. A sum
 * of contiguous cells is made of four partial sums. So the order of additions is written down
 * here, and the compiler has no choice.
 */
#include "core/estimate/joint.h"

double
dp_sum(const double *value, uint64_t n)
{
	double part[4] = {0, 0, 0, 0};
	uint64_t i = 0;

	for (; i + 4 <= n; i += 4)
	{
		part[0] += value[i];
		part[1] += value[i + 1];
		part[2] += value[i + 2];
		part[3] += value[i + 3];
	}
	for (; i < n; i++)
		part[0] += value[i];
	return (part[0] + part[2]) + (part[1] + part[3]);
}

void
dp_runs_assign(double *large, const double *small, const DpRun *run, uint32_t runs)
{
	if (runs > 1)
	{
		for (uint64_t i = 0; i < run->length; i++)
			dp_runs_assign(large + i * run->step, small + i * run->step_small, run + 1, runs - 1);
	}
	else if (run->step_small != 0)
	{
		for (uint64_t i = 0; i < run->length; i++)
			large[i] = small[i];
	}
	else
	{
		for (uint64_t i = 0; i < run->length; i++)
			large[i] = small[0];
	}
}

void
dp_runs_multiply(double *restrict large, const double *restrict small, const DpRun *run,
				 uint32_t runs)
{
	if (runs > 1)
	{
		for (uint64_t i = 0; i < run->length; i++)
			dp_runs_multiply(large + i * run->step, small + i * run->step_small, run + 1, runs - 1);
	}
	else if (run->step_small != 0)
	{
		for (uint64_t i = 0; i < run->length; i++)
			large[i] *= small[i];
	}
	else
	{
		double factor = small[0];

		for (uint64_t i = 0; i < run->length; i++)
			large[i] *= factor;
	}
}

void
dp_runs_sum(const double *restrict large, double *restrict small, const DpRun *run, uint32_t runs)
{
	if (runs > 1)
	{
		for (uint64_t i = 0; i < run->length; i++)
			dp_runs_sum(large + i * run->step, small + i * run->step_small, run + 1, runs - 1);
	}
	else if (run->step_small != 0)
	{
		for (uint64_t i = 0; i < run->length; i++)
			small[i] += large[i];
	}
	else
		small[0] += dp_sum(large, run->length);
}
