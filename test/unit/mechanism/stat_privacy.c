/*
 * stat_privacy.c -- the hockey-stick divergence of the mechanisms between
 * neighbouring tables, by enumeration of the neighbours and of the outputs.
 *
 *	D_e(M, M') = sum over outputs of max(P[M = o] - exp(epsilon) P[M' = o], 0)
 *
 * (epsilon, delta)-DP is D_e <= delta for all neighbours, in both directions.
 * That the code has the distributions assumed here: stat_noise.c, test_noise_exact.c.
 */
#include "core/mechanism/mechanism.h"

#include "unit_stat.h"

/* Outputs of one cell that share a likelihood ratio are one atom. */
#define ATOMS_MAX 64

typedef struct Atom
{
	long double here;
	long double there;
} Atom;

typedef struct Cell
{
	int n;
	Atom atom[ATOMS_MAX];
} Cell;

static void
push(Cell *cell, long double here, long double there)
{
	cell->atom[cell->n++] = (Atom){here, there};
}

/* P[count + Z >= value]: an empty cell is never released. */
static long double
shows_from(long double e0, int64_t count, int64_t value)
{
	return count == 0 ? 0 : unit_laplace_above(e0, value - count);
}

/* Released at >= threshold. */
static Cell
cell_distribution(long double e0, int64_t here, int64_t there, int64_t threshold)
{
	int64_t top = here > there ? here : there;
	Cell cell = {0};

	top = top > threshold ? top : threshold;
	push(&cell, 1 - shows_from(e0, here, threshold), 1 - shows_from(e0, there, threshold));
	for (int64_t v = threshold; v < top; v++)
		push(&cell, shows_from(e0, here, v) - shows_from(e0, here, v + 1),
			 shows_from(e0, there, v) - shows_from(e0, there, v + 1));
	push(&cell, shows_from(e0, here, top), shows_from(e0, there, top));
	return cell;
}

static long double
hockey(const Cell *cells, int n, long double here, long double there, long double e_epsilon)
{
	long double sum = 0;

	if (here <= 0)
		return 0;
	if (n == 0)
		return fmaxl(here - e_epsilon * there, 0);
	for (int i = 0; i < cells->n; i++)
		sum += hockey(cells + 1, n - 1, here * cells->atom[i].here, there * cells->atom[i].there,
					  e_epsilon);
	return sum;
}

/* Three cells that either table may have alone, three that only the other has, two that both
 * have. Cells that are alike in both tables change nothing. */
#define CELLS 8
#define CELLS_FIRST 3

typedef struct Setting
{
	int64_t epsilon_nano;
	DpUnit unit;
	int64_t threshold;
	int64_t base[CELLS];
	long double worst;
} Setting;

static void
compare(Setting *s, const int64_t *rows_here, const int64_t *rows_there)
{
	long double e0 = (long double) s->epsilon_nano * 1e-9L / (long double) dp_unit_l1(&s->unit);
	long double e_epsilon = expl((long double) s->epsilon_nano * 1e-9L);
	Cell cells[CELLS];
	int n = 0;

	for (int i = 0; i < CELLS; i++)
		if (rows_here[i] != rows_there[i])
			cells[n++] = cell_distribution(e0, s->base[i] + rows_here[i],
										   s->base[i] + rows_there[i], s->threshold);
	s->worst = fmaxl(s->worst, hockey(cells, n, 1, 1, e_epsilon));
}

/* All ways to put up to rows rows into the cells from cell on; visit is called for each. */
typedef void (*Visit)(Setting *s, const int64_t *rows, const int64_t *other);

static void
place(Setting *s, int cell, int64_t rows, int64_t *placed, const int64_t *other, Visit visit)
{
	if (cell == CELLS)
	{
		visit(s, placed, other);
		return;
	}
	for (int64_t here = 0; here <= rows; here++)
	{
		placed[cell] = here;
		place(s, cell + 1, rows - here, placed, other, visit);
	}
	placed[cell] = 0;
}

static void
visit_both_ways(Setting *s, const int64_t *rows, const int64_t *other)
{
	compare(s, rows, other);
	compare(s, other, rows);
}

/* By symmetry the first unit needs no fresh cell beyond the first three. */
static void
visit_replaced(Setting *s, const int64_t *rows, const int64_t *other)
{
	int64_t placed[CELLS] = {0};

	(void) other;
	for (int i = CELLS_FIRST; i < CELLS - 2; i++)
		if (rows[i] != 0)
			return;
	place(s, 0, s->unit.rows_max, placed, rows, visit_both_ways);
}

static long double
worst_divergence(int64_t epsilon_nano, DpUnit unit, int64_t threshold)
{
	const int64_t bases[][2] = {{1, threshold}, {threshold - 1, threshold + 4}};
	const int64_t nobody[CELLS] = {0};
	Setting s = {.epsilon_nano = epsilon_nano, .unit = unit, .threshold = threshold};

	for (int b = 0; b < 2; b++)
	{
		int64_t placed[CELLS] = {0};

		s.base[CELLS - 2] = bases[b][0];
		s.base[CELLS - 1] = bases[b][1];
		place(&s, 0, unit.rows_max, placed, nobody,
			  unit.neighbours == DP_REPLACE_ONE ? visit_replaced : visit_both_ways);
	}
	return s.worst;
}

/* The largest 1 - product of (1 - tau_m) over partitions of the unit's rows: what the proof over
 * dp_stability_delta says the divergence is, before it is bounded. */
