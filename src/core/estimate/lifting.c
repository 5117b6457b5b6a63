/*
 * lifting.c -- the step-up equations of CIPHER.
 *
 * dp_lifting_one
 *
 * Inputs:      a set s of j attributes, one of them the target T; tables of j - 1 attributes
 * Output:      a table over s
 * Equations:   let r = s without T. For each k in r, and each cell of the others o = r without k,
 *                  sum over x_k of P(x_k | o) P(T | o, x_k) = P(T | o),
 *              stacked over k. The unknown is P(T | r). It has a column for each level of T, all
 *              with the same matrix A, which has one row for each k and each cell of o.
 * ridge:       the paper's. min |A z - b|^2 + lambda |z|^2 for all levels of T but the last, which
 *              gets the rest; then the solution is multiplied by P(r). It is biased towards 0 even
 *              without noise (the table of three independent attributes does not come back), and
 *              it treats the last level unlike the others. It is here so that the paper can be
 *              followed.
 * centred:     in joint scale y = z P(r), min |A y - b|^2 + lambda sum (y - y0)^2 / P(r) about
 *              independence, y0 = P(r) P(T), for all levels alike. A solution is cut off at 0 and
 *              normalised, since the next step uses it as weights.
 * How:         A is never formed: it consists of sums along one axis. Both variants are least
 *              squares A W u in an unknown u, with weights W = P(x_k | o) or root P(r), and a
 *              penalty lambda |u|^2. If r has at most DENSE_CELLS cells, the normal equations are
 *              solved by Cholesky, else by conjugate gradients (CGLS) on the operator and its
 *              adjoint.
 * Source:      CIPHER (Eugenio, Liu), eqns (3) to (9), as corrected in docs/methods/cipher.md
 */
#include "core/estimate/lifting.h"

#include <math.h>
#include <string.h>

#include "core/estimate/joint.h"

#define DENSE_CELLS                                                                                \
	768 /* 4.7 MB; a conditional of noise can be so ill-posed that conjugate gradients stall */
#define DENOMINATOR_MIN 1e-12 /* of a conditional; where it is less, nothing is known */
#define WEIGHT_MIN 1e-9
#define CG_ITERATIONS_MAX 500
#define CG_RESIDUAL 1e-10 /* relative size of the gradient */

/* The sums along one attribute k of the rest. A cell is (outer x levels + x) x inner + i. */
typedef struct Axis
{
	uint64_t outer;
	uint64_t levels;
	uint64_t inner;
	uint64_t rows;  /* outer x inner */
	double *weight; /* [cells of the rest] */
	double *b;      /* [rows x levels of the target] */
} Axis;

typedef struct System
{
	DpLifting *lifting;
	uint32_t mask;
	uint32_t target;
	uint32_t rest;        /* mask without target */
	uint64_t cells;       /* of the rest */
	uint64_t targets;     /* levels of the target */
	const double *p_rest; /* [cells] */
	uint32_t axes;
	Axis axis[DP_LIFTING_ATTRIBUTES_MAX];
	double *u; /* [cells x targets] */
} System;

/* ---- layouts ---- */

static uint64_t
cells_below(const uint32_t *levels, uint32_t mask, uint32_t attribute)
{
	return dp_joint_set_cells(levels, mask & (UINT32_MAX << attribute << 1));
}

/* Copies a table over mask to `last`, in which the axis of the target is last; or back. */
static void
move_target(const DpLifting *lifting, uint32_t mask, uint32_t target, double *table, double *last,
			bool back)
{
	uint64_t k = lifting->levels[target];
	uint64_t inner = cells_below(lifting->levels, mask, target);
	uint64_t outer = dp_joint_set_cells(lifting->levels, mask) / (k * inner);

	for (uint64_t o = 0; o < outer; o++)
		for (uint64_t t = 0; t < k; t++)
			for (uint64_t i = 0; i < inner; i++)
			{
				double *here = &table[(o * k + t) * inner + i];
				double *there = &last[(o * inner + i) * k + t];

				if (back)
					*here = *there;
				else
					*there = *here;
			}
}

static void
shape_axis(const System *system, uint32_t attribute, Axis *axis)
{
	axis->levels = system->lifting->levels[attribute];
	axis->inner = cells_below(system->lifting->levels, system->rest, attribute);
	axis->rows = system->cells / axis->levels;
	axis->outer = axis->rows / axis->inner;
}

/* ---- the operator ---- */

