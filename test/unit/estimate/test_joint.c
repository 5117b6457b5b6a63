/*
 * test_joint.c -- margins of a product of factors, interaction components, the
 * entropic fit and the step-up equations, beside what is written out by hand.
 */
#include "core/estimate/anova.h"
#include "core/estimate/entropic.h"
#include "core/sample/fit.h"
#include "core/sample/fit_entropic.h"
#include "core/estimate/joint.h"
#include "core/estimate/lifting.h"

#include "unit_data.h"

/* ---- plain arrays ---- */

/* The margin of a dense array over a set, cell by cell. */
static void
plain_margin(const uint32_t *levels, uint32_t n, const double *dense, uint32_t mask, double *out)
{
	uint32_t all = (UINT32_C(1) << n) - 1;
	uint64_t cells = dp_joint_set_cells(levels, all);

	for (uint64_t i = 0; i < dp_joint_set_cells(levels, mask); i++)
		out[i] = 0;
	for (uint64_t i = 0; i < cells; i++)
	{
		uint64_t left = i, place = 0, step = 1;

		for (uint32_t a = n; a-- > 0; left /= levels[a])
		{
			if ((mask >> a & 1) == 0)
				continue;
			place += left % levels[a] * step;
			step *= levels[a];
		}
		out[place] += dense[i];
	}
}

static double
largest_difference(const double *a, const double *b, uint64_t n)
{
	double largest = 0;

	for (uint64_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(a[i] - b[i]));
	return largest;
}

static double *
random_array(DpArena *arena, DpPrng *prng, uint64_t n, double low, double high)
{
	double *out = dp_alloc(arena, n, sizeof(*out));

	for (uint64_t i = 0; i < n; i++)
		out[i] = low + (high - low) * dp_prng_unit(prng);
	return out;
}

static double *
random_joint(DpArena *arena, DpPrng *prng, uint64_t n)
{
	double *out = random_array(arena, prng, n, 0.02, 1);
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += out[i];
	for (uint64_t i = 0; i < n; i++)
		out[i] /= sum;
	return out;
}

/* ---- joint ---- */

/* x by its definition, and each margin of it. */
static void
check_joint(DpArena *arena, DpPrng *prng, const uint32_t *levels, uint32_t n, const uint32_t *mask,
			uint32_t sets, const char *name)
{
	DpJoint joint;
	double **theta = dp_alloc(arena, sets, sizeof(*theta));
	double *x, *filled, *margin, total = 0, worst = 0;

	MUST(dp_joint_init(&joint, levels, n, mask, sets, arena));
	MUST(dp_joint_ready(&joint));
	x = dp_alloc(arena, joint.cells, sizeof(*x));
	filled = dp_alloc(arena, joint.cells, sizeof(*filled));
	margin = dp_alloc(arena, joint.cells, sizeof(*margin));
	for (uint32_t s = 0; s < sets; s++)
		theta[s] = random_array(arena, prng, joint.set_cells[s], -3, 3);
	for (uint64_t i = 0; i < joint.cells; i++)
	{
		for (uint32_t s = 0; s < sets; s++)
		{
			uint64_t left = i, place = 0, step = 1;

			for (uint32_t a = n; a-- > 0; left /= levels[a])
			{
				if ((mask[s] >> a & 1) == 0)
					continue;
				place += left % levels[a] * step;
				step *= levels[a];
			}
			x[i] += theta[s][place];
		}
		x[i] = exp(x[i]);
		total += x[i];
	}
	for (uint64_t i = 0; i < joint.cells; i++)
		x[i] /= total;
	MUST(dp_joint_evaluate(&joint, theta, NULL));
	for (uint32_t s = 0; s < sets; s++)
	{
		plain_margin(levels, n, x, mask[s], margin);
		worst = fmax(worst, largest_difference(margin, joint.margin[s], joint.set_cells[s]));
		dp_joint_project(levels, n, x, mask[s], filled);
		worst = fmax(worst, largest_difference(margin, filled, joint.set_cells[s]));
	}
	CHECK_NEAR(worst, 0, 1e-12, "%s: margins", name);
	dp_joint_fill(&joint, filled, NULL);
	CHECK_NEAR(largest_difference(x, filled, joint.cells), 0, 1e-12, "%s: cells", name);
	dp_joint_free(&joint);
}

static uint32_t
all_of_size(uint32_t n, uint32_t size, uint32_t *mask)
{
	uint32_t sets = 0;

	for (uint32_t m = 1; m >> n == 0; m++)
	{
		if ((uint32_t) __builtin_popcount(m) == size)
			mask[sets++] = m;
	}
	return sets;
}