static long double
exact_delta(long double e0, int64_t threshold, int64_t rows, int64_t part_max, long double silent)
{
	long double worst = 1 - silent;

	for (int64_t part = 1; part <= rows && part <= part_max; part++)
		worst = fmaxl(worst, exact_delta(e0, threshold, rows - part, part,
										 silent * (1 - unit_laplace_above(e0, threshold - part))));
	return worst;
}

static const int64_t epsilons[] = {50000000, 500000000, 1000000000, 2500000000};

/* dp_stability_delta holds at every T, also where T is too small for any sensible delta. */
static void
test_stability(DpUnit unit)
{
	long double excess = 0, gap = 0, slack = 0;

	for (int e = 0; e < 4; e++)
		for (int64_t t = unit.rows_max + 1; t <= unit.rows_max + 5; t++)
		{
			long double e0 = (long double) epsilons[e] * 1e-9L / (long double) dp_unit_l1(&unit);
			long double divergence = worst_divergence(epsilons[e], unit, t);
			long double claimed = (long double) dp_stability_delta(epsilons[e], unit, t) * 1e-18L;

			excess = fmaxl(excess, divergence - claimed);
			slack = fmaxl(slack, 1 - divergence / claimed);
			gap =
				fmaxl(gap, fabsl(divergence - exact_delta(e0, t, unit.rows_max, unit.rows_max, 1)));
		}
	unit_note("claimed delta is at most %.1Lf %% over the true one", 100 * slack);
	CHECK(excess <= 1e-15L, "stability, %s, %u rows: divergence <= delta claimed",
		  unit.neighbours == DP_REPLACE_ONE ? "replace" : "add/remove", unit.rows_max);
	CHECK_NEAR(gap, 0, 1e-9L, "and equals the proof's exact value");
	if (unit.rows_max == 1)
		CHECK_NEAR(slack, 0, 1e-9L, "which is tau for a unit of one row");
}

/* What a caller gets: the threshold for a delta, and the divergence at it and just below. */
static void
test_threshold(DpUnit unit)
{
	const int64_t deltas[] = {10000000000000000, 1000000000000000, 1000000000000};
	bool holds = true, tight = true;

	for (int e = 1; e < 4; e++)
		for (int d = 0; d < 3; d++)
		{
			long double delta = (long double) deltas[d] * 1e-18L;
			int64_t t;

			MUST(dp_stability_threshold(&(DpStability){{epsilons[e], deltas[d], 0}, unit}, &t));
			holds = holds && worst_divergence(epsilons[e], unit, t) <= delta + 1e-16L;
			tight = tight && worst_divergence(epsilons[e], unit, t - 1) > delta;
		}
	CHECK(holds, "thresholds, %s: the divergence keeps delta",
		  unit.neighbours == DP_REPLACE_ONE ? "replace" : "add/remove");
	CHECK(tight, "and one row less breaks it");
}

/*
 * The published bug: delta computed for > T, released at >= T. The same check
 * must refuse it, or the check is worth nothing.
 */
static void
test_published_bug(DpUnit unit)
{
	bool caught = true, by_e0 = true;

	for (int e = 0; e < 4; e++)
		for (int64_t t = 2; t <= 6; t++)
		{
			long double e0 = (long double) epsilons[e] * 1e-9L / (long double) dp_unit_l1(&unit);
			long double claimed = unit_laplace_above(e0, t + 1 - 1); /* P[1 + Z > T] */
			long double divergence = worst_divergence(epsilons[e], unit, t);

			caught = caught && divergence > claimed * 1.01L;
			by_e0 = by_e0 && fabsl(divergence / claimed - expl(e0)) < 1e-9L;
		}
	CHECK(caught, "delta of > T for a release at >= T is caught");
	CHECK(by_e0, "it is e^e0 too small");
}

/* A histogram with noise on all cells: D at epsilon is 0, just under epsilon it is not. */
static void
test_laplace(int64_t l1)
{
	const long double epsilon = 0.7L, e0 = epsilon / (long double) l1;
	long double at = 0, under = 0;

	for (int64_t first = -l1; first <= l1; first++)
		for (int64_t second = -(l1 - llabs(first)); second <= l1 - llabs(first); second++)
		{
			/* far above the threshold, the silent atom is the lower tail */
			Cell cells[2] = {cell_distribution(e0, 30, 30 + first, 20),
							 cell_distribution(e0, 30, 30 + second, 20)};

			at = fmaxl(at, hockey(cells, 2, 1, 1, expl(epsilon)));
			under = fmaxl(under, hockey(cells, 2, 1, 1, expl(0.99L * epsilon)));
		}
	CHECK_NEAR(at, 0, 1e-17L, "Laplace, L1 = %d: no divergence at epsilon", (int) l1);
	CHECK(under > 1e-4L, "some at 0.99 epsilon: %.2Lg", under);
}

int
main(void)
{
	for (uint32_t rows = 1; rows <= 3; rows++)
	{
		test_stability((DpUnit){DP_ADD_REMOVE, rows});
		test_stability((DpUnit){DP_REPLACE_ONE, rows});
	}
	test_threshold((DpUnit){DP_ADD_REMOVE, 1});
	test_threshold((DpUnit){DP_REPLACE_ONE, 1});
	test_published_bug((DpUnit){DP_ADD_REMOVE, 1});
	test_published_bug((DpUnit){DP_REPLACE_ONE, 1});
	for (int64_t l1 = 1; l1 <= 6; l1++)
		test_laplace(l1);
	return unit_finish();
}