/* rows[o] = sum over x of weight x z */
static void
apply(const Axis *axis, const double *z, double *rows)
{
	for (uint64_t o = 0; o < axis->outer; o++)
	{
		double *row = rows + o * axis->inner;

		memset(row, 0, axis->inner * sizeof(*row));
		for (uint64_t x = 0; x < axis->levels; x++)
		{
			uint64_t start = (o * axis->levels + x) * axis->inner;

			for (uint64_t i = 0; i < axis->inner; i++)
				row[i] += axis->weight[start + i] * z[start + i];
		}
	}
}

/* z += weight x rows[o], the adjoint */
static void
apply_back(const Axis *axis, const double *rows, double *z)
{
	for (uint64_t o = 0; o < axis->outer; o++)
	{
		const double *row = rows + o * axis->inner;

		for (uint64_t x = 0; x < axis->levels; x++)
		{
			uint64_t start = (o * axis->levels + x) * axis->inner;

			for (uint64_t i = 0; i < axis->inner; i++)
				z[start + i] += axis->weight[start + i] * row[i];
		}
	}
}

/* ---- small: Cholesky ---- */

/* Adds to g the part of A'A that one axis makes: products of cells that share o. */
static void
add_gram(const Axis *axis, uint64_t n, double *g)
{
	for (uint64_t o = 0; o < axis->outer; o++)
		for (uint64_t i = 0; i < axis->inner; i++)
			for (uint64_t x = 0; x < axis->levels; x++)
				for (uint64_t y = 0; y <= x; y++)
				{
					uint64_t a = (o * axis->levels + x) * axis->inner + i;
					uint64_t b = (o * axis->levels + y) * axis->inner + i;

					g[a * n + b] += axis->weight[a] * axis->weight[b];
				}
}

/* Factorises the lower triangle in place. g is positive definite, since lambda > 0 is on its
 * diagonal. */
static void
factorise(double *g, uint64_t n)
{
	for (uint64_t a = 0; a < n; a++)
		for (uint64_t b = 0; b <= a; b++)
		{
			double sum = g[a * n + b];

			for (uint64_t k = 0; k < b; k++)
				sum -= g[a * n + k] * g[b * n + k];
			g[a * n + b] = a == b ? sqrt(fmax(sum, 1e-300)) : sum / g[b * n + b];
		}
}

/* Replaces x by the solution of g g' y = x; element i is at x[i * step]. */
static void
substitute(const double *g, uint64_t n, double *x, uint64_t step)
{
	for (uint64_t a = 0; a < n; a++)
	{
		for (uint64_t k = 0; k < a; k++)
			x[a * step] -= g[a * n + k] * x[k * step];
		x[a * step] /= g[a * n + a];
	}
	for (uint64_t a = n; a-- > 0;)
	{
		for (uint64_t k = a + 1; k < n; k++)
			x[a * step] -= g[k * n + a] * x[k * step];
		x[a * step] /= g[a * n + a];
	}
}

/* u = A'b for all levels of the target */
static void
right_side(System *system)
{
	uint64_t k = system->targets;

	for (uint32_t n = 0; n < system->axes; n++)
	{
		const Axis *axis = &system->axis[n];

		for (uint64_t o = 0; o < axis->outer; o++)
			for (uint64_t x = 0; x < axis->levels; x++)
				for (uint64_t i = 0; i < axis->inner; i++)
				{
					uint64_t cell = (o * axis->levels + x) * axis->inner + i;
					uint64_t row = o * axis->inner + i;

					for (uint64_t t = 0; t < k; t++)
						system->u[cell * k + t] += axis->weight[cell] * axis->b[row * k + t];
				}
	}
}

static DpStatus
solve_dense(System *system)
{
	uint64_t n = system->cells;
	DpArena *arena = system->lifting->arena;
	double *g = dp_alloc(arena, n * n, sizeof(*g));

	DP_TRY_ALLOC(g);
	for (uint32_t k = 0; k < system->axes; k++)
		add_gram(&system->axis[k], n, g);
	for (uint64_t a = 0; a < n; a++)
		g[a * n + a] += system->lifting->lambda;
	factorise(g, n);
	right_side(system);
	for (uint64_t t = 0; t < system->targets; t++)
		substitute(g, n, system->u + t, system->targets);
	dp_free(arena, g, n * n, sizeof(*g));
	return DP_OK;
}

/* ---- large: conjugate gradients ---- */

/* The vectors of CGLS: s is the gradient, d the direction, r the residuals, stacked over the
 * axes. */
typedef struct Cg
{
	double *u, *s, *d; /* [cells] */
	double *r, *q;     /* [rows of all axes] */
	uint64_t cells, rows;
} Cg;