static void
test_joint(DpArena *arena, DpPrng *prng)
{
	uint32_t few[] = {2, 3, 4}, many[] = {5, 3, 4, 2, 6, 7, 3}, two[16], one[] = {1};
	uint32_t mask[512], single[] = {1};
	DpJoint joint;

	for (uint32_t i = 0; i < 16; i++)
		two[i] = 2;
	check_joint(arena, prng, few, 3, (uint32_t[]){7}, 1, "the whole joint table");
	check_joint(arena, prng, few, 3, (uint32_t[]){7, 3, 1, 4, 6}, 5, "sets within sets");
	check_joint(arena, prng, many, 7, mask, all_of_size(7, 2, mask), "pairs of seven");
	check_joint(arena, prng, many, 7, mask, all_of_size(7, 3, mask), "triples of seven");
	check_joint(arena, prng, many, 7, (uint32_t[]){3, 24, 96, 4}, 4, "sets that do not meet");
	check_joint(arena, prng, many, 7, (uint32_t[]){127, 85, 3, 42, 1}, 5, "mixed sizes");
	check_joint(arena, prng, two, 16, mask, all_of_size(16, 2, mask), "120 pairs, several slabs");
	check_joint(arena, prng, one, 1, single, 1, "a single cell");
	check_joint(arena, prng, (uint32_t[]){40000, 2}, 2, (uint32_t[]){1, 2, 3}, 3, "a long axis");
	CHECK_STATUS(dp_joint_init(&joint, two, 16, (uint32_t[]){0}, 1, arena), DP_ERR_ARGUMENT,
				 "an empty set is refused");
	CHECK_STATUS(dp_joint_init(&joint, two, 2, (uint32_t[]){4}, 1, arena), DP_ERR_ARGUMENT,
				 "so is a set of what is not there");
	CHECK_STATUS(dp_joint_init(&joint, (uint32_t[]){100001, 1000}, 2, single, 1, arena),
				 DP_ERR_LIMIT, "and a joint table that is too large");
}

static void
test_underflow(DpArena *arena)
{
	uint32_t levels[] = {2, 2}, mask[] = {1, 2};
	double a[] = {0, -2000}, b[] = {-2000, 0}, nan[] = {NAN, 0};
	double *theta[] = {a, b};
	DpJoint joint;

	MUST(dp_joint_init(&joint, levels, 2, mask, 2, arena));
	MUST(dp_joint_ready(&joint));
	CHECK_OK(dp_joint_evaluate(&joint, theta, NULL), "some cells may vanish");
	CHECK_NEAR(joint.margin[1][1], 1, 0, "and the rest have all");
	theta[0] = nan;
	CHECK_STATUS(dp_joint_evaluate(&joint, theta, NULL), DP_ERR_RANGE, "what is no number is not");
	dp_joint_free(&joint);
}

/* ---- components ---- */

static void
test_contrasts(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {3, 2, 4};
	double *x = random_array(arena, prng, 24, -5, 5), *y = dp_memdup(arena, x, 24 * sizeof(*x));
	double before = 0, after = 0;

	dp_contrasts(y, false, levels, 7);
	for (int i = 0; i < 24; i++)
	{
		before += x[i] * x[i];
		after += y[i] * y[i];
	}
	CHECK_NEAR(after, before, 1e-10, "contrasts are orthonormal");
	dp_contrasts(y, true, levels, 7);
	CHECK_NEAR(largest_difference(x, y, 24), 0, 1e-12, "and can be taken back");
}

static DpNoisyTable
table_of(DpArena *arena, const uint32_t *levels, uint32_t n, const double *joint, uint32_t mask,
		 double rows, double variance)
{
	DpNoisyTable table = {
		.mask = mask, .cells = dp_joint_set_cells(levels, mask), .variance = variance};

	table.value = dp_alloc(arena, table.cells, sizeof(double));
	plain_margin(levels, n, joint, mask, table.value);
	for (uint64_t i = 0; i < table.cells; i++)
		table.value[i] *= rows;
	return table;
}

static void
test_clean(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {2, 3, 4};
	double *joint = random_joint(arena, prng, 24), want[24];
	DpNoisyTable table[3] = {table_of(arena, levels, 3, joint, 3, 1000, 1),
							 table_of(arena, levels, 3, joint, 6, 1000, 4),
							 table_of(arena, levels, 3, joint, 5, 1000, 9)};
	DpNoisyTable pooled[2] = {table[0], table[1]};
	double *clean[3], mean[3], noisy[3], total;

	MUST(dp_anova_clean(
		&(DpNoisyTables){.levels = levels, .tables = 3, .table = table, .rows = 1000}, false, clean,
		NULL, arena));
	plain_margin(levels, 3, joint, 6, want);
	CHECK_NEAR(largest_difference(clean[1], want, 12), 0, 1e-12, "consistent tables stay");
	/*
	 * Shift mass between levels 0 and 1 of the second attribute in the first table: 6 rows a cell.
	 */
	for (int a = 0; a < 2; a++)
	{
		table[0].value[a * 3] += 6;
		table[0].value[a * 3 + 1] -= 6;
	}
	MUST(dp_anova_clean(
		&(DpNoisyTables){.levels = levels, .tables = 2, .table = pooled, .rows = 1000}, false,
		clean, NULL, arena));
	plain_margin((uint32_t[]){2, 3}, 2, clean[0], 2, mean);
	plain_margin((uint32_t[]){3, 4}, 2, clean[1], 1, noisy);
	CHECK_NEAR(largest_difference(mean, noisy, 3), 0, 1e-12, "what tables share, they agree on");
	plain_margin(levels, 3, joint, 2, want);
	/* Variances of the margin: 2 x 1 and 4 x 4 rows^2, so the first has 8/9 of the say. */
	CHECK_NEAR(mean[0] - want[0], 12.0 / 1000 * 8 / 9, 1e-12, "by inverse variance");
	table[2].variance = 1e9;
	MUST(dp_anova_clean(
		&(DpNoisyTables){.levels = levels, .tables = 1, .table = &table[2], .rows = 1000}, true,
		clean, NULL, arena));
	total = clean[0][0];
	for (int i = 1; i < 8; i++)
		total = fabs(clean[0][i] - 1.0 / 8) > 1e-12 ? -1 : total;
	CHECK_NEAR(total, 1.0 / 8, 1e-12, "what is noise alone is shrunk to nothing");
}

