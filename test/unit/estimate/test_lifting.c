/*
 * test_lifting.c -- tables of j attributes from those of j - 1, beside the equations written out.
 *
 * Covers lifting_joint.c.
 */
#include "core/estimate/joint.h"
#include "core/estimate/lifting.h"

#include "unit_joint.h"
#include "unit_solve.h"

/* (A'A + lambda I) z = A'b of a matrix that is written out. z in place of b's first n. */
static void
ridge_by_hand(const double *a, const double *b, int rows, int n, double lambda, double *z)
{
	double g[64 * 64] = {0};

	for (int i = 0; i < n; i++)
	{
		z[i] = 0;
		for (int r = 0; r < rows; r++)
			z[i] += a[r * n + i] * b[r];
		for (int k = 0; k < n; k++)
			for (int r = 0; r < rows; r++)
				g[i * n + k] += a[r * n + i] * a[r * n + k];
		g[i * n + i] += lambda;
	}
	unit_solve(g, z, n);
}

static DpLifting
lifting_of(DpArena *arena, const uint32_t *levels, uint32_t n, const double *joint, uint32_t size,
		   double lambda, bool centred)
{
	DpLifting lifting = {.levels = levels,
						 .attributes = n,
						 .lambda = lambda,
						 .centred = centred,
						 .arena = arena,
						 .table = dp_alloc(arena, UINT32_C(1) << n, sizeof(double *))};

	for (uint32_t mask = 1; mask >> n == 0; mask++)
	{
		if ((uint32_t) __builtin_popcount(mask) <= size)
			lifting.table[mask] = table_of(arena, levels, n, joint, mask, 1, 1).value;
	}
	return lifting;
}

/* V1, V2, V3 of 2, 2 and 3 levels: the equations of the paper's section 2.3, for V3 = 1 and 2. */
static void
test_three(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {2, 2, 3};
	double *joint = random_joint(arena, prng, 12), lambda = 0.01, worst = 0, y[2][4];
	DpLifting lifting = lifting_of(arena, levels, 3, joint, 2, lambda, false);
	const double *p12 = lifting.table[3], *p23 = lifting.table[6], *p13 = lifting.table[5];
	const double *p1 = lifting.table[1], *p2 = lifting.table[2];
	/* unknown z(v1 v2) = P(V3 | v1 v2): rows P(V3 | v1) for both v1, then P(V3 | v2) for both v2 */
	double a[16] = {p12[0] / p1[0],
					p12[1] / p1[0],
					0,
					0,
					0,
					0,
					p12[2] / p1[1],
					p12[3] / p1[1],
					p12[0] / p2[0],
					0,
					p12[2] / p2[0],
					0,
					0,
					p12[1] / p2[1],
					0,
					p12[3] / p2[1]};

	for (int t = 0; t < 2; t++)
	{
		double b[4] = {p13[t] / p1[0], p13[3 + t] / p1[1], p23[t] / p2[0], p23[3 + t] / p2[1]};

		ridge_by_hand(a, b, 4, 4, lambda, y[t]);
	}
	MUST(dp_lifting_one(&lifting, 7, 2));
	for (int c = 0; c < 4; c++)
	{
		double want[3] = {y[0][c] * p12[c], y[1][c] * p12[c], (1 - y[0][c] - y[1][c]) * p12[c]};

		worst = fmax(worst, largest_difference(want, lifting.table[7] + 3 * c, 3));
	}
	CHECK_NEAR(worst, 0, 1e-12, "three attributes: the equations written out");
}