static double
dot(const double *a, const double *b, uint64_t n)
{
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void
apply_all(const System *system, const double *z, double *rows)
{
	for (uint32_t k = 0; k < system->axes; k++)
	{
		apply(&system->axis[k], z, rows);
		rows += system->axis[k].rows;
	}
}

/* s = A'r - lambda u */
static void
gradient(const System *system, Cg *cg)
{
	const double *rows = cg->r;

	for (uint64_t i = 0; i < cg->cells; i++)
		cg->s[i] = -system->lifting->lambda * cg->u[i];
	for (uint32_t k = 0; k < system->axes; k++)
	{
		apply_back(&system->axis[k], rows, cg->s);
		rows += system->axis[k].rows;
	}
}

static void
start_column(const System *system, Cg *cg, uint64_t t)
{
	double *r = cg->r;

	for (uint32_t k = 0; k < system->axes; k++)
		for (uint64_t i = 0; i < system->axis[k].rows; i++)
			*r++ = system->axis[k].b[i * system->targets + t];
	memset(cg->u, 0, cg->cells * sizeof(double));
	gradient(system, cg);
	memcpy(cg->d, cg->s, cg->cells * sizeof(double));
}

/* CGLS with damping: Björck, "Numerical methods for least squares problems" (1996). */
static void
solve_column(const System *system, Cg *cg, uint64_t t)
{
	double gamma, gamma_start;

	start_column(system, cg, t);
	gamma = gamma_start = dot(cg->s, cg->s, cg->cells);
	for (uint32_t i = 0; i < CG_ITERATIONS_MAX; i++)
	{
		double alpha, next;

		dp_tick(system->lifting->tick, -1.0);
		if (gamma <= CG_RESIDUAL * CG_RESIDUAL * gamma_start)
			return;
		apply_all(system, cg->d, cg->q);
		alpha = gamma / (dot(cg->q, cg->q, cg->rows) +
						 system->lifting->lambda * dot(cg->d, cg->d, cg->cells));
		for (uint64_t c = 0; c < cg->cells; c++)
			cg->u[c] += alpha * cg->d[c];
		for (uint64_t c = 0; c < cg->rows; c++)
			cg->r[c] -= alpha * cg->q[c];
		gradient(system, cg);
		next = dot(cg->s, cg->s, cg->cells);
		for (uint64_t c = 0; c < cg->cells; c++)
			cg->d[c] = cg->s[c] + next / gamma * cg->d[c];
		gamma = next;
	}
}

static DpStatus
solve_large(System *system)
{
	DpArena *arena = system->lifting->arena;
	Cg cg = {.cells = system->cells};

	for (uint32_t k = 0; k < system->axes; k++)
		cg.rows += system->axis[k].rows;
	cg.u = dp_alloc(arena, 3 * cg.cells, sizeof(double));
	cg.r = dp_alloc(arena, 2 * cg.rows, sizeof(double));
	DP_TRY_ALLOC(cg.u && cg.r);
	cg.s = cg.u + cg.cells;
	cg.d = cg.s + cg.cells;
	cg.q = cg.r + cg.rows;
	for (uint64_t t = 0; t < system->targets; t++)
	{
		solve_column(system, &cg, t);
		for (uint64_t c = 0; c < cg.cells; c++)
			system->u[c * system->targets + t] = cg.u[c];
	}
	dp_free(arena, cg.u, 3 * cg.cells, sizeof(double));
	dp_free(arena, cg.r, 2 * cg.rows, sizeof(double));
	return DP_OK;
}

/* ---- the equations ---- */

static double
divide(double a, double b)
{
	return fabs(b) > DENOMINATOR_MIN ? a / b : 0;
}

/* weight = P(x_k | others), b = P(T | others) */
static void
condition(const System *system, Axis *axis)
{
	uint64_t k = system->targets;

	for (uint64_t o = 0; o < axis->rows; o++)
	{
		uint64_t start = o / axis->inner * axis->levels * axis->inner + o % axis->inner;
		double sum = 0, all = 0;

		for (uint64_t x = 0; x < axis->levels; x++)
			sum += system->p_rest[start + x * axis->inner];
		for (uint64_t x = 0; x < axis->levels; x++)
			axis->weight[start + x * axis->inner] =
				divide(system->p_rest[start + x * axis->inner], sum);
		for (uint64_t t = 0; t < k; t++)
			all += axis->b[o * k + t];
		for (uint64_t t = 0; t < k; t++)
			axis->b[o * k + t] = divide(axis->b[o * k + t], all);
	}
}

/* weight = root P(rest), b = P(others, T) less what independence predicts for it */
static void
centre(const System *system, Axis *axis)
{
	const double *p_target = system->lifting->table[UINT32_C(1) << system->target];
	uint64_t k = system->targets;

	for (uint64_t c = 0; c < system->cells; c++)
		axis->weight[c] = sqrt(fmax(system->p_rest[c], WEIGHT_MIN));
	for (uint64_t o = 0; o < axis->rows; o++)
	{
		uint64_t start = o / axis->inner * axis->levels * axis->inner + o % axis->inner;
		double sum = 0;

		for (uint64_t x = 0; x < axis->levels; x++)
			sum += fmax(system->p_rest[start + x * axis->inner], WEIGHT_MIN);
		for (uint64_t t = 0; t < k; t++)
			axis->b[o * k + t] -= sum * p_target[t];
	}
}

static DpStatus
make_axis(System *system, uint32_t attribute, Axis *axis)
{
	DpLifting *lifting = system->lifting;
	uint32_t known = system->mask & ~(UINT32_C(1) << attribute);

	shape_axis(system, attribute, axis);
	axis->weight = dp_alloc(lifting->arena, system->cells, sizeof(double));
	axis->b = dp_alloc(lifting->arena, axis->rows * system->targets, sizeof(double));
	DP_TRY_ALLOC(axis->weight && axis->b);
	move_target(lifting, known, system->target, lifting->table[known], axis->b, false);
	if (lifting->centred)
		centre(system, axis);
	else
		condition(system, axis);
	return DP_OK;
}

/* Turns the solution into joint scale, with the target's axis last. */
static void
finish_ridge(System *system)
{
	uint64_t k = system->targets;

	for (uint64_t c = 0; c < system->cells; c++)
	{
		double *z = system->u + c * k;
		double left = 1;

		for (uint64_t t = 0; t + 1 < k; t++)
			left -= z[t];
		z[k - 1] = left;
		for (uint64_t t = 0; t < k; t++)
			z[t] *= system->p_rest[c];
	}
}

static void
finish_centred(System *system)
{
	const double *p_target = system->lifting->table[UINT32_C(1) << system->target];
	uint64_t k = system->targets;

	for (uint64_t c = 0; c < system->cells; c++)
	{
		double weight = fmax(system->p_rest[c], WEIGHT_MIN);

		for (uint64_t t = 0; t < k; t++)
			system->u[c * k + t] = weight * p_target[t] + sqrt(weight) * system->u[c * k + t];
	}
}

/* Sets negative cells to 0 and scales the sum to 1: the correction of the paper. */
void
dp_clip_normalise(double *p, uint64_t n)
{
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
	{
		p[i] = fmax(p[i], 0);
		sum += p[i];
	}
	for (uint64_t i = 0; i < n; i++)
		p[i] = sum > 0 && isfinite(sum) ? p[i] / sum : 1 / (double) n;
}

static DpStatus
keep_result(System *system)
{
	DpLifting *lifting = system->lifting;
	uint64_t cells = system->cells * system->targets;
	double *table = dp_alloc(lifting->arena, cells, sizeof(*table));

	DP_TRY_ALLOC(table);
	if (lifting->centred)
		finish_centred(system);
	else
		finish_ridge(system);
	move_target(lifting, system->mask, system->target, table, system->u, true);
	if (lifting->centred)
		dp_clip_normalise(table, cells);
	lifting->table[system->mask] = table;
	return DP_OK;
}

static DpStatus
make_axes(System *system)
{
	for (uint32_t a = 0; a < system->lifting->attributes; a++)
	{
		if (system->rest >> a & 1)
			DP_TRY(make_axis(system, a, &system->axis[system->axes++]));
	}
	return DP_OK;
}

static void
free_axes(System *system)
{
	DpArena *arena = system->lifting->arena;

	for (uint32_t k = 0; k < system->axes; k++)
	{
		dp_free(arena, system->axis[k].weight, system->cells, sizeof(double));
		dp_free(arena, system->axis[k].b, system->axis[k].rows * system->targets, sizeof(double));
	}
}

DpStatus
dp_lifting_one(DpLifting *lifting, uint32_t mask, uint32_t target)
{
	System system = {.lifting = lifting,
					 .mask = mask,
					 .target = target,
					 .rest = mask & ~(UINT32_C(1) << target),
					 .targets = lifting->levels[target]};

	system.cells = dp_joint_set_cells(lifting->levels, system.rest);
	system.p_rest = lifting->table[system.rest];
	system.u = dp_alloc(lifting->arena, system.cells * system.targets, sizeof(double));
	DP_TRY_ALLOC(system.u);
	DP_TRY(make_axes(&system));
	DP_TRY(system.cells <= DENSE_CELLS ? solve_dense(&system) : solve_large(&system));
	DP_TRY(keep_result(&system));
	free_axes(&system);
	dp_free(lifting->arena, system.u, system.cells * system.targets, sizeof(double));
	return DP_OK;
}
