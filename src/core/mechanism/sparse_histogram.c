/*
 * sparse_histogram.c -- the sparse histogram: discrete Laplace noise on every
 * cell of a huge domain, seen through a threshold, at the cost of the
 * non-empty cells and of the few empty ones that pass.
 *
 * dp_sparse_histogram_release -- statement and proof
 *
 * Cells 0..M-1, counts c_i >= 0, a = exp(-e0), e0 = epsilon / L1, T >= 1. Let
 * p_T = P[Z >= T] = a^T/(1+a). Independently for each cell:
 *
 *   c >= 1:  v = c + Z, Z discrete Laplace; released as v iff v **>= T**
 *   c = 0:   released with probability p0, as v = T + G, P[G = g] = (1-a) a^g
 *
 * This is (epsilon, 0)-DP if p_T <= p0 <= e^e0 p_T.
 *
 * Let L_c be the distribution of "c + Z if >= T, else silent", f_0 that of an empty
 * cell: f_0(v) = p0 (1-a) a^(v-T) = (p0/p_T) L_0(v), f_0(silent) = 1 - p0.
 * L_c and L_d, c, d >= 1, differ by a factor of at most e^(e0 |c-d|), as for
 * Laplace noise. It remains to show the same for f_0 and L_m, m >= 1:
 *   v >= T:  L_m(v)/f_0(v) <= L_m(v)/L_0(v) <= e^(e0 m), from p0 >= p_T;
 *            f_0(v)/L_m(v) <= e^e0 a^(v - |v-m|), which is e^(e0 (1-m)) for
 *            v >= m and e^(e0 (1 + m - 2v)) <= e^(e0 (m-1)) for v < m
 *   silent:  p0 <= e^e0 p_T = P[1 + Z >= T] <= P[m + Z >= T], so that
 *            f_0(silent) >= L_m(silent); and f_0(silent) <= 1 - p_T =
 *            L_0(silent) <= e^(e0 m) L_m(silent).
 * Neighbours' counts differ by L1 rows in sum, cells are independent, so the
 * factors multiply to e^(e0 L1) = e^epsilon. This holds under add/remove, under
 * replacement, and for units of several rows. The lower end is sharp, as m = 1
 * and v = T show. The upper end is not (some p0 up to e^(2 e0) p_T would do), but
 * nothing is gained by showing more empty cells.
 *
 * Sampling. A rational p0 would need logarithms or numbers of many words. So
 * p0 = (1 - exp(-s/2^62)) 2^-r is taken: gaps between the cells that are hit are
 * geometric with exp(-s/2^62), exact by noise.h, and a fair coin thrown r times
 * keeps one hit in 2^r. s is rounded up from the value that p0 = p_T needs, in
 * long double with slack, and the other side is checked. So p0 may exceed p_T, by
 * a factor below e^e0, and is never under it. The run goes over all M cells. Hits
 * on cells with a true count > 0 are discarded, whether the cell is released or
 * not. T, s and r depend on public numbers only, never on how many cells are
 * empty.
 *
 * Source:      Cormode, Procopiuc, Srivastava, Tran, "Differentially private
 *              summaries for sparse data" (2012, arXiv 1103.0825); Balcer,
 *              Vadhan, "Differential privacy on finite computers" (2019, arXiv
 *              1709.05396). Departures: integer noise, the interval for p0,
 *              the exact sampler.
 */
#include "core/mechanism/sparse_histogram.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/mechanism/internal.h"
#include "core/noise/noise.h"

#define GAP_DENOMINATOR_BITS 62
#define THINNING_BITS_MAX 40
#define THRESHOLD_MAX (INT64_C(1) << 50) /* so that no value leaves 63 bits in practice */
#define SLACK (64 * LDBL_EPSILON)
#define TICK_CELLS 4096

typedef struct EmptyCell
{
	long double at_least; /* p_T, rounded up */
	long double at_most;  /* e^e0 p_T, rounded down */
} EmptyCell;

static DpLaplace
distribution_of(const DpSparseHistogram *histogram)
{
	return dp_unit_laplace(&histogram->unit, histogram->epsilon_nano);
}