/* Four binary attributes, target the second: twelve equations in eight unknowns. */
static void
test_four(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {2, 2, 2, 2};
	double *joint = random_joint(arena, prng, 16), lambda = 0.02, z[8], worst = 0;
	DpLifting lifting = lifting_of(arena, levels, 4, joint, 3, lambda, false);
	const double *p134 = lifting.table[13]; /* V1 V3 V4 */
	double a[12 * 8] = {0}, b[12];
	int row = 0;

	/* sum over v1: P(V2 | v3 v4); over v3: P(V2 | v1 v4); over v4: P(V2 | v1 v3) */
	for (int v3 = 0; v3 < 2; v3++)
		for (int v4 = 0; v4 < 2; v4++, row++)
		{
			const double *p34 = lifting.table[12], *p234 = lifting.table[14];

			for (int v1 = 0; v1 < 2; v1++)
				a[row * 8 + v1 * 4 + v3 * 2 + v4] = p134[v1 * 4 + v3 * 2 + v4] / p34[v3 * 2 + v4];
			b[row] = p234[v3 * 2 + v4] / p34[v3 * 2 + v4];
		}
	for (int v1 = 0; v1 < 2; v1++)
		for (int v4 = 0; v4 < 2; v4++, row++)
		{
			const double *p14 = lifting.table[9], *p124 = lifting.table[11];

			for (int v3 = 0; v3 < 2; v3++)
				a[row * 8 + v1 * 4 + v3 * 2 + v4] = p134[v1 * 4 + v3 * 2 + v4] / p14[v1 * 2 + v4];
			b[row] = p124[v1 * 4 + v4] / p14[v1 * 2 + v4];
		}
	for (int v1 = 0; v1 < 2; v1++)
		for (int v3 = 0; v3 < 2; v3++, row++)
		{
			const double *p13 = lifting.table[5], *p123 = lifting.table[7];

			for (int v4 = 0; v4 < 2; v4++)
				a[row * 8 + v1 * 4 + v3 * 2 + v4] = p134[v1 * 4 + v3 * 2 + v4] / p13[v1 * 2 + v3];
			b[row] = p123[v1 * 4 + v3] / p13[v1 * 2 + v3];
		}
	ridge_by_hand(a, b, 12, 8, lambda, z);
	MUST(dp_lifting_one(&lifting, 15, 1));
	for (int c = 0; c < 8; c++)
	{
		int v1 = c / 4, v34 = c % 4;

		worst = fmax(worst, fabs(lifting.table[15][v1 * 8 + v34] - z[c] * p134[c]));
		worst = fmax(worst, fabs(lifting.table[15][v1 * 8 + 4 + v34] - (1 - z[c]) * p134[c]));
	}
	CHECK_NEAR(worst, 0, 1e-12, "four attributes: the equations written out");
}

/* Centred: min |A y - b|^2 + lambda sum (y - y0)^2 / P(rest), as its own normal equations in y. */
static void
test_centred(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {2, 2, 3};
	double *joint = random_joint(arena, prng, 12), lambda = 0.01, worst = 0;
	DpLifting lifting = lifting_of(arena, levels, 3, joint, 2, lambda, true);
	const double *p12 = lifting.table[3], *p23 = lifting.table[6], *p13 = lifting.table[5];

	MUST(dp_lifting_one(&lifting, 7, 2));
	for (int t = 0; t < 3; t++)
	{
		/* rows: sum over v2 for each v1, sum over v1 for each v2 */
		double a[16] = {1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1};
		double b[4] = {p13[t], p13[3 + t], p23[t], p23[3 + t]};
		double g[16] = {0}, y[4] = {0};

		for (int i = 0; i < 4; i++)
		{
			for (int r = 0; r < 4; r++)
			{
				y[i] += a[r * 4 + i] * b[r];
				for (int k = 0; k < 4; k++)
					g[i * 4 + k] += a[r * 4 + i] * a[r * 4 + k];
			}
			g[i * 4 + i] += lambda / p12[i];
			y[i] += lambda * lifting.table[4][t];
		}
		unit_solve(g, y, 4);
		for (int c = 0; c < 4; c++)
			worst = fmax(worst, fabs(lifting.table[7][3 * c + t] - y[c]));
	}
	CHECK_NEAR(worst, 0, 1e-9, "centred: its normal equations written out");
}