/* ---- entropic ---- */

/* Iterative proportional fitting from the uniform distribution: the maximum-entropy joint. */
static double *
proportional_fit(DpArena *arena, const uint32_t *levels, uint32_t n, const double *joint,
				 const uint32_t *mask, uint32_t sets, int rounds)
{
	uint64_t cells = dp_joint_set_cells(levels, (UINT32_C(1) << n) - 1);
	double *x = dp_alloc(arena, cells, sizeof(*x));
	double *want = dp_alloc(arena, cells, sizeof(*x)), *have = dp_alloc(arena, cells, sizeof(*x));

	for (uint64_t i = 0; i < cells; i++)
		x[i] = 1.0 / (double) cells;
	for (int r = 0; r < rounds; r++)
		for (uint32_t s = 0; s < sets; s++)
		{
			plain_margin(levels, n, joint, mask[s], want);
			plain_margin(levels, n, x, mask[s], have);
			for (uint64_t i = 0; i < cells; i++)
			{
				uint64_t left = i, place = 0, step = 1;

				for (uint32_t a = n; a-- > 0; left /= levels[a])
				{
					if ((mask[s] >> a & 1) == 0)
						continue;
					place += left % levels[a] * step;
					step *= levels[a];
				}
				x[i] *= want[place] / have[place];
			}
		}
	return x;
}

static void
check_entropy(DpArena *arena, DpPrng *prng, const uint32_t *levels, uint32_t n,
			  const uint32_t *mask, uint32_t sets, const char *name)
{
	uint64_t cells = dp_joint_set_cells(levels, (UINT32_C(1) << n) - 1);
	double *joint = random_joint(arena, prng, cells);
	double *want = proportional_fit(arena, levels, n, joint, mask, sets, 3000);
	double *got = dp_alloc(arena, cells, sizeof(*got));
	DpNoisyTable table[16];
	DpDomain nothing_known = {.attributes = 0};
	DpFitProblem problem = {.attributes = n,
							.cells = cells,
							.tables = sets,
							.table = table,
							.rows = 5000,
							.domain = &nothing_known};
	DpJoint fitted;

	memcpy(problem.levels, levels, n * sizeof(*levels));
	for (uint32_t s = 0; s < sets; s++)
		table[s] = table_of(arena, levels, n, joint, mask[s], 5000, 1e-20);
	MUST(dp_fit_entropic(&problem, NULL, &fitted, NULL, arena));
	dp_joint_fill(&fitted, got, NULL);
	CHECK_NEAR(largest_difference(got, want, cells), 0, 1e-6, "%s: the maximum-entropy joint",
			   name);
	dp_joint_free(&fitted);
}

static void
test_entropy(DpArena *arena, DpPrng *prng)
{
	uint32_t levels[] = {2, 2, 3, 3}, mask[16];

	check_entropy(arena, prng, levels, 4, mask, all_of_size(4, 2, mask), "all pairs");
	check_entropy(arena, prng, levels, 4, mask, all_of_size(4, 3, mask), "all triples");
	check_entropy(arena, prng, levels, 4, (uint32_t[]){3, 6, 12}, 3, "a chain");
	check_entropy(arena, prng, levels, 4, (uint32_t[]){3, 12}, 2, "pairs that never meet");
	check_entropy(arena, prng, levels, 4, (uint32_t[]){7, 3, 12, 8}, 4, "mixed sizes");
}

/* ---- step up ---- */

/* Solves g z = h by elimination with pivots: n small. */
static void
eliminate(double *g, double *h, int n)
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
	eliminate(g, z, n);
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
		eliminate(g, y, 4);
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
	test_joint(&arena, &prng);
	test_underflow(&arena);
	test_contrasts(&arena, &prng);
	test_clean(&arena, &prng);
	test_entropy(&arena, &prng);
	test_three(&arena, &prng);
	test_four(&arena, &prng);
	test_centred(&arena, &prng);
	test_counterexample(&arena);
	test_large_step(&arena, &prng);
	test_climb(&arena, &prng);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