/* a^T/(1+a) and a^(T-1)/(1+a), with slack. A relative error of r in x = e0 T is one of x r in
 * exp(-x). */
static EmptyCell
empty_cell(long double e0, int64_t threshold_rows)
{
	long double x = e0 * (long double) threshold_rows;
	long double below = 1.0L + expl(-e0);

	return (EmptyCell){
		/* An underflow to 0 would say that an empty cell may never show. */
		.at_least = fmaxl(expl(-x) / below * (1.0L + SLACK + 4.0L * x * LDBL_EPSILON), LDBL_MIN),
		.at_most = expl(-(x - e0)) / below * (1.0L - SLACK - 4.0L * x * LDBL_EPSILON),
	};
}

/*
 * Finds s and r with p_T <= (1 - exp(-s/2^62)) 2^-r <= e^e0 p_T. The result is false if
 * there are none. Rounding s up by one is a relative change of 1/s, which should be small,
 * also compared with e0. The first r for which it is small takes at most about 2^5 2^-62 M /
 * e0 hits.
 */
static bool
find_gaps(EmptyCell p, long double e0, DpSparseRule *rule)
{
	for (uint32_t r = 0; r <= THINNING_BITS_MAX; r++)
	{
		long double thinned = ldexpl(p.at_least, (int) r);
		long double s, hit;

		if (thinned >= 0.75L)
			return false;
		s = ceill(ldexpl(-log1pl(-thinned), GAP_DENOMINATOR_BITS) * (1.0L + SLACK));
		hit = -expm1l(-ldexpl(s, -GAP_DENOMINATOR_BITS)) * (1.0L + SLACK);
		if (s < 1 || (s * fminl(e0, 1.0L) < 16.0L && r < THINNING_BITS_MAX) ||
			ldexpl(hit, -(int) r) > p.at_most)
			continue;
		rule->gap_numerator = (uint64_t) s;
		rule->thinning_bits = r;
		return true;
	}
	return false;
}

static bool
histogram_valid(const DpSparseHistogram *histogram)
{
	return dp_epsilon_valid(histogram->epsilon_nano) && dp_unit_valid(&histogram->unit) &&
		   histogram->cells >= 1 && histogram->cells <= DP_SPARSE_HISTOGRAM_CELLS_MAX;
}

/* The most expected hits before thinning; these take some seconds. The number is public, so a
 * rule with more hits is refused before anything is spent. */
#define HITS_MAX 1e8L
#define TICK_HITS 4096

DpStatus
dp_sparse_histogram_rule(const DpSparseHistogram *histogram, int64_t threshold_rows,
						 DpSparseRule *rule)
{
	DpSparseRule found = {.histogram = *histogram, .threshold_rows = threshold_rows};
	long double cells = (long double) histogram->cells, e0, hit;
	DpFraction rate;

	if (!histogram_valid(histogram) || threshold_rows < 1)
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_laplace_rate(distribution_of(histogram), &rate));
	e0 = dp_laplace_exponent(distribution_of(histogram));
	if (threshold_rows > THRESHOLD_MAX || !find_gaps(empty_cell(e0, threshold_rows), e0, &found))
		return DP_ERR_RANGE;
	hit = -expm1l(-ldexpl((long double) found.gap_numerator, -GAP_DENOMINATOR_BITS));
	if (hit * cells > HITS_MAX)
		return DP_ERR_RANGE;
	found.false_positives = (double) (ldexpl(hit, -(int) found.thinning_bits) * cells);
	*rule = found;
	return DP_OK;
}

/*
 * The smallest T has M ln(1 - p_T) >= ln(tolerance). The search bisects on that very
 * condition. A float error moves T by one only where two values are as good.
 */
static bool
tolerable(long double e0, int64_t threshold_rows, uint64_t cells, int64_t no_false_positives_nano)
{
	long double p = empty_cell(e0, threshold_rows).at_least;

	return (long double) cells * log1pl(-p) >= logl((long double) no_false_positives_nano * 1e-9L);
}

