/*
 * unit_solve.h -- dense linear equations.
 */
#ifndef UNIT_SOLVE_H
#define UNIT_SOLVE_H

#include <math.h>

/* Solves g z = h by elimination with pivots: n small. */
static inline void
unit_solve(double *g, double *h, int n)
{
	for (int c = 0; c < n; c++)
	{
		int best = c;

		for (int r = c + 1; r < n; r++)
			best = fabs(g[r * n + c]) > fabs(g[best * n + c]) ? r : best;
		for (int k = 0; k < n; k++)
		{
			double kept = g[c * n + k];

			g[c * n + k] = g[best * n + k];
			g[best * n + k] = kept;
		}
		{
			double kept = h[c];

			h[c] = h[best];
			h[best] = kept;
		}
		for (int r = 0; r < n; r++)
		{
			double factor = r == c ? 0 : g[r * n + c] / g[c * n + c];

			for (int k = 0; k < n; k++)
				g[r * n + k] -= factor * g[c * n + k];
			h[r] -= factor * h[c];
		}
	}
	for (int c = 0; c < n; c++)
		h[c] /= g[c * n + c];
}

#endif