/* Independent binary attributes, margins .9/.1 and P(V3 = 0) = .4: the ridge's bias, on its own. */
static void
test_counterexample(DpArena *arena)
{
	uint32_t levels[] = {2, 2, 2};
	const double one[] = {0.9, 0.1}, target[] = {0.4, 0.6};
	double joint[8], want = 0.4 * (1 - 0.8 * 0.8 / 0.82 / 0.82 * 0.81);
	DpLifting lifting;

	for (int i = 0; i < 8; i++)
		joint[i] = one[i / 4] * one[i / 2 % 2] * target[i % 2];
	lifting = lifting_of(arena, levels, 3, joint, 2, 1e-10, false);
	MUST(dp_lifting_one(&lifting, 7, 2));
	CHECK_NEAR(lifting.table[7][6] / (lifting.table[7][6] + lifting.table[7][7]), want, 1e-6,
			   "ridge: P(V3 = 0 | both 1) is .0916 where the truth is .4");
	CHECK_NEAR(want, 0.0916, 5e-5, "as the paper's page of errata has it");
	lifting = lifting_of(arena, levels, 3, joint, 2, 1e-6, true);
	MUST(dp_lifting_one(&lifting, 7, 2));
	CHECK_NEAR(largest_difference(lifting.table[7], joint, 8), 0, 1e-9, "centred has no such bias");
}

/* The same system by Cholesky and, where it is large, by conjugate gradients. */
static void
test_large_step(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {9, 10, 9, 2};
	double *joint = random_joint(arena, prng, 1620), worst[2] = {0, 0};

	for (int centred = 0; centred < 2; centred++)
	{
		DpLifting lifting = lifting_of(arena, levels, 4, joint, 3, 1e-8, centred);
		double *margin = dp_alloc(arena, 1620, sizeof(*margin));

		MUST(dp_lifting_one(&lifting, 15, 3)); /* 810 unknowns a level */
		for (uint32_t k = 0; k < 3; k++)
		{
			uint32_t mask = 15 & ~(UINT32_C(1) << k);

			plain_margin(levels, 4, lifting.table[15], mask, margin);
			worst[centred] =
				fmax(worst[centred], largest_difference(margin, lifting.table[mask],
														dp_joint_set_cells(levels, mask)));
		}
	}
	CHECK_NEAR(worst[0], 0, 1e-5, "ridge, large: the equations hold");
	CHECK_NEAR(worst[1], 0, 1e-5, "centred, large: the equations hold");
}

static void
test_climb(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {2, 3, 2, 2};
	double *joint = random_joint(arena, prng, 24), out[24], margin[24];
	DpNoisyTable chain[] = {table_of(arena, levels, 4, joint, 3, 100, 1),
							table_of(arena, levels, 4, joint, 4, 100, 1)};
	DpNoisyTable whole = table_of(arena, levels, 4, joint, 15, 100, 1);
	double sum = 0;

	MUST(dp_lifting_joint(
		&(DpNoisyTables){.attributes = 4, .levels = levels, .tables = 2, .table = chain},
		(DpLiftingRule){.lambda = 1e-6, .centred = true}, out, NULL, arena));
	for (int i = 0; i < 24; i++)
		sum += out[i];
	CHECK_NEAR(sum, 1, 1e-12, "attributes that never meet: a distribution");
	plain_margin(levels, 4, out, 3, margin);
	for (int i = 0; i < 6; i++)
		margin[i] *= 100;
	CHECK_NEAR(largest_difference(margin, chain[0].value, 6), 0, 0.01,
			   "with the table that is known");
	MUST(dp_lifting_joint(
		&(DpNoisyTables){.attributes = 4, .levels = levels, .tables = 1, .table = &whole},
		(DpLiftingRule){.lambda = 1e-3, .centred = false}, out, NULL, arena));
	CHECK_NEAR(largest_difference(out, joint, 24), 0, 1e-12, "the whole table is its own answer");
	CHECK_I64(dp_lifting_cells(levels, 4), 3 * 4 * 3 * 3 - 1, "cells of all tables on the way");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){6, 0, 0});
	test_three(&arena, &prng);
	test_four(&arena, &prng);
	test_centred(&arena, &prng);
	test_counterexample(&arena);
	test_large_step(&arena, &prng);
	test_climb(&arena, &prng);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