DpStatus
dp_sparse_histogram_plan(const DpSparseHistogram *histogram, int64_t no_false_positives_nano,
						 DpSparseRule *rule)
{
	int64_t low = 1, high = THRESHOLD_MAX;
	long double e0;

	if (!histogram_valid(histogram) || no_false_positives_nano < 1 ||
		no_false_positives_nano >= DP_EPSILON_ONE)
		return DP_ERR_ARGUMENT;
	e0 = dp_laplace_exponent(distribution_of(histogram));
	if (!tolerable(e0, high, histogram->cells, no_false_positives_nano))
		return DP_ERR_RANGE;
	while (low < high)
	{
		int64_t middle = low + (high - low) / 2;

		if (tolerable(e0, middle, histogram->cells, no_false_positives_nano))
			high = middle;
		else
			low = middle + 1;
	}
	return dp_sparse_histogram_rule(histogram, high, rule);
}

/* ---- releasing ---- */

typedef struct Release
{
	const DpNoiseSource *noise;
	DpArena *arena;
	DpFraction rate;
	const DpSparseRule *rule;
	uint64_t cells;
	uint64_t hit; /* the next random cell; cells if there is none */
	DpSparseCells *out;
} Release;

static DpStatus
grow(Release *release)
{
	DpSparseCells *out = release->out;
	uint64_t capacity = 2 * out->capacity;
	uint64_t *index = dp_alloc(release->arena, capacity, sizeof(*index));
	int64_t *value = dp_alloc(release->arena, capacity, sizeof(*value));

	DP_TRY_ALLOC(index && value);
	memcpy(index, out->index, out->n * sizeof(*index));
	memcpy(value, out->value, out->n * sizeof(*value));
	dp_free(release->arena, out->index, out->capacity, sizeof(*index));
	dp_free(release->arena, out->value, out->capacity, sizeof(*value));
	out->index = index;
	out->value = value;
	out->capacity = capacity;
	return DP_OK;
}

static DpStatus
emit(Release *release, uint64_t index, int64_t value)
{
	DpSparseCells *out = release->out;

	if (out->n == out->capacity)
		DP_TRY(grow(release));
	out->index[out->n] = index;
	out->value[out->n++] = value;
	return DP_OK;
}

/* Whether a hit stays: one uniform integer holds r fair coins. */
static DpStatus
stays(Release *release, bool *out)
{
	return dp_bernoulli(release->noise->rng, 1, UINT64_C(1) << release->rule->thinning_bits, out);
}

/* Draws the number of cells up to the next hit. Hits can be so rare that the gap does not fit 64
 * bits. It passes every cell then. */
static DpStatus
draw_gap(Release *release, uint64_t *gap)
{
	DpStatus status = dp_geometric_exp(release->noise->rng, release->rule->gap_numerator,
									   UINT64_C(1) << GAP_DENOMINATOR_BITS, gap);

	if (status != DP_ERR_RANGE)
		return status;
	*gap = UINT64_MAX;
	return DP_OK;
}

/* Finds the first cell from start on that is hit and stays. */
static DpStatus
next_hit(Release *release, uint64_t start)
{
	bool kept = false;

	release->hit = start;
	for (uint64_t tries = 1; !kept; tries++)
	{
		uint64_t gap;

		if (tries % TICK_HITS == 0)
			dp_tick(release->noise->tick, -1.0);
		DP_TRY(draw_gap(release, &gap));
		if (gap >= release->cells - release->hit)
		{
			release->hit = release->cells;
			return DP_OK;
		}
		release->hit += gap;
		DP_TRY(stays(release, &kept));
		if (kept)
			break;
		if (++release->hit == release->cells)
			return DP_OK;
	}
	return DP_OK;
}

static DpStatus
after_hit(Release *release)
{
	if (release->hit + 1 < release->cells)
		return next_hit(release, release->hit + 1);
	release->hit = release->cells;
	return DP_OK;
}

/* Releases the empty cells drawn before the given one. */
static DpStatus
emit_empty(Release *release, uint64_t before)
{
	while (release->hit < before)
	{
		uint64_t above;
		int64_t value;

		DP_TRY(dp_geometric_exp(release->noise->rng, release->rate.numerator,
								release->rate.denominator, &above));
		if (above > INT64_MAX / 2)
			return DP_ERR_RANGE;
		value = release->rule->threshold_rows + (int64_t) above;
		DP_TRY(emit(release, release->hit, value));
		DP_TRY(after_hit(release));
		dp_tick(release->noise->tick, -1.0);
	}
	return DP_OK;
}

static DpStatus
emit_occupied(Release *release, uint64_t index, int64_t count)
{
	const DpNoiseDistribution distribution = {dp_discrete_laplace, release->rate};
	int64_t value;

	DP_TRY(dp_noisy_count(release->noise->rng, distribution, count, &value));
	if (value >= release->rule->threshold_rows)
		DP_TRY(emit(release, index, value));
	return DP_OK;
}

static DpStatus
release_cells(Release *release, const DpOccupiedCells *occupied)
{
	DP_TRY(next_hit(release, 0));
	for (uint64_t i = 0; i < occupied->n; i++)
	{
		uint64_t index = occupied->index[i];

		if (i % TICK_CELLS == 0)
			dp_tick(release->noise->tick, -1.0);
		DP_TRY(emit_empty(release, index));
		if (release->hit == index)
			DP_TRY(after_hit(release)); /* that cell is not empty, so it is passed over */
		DP_TRY(emit_occupied(release, index, occupied->count[i]));
	}
	return emit_empty(release, release->cells);
}

static bool
cells_valid(const DpOccupiedCells *occupied, uint64_t cells)
{
	const uint64_t *index = occupied->index;

	for (uint64_t i = 0; i < occupied->n; i++)
		if (occupied->count[i] < 1 || index[i] >= cells || (i > 0 && index[i] <= index[i - 1]))
			return false;
	return true;
}

/* A rule that was not made for its histogram would break the proof. */
static DpStatus
check_rule(const DpSparseRule *rule)
{
	DpSparseRule own;

	DP_TRY(dp_sparse_histogram_rule(&rule->histogram, rule->threshold_rows, &own));
	if (own.gap_numerator != rule->gap_numerator || own.thinning_bits != rule->thinning_bits)
		return DP_ERR_ARGUMENT;
	return DP_OK;
}

/*
 * dp_sparse_histogram_release -- noisy counts of the cells that pass T
 *
 * Inputs:      rule, with epsilon, unit and the size of the domain; occupied, the
 *              non-empty cells, ascending, and their counts
 * Output:      out, ascending by cell: an order that shows nothing
 * Neighbours:  unit.neighbours of the rule's histogram
 * Guarantee:   (epsilon, 0)-DP; the proof is at the head of this file
 * Numerics:    noise by integers only; the rule by outward rounding
 * Errors:      before the charge: DP_ERR_ARGUMENT, DP_ERR_RANGE (of the rule),
 *              DP_ERR_INTERNAL for cells that are not as said, DP_ERR_MEMORY.
 *              DP_ERR_OVERDRAW: nothing was drawn. After it, out empty:
 *              DP_ERR_RANDOM, DP_ERR_RANGE, DP_ERR_MEMORY
 */
DpStatus
dp_sparse_histogram_release(const DpNoiseSource *noise, const DpSparseRule *rule,
							const DpOccupiedCells *occupied, DpSparseCells *out, DpArena *arena)
{
	const DpSparseHistogram *histogram = &rule->histogram;
	Release release = {
		.noise = noise, .arena = arena, .rule = rule, .cells = histogram->cells, .out = out};
	DpStatus status;

	*out = (DpSparseCells){.n = 0};
	DP_TRY(check_rule(rule));
	DP_TRY(dp_laplace_rate(distribution_of(histogram), &release.rate));
	if (!cells_valid(occupied, histogram->cells))
		return DP_ERR_INTERNAL;
	out->capacity = occupied->n + 64;
	out->index = dp_alloc(arena, out->capacity, sizeof(*out->index));
	out->value = dp_alloc(arena, out->capacity, sizeof(*out->value));
	DP_TRY_ALLOC(out->index && out->value);
	DP_TRY(dp_meter_charge(noise->meter, dp_cost_pure(histogram->epsilon_nano)));
	status = release_cells(&release, occupied);
	if (status != DP_OK)
		out->n = 0;
	return status;
}
