/*
 * query_noise.c -- the noise of one statistic of a query.
 */
#include "core/estimate/query_answer.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/prng.h"
#include "core/estimate/noise_distribution.h"
#include "core/model/noisy_table.h"

#define SEED UINT64_C(0x9e3779b97f4a7c15)
#define STDDEV_WIDE 40.0 /* rows */
#define MASSES_MAX 1024  /* of a noise that is not wide: the rest has a probability below 1e-12 */
#define MASS_LEAST 1e-12
#define HALVINGS 50

double
dp_normal_half_width(double confidence)
{
	double low = 0, high = 40;

	for (int i = 0; i < 200; i++)
	{
		double middle = (low + high) / 2;

		if (erf(middle / sqrt(2)) < confidence)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double
laplace_rate(const DpTable *table)
{
	return (double) table->cost.epsilon_nano /
		   ((double) DP_EPSILON_ONE * (double) table->sensitivity_l1);
}

/* The least t with P[|Z| <= t] >= confidence. P[|Z| > t] = 2 a^(t+1)/(1 + a) for discrete Laplace
 * noise. */
static double
half_width(const DpTable *table, double stddev, double confidence)
{
	double rate, t, z;

	z = dp_normal_half_width(confidence);
	if (table->noise == DP_NOISE_GAUSSIAN)
		return ceil(z * stddev - 0.5 > 0 ? z * stddev - 0.5 : 0);
	rate = laplace_rate(table);
	t = ceil(log(2 / ((1 - confidence) * (1 + exp(-rate)))) / rate - 1);
	return t > 0 ? t : 0;
}

static double
open_unit(DpPrng *prng)
{
	return 1 - dp_prng_unit(prng);
}

/* Geometric, P[G >= g] = exp(-rate g). */
static double
draw_geometric(DpPrng *prng, double rate)
{
	return floor(-log(open_unit(prng)) / rate);
}

static double
draw_noise(const DpTable *table, double stddev, DpPrng *prng)
{
	if (table->noise == DP_NOISE_GAUSSIAN)
		return rint(stddev * sqrt(-2 * log(open_unit(prng))) *
					cos(6.283185307179586 * dp_prng_unit(prng)));
	return draw_geometric(prng, laplace_rate(table)) - draw_geometric(prng, laplace_rate(table));
}

static double
unit_of(const DpQueryLayout *layout, uint32_t i)
{
	const DpStatistic *statistic = &layout->statistic[i];
	double unit;

	if (statistic->kind < DP_STATISTIC_SUM)
		return 1;
	unit = dp_coordinate_unit(&layout->grid[i]);
	return ldexp(statistic->kind == DP_STATISTIC_SQUARES ? unit * unit : unit,
				 (int) statistic->shift);
}

DpStatus
dp_query_noise_prepare(const DpModel *model, const DpQueryLayout *layout, uint32_t i,
					   double confidence, DpQueryNoise *noise, DpArena *arena)
{
	const DpTable *table = &model->table[layout->table[i]];
	double stddev = sqrt(dp_table_variance(table));
	DpPrng prng;

	*noise = (DpQueryNoise){.table = table, .unit = unit_of(layout, i)};
	noise->stddev = stddev * noise->unit;
	noise->half = half_width(table, stddev, confidence) * noise->unit;
	noise->draw = dp_alloc(arena, DP_QUERY_DRAWS, sizeof(*noise->draw));
	DP_TRY_ALLOC(noise->draw);
	dp_prng_seed(&prng, (DpStream){SEED, i, 0});
	for (uint32_t d = 0; d < DP_QUERY_DRAWS; d++)
		noise->draw[d] = draw_noise(table, stddev, &prng) * noise->unit;
	return DP_OK;
}

double
dp_query_noise_read(const DpQueryNoise *noise, uint64_t cell)
{
	return (double) noise->table->value[cell] * noise->unit;
}

/* ---- quantiles of draws ---- */

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

double
dp_quantile_of(double *number, uint32_t n, double share)
{
	uint32_t place = (uint32_t) ceil(share * n);

	qsort(number, n, sizeof(*number), compare);
	return number[place == 0 ? 0 : place > n ? n - 1 : place - 1];
}

/* ---- two noises together ---- */

/* P[Z <= z] of the noise of a table. */
static double
noise_below(const DpTable *table, double stddev, double z)
{
	double whole = floor(z), rate;

	if (table->noise == DP_NOISE_GAUSSIAN)
		return erfc(-(whole + 0.5) / stddev / sqrt(2)) / 2;
	rate = laplace_rate(table);
	if (whole < 0)
		return exp(rate * whole) / (1 + exp(-rate));
	return 1 - exp(-rate * (whole + 1)) / (1 + exp(-rate));
}

/* The distribution of |a + factor b|: a mixture over the values of b. p[0] is the probability that
 * b is 0, and p[k] that it is k or -k. */
typedef struct Mixture
{
	const DpQueryNoise *a;
	double a_stddev; /* in its own unit */
	double factor;
	uint32_t n;
	double p[MASSES_MAX];
} Mixture;

static void
mixture_of(const DpQueryNoise *a, const DpQueryNoise *b, double factor, Mixture *mixture)
{
	double before = noise_below(b->table, b->stddev, -1);

	mixture->a = a;
	mixture->a_stddev = a->stddev / a->unit;
	mixture->factor = factor;
	mixture->p[0] = 1 - 2 * before;
	for (mixture->n = 1; mixture->n < MASSES_MAX && before > MASS_LEAST; mixture->n++)
	{
		double next = noise_below(b->table, b->stddev, -1 - (double) mixture->n);

		mixture->p[mixture->n] = 2 * (before - next);
		before = next;
	}
}

static double
mixture_inside(const Mixture *mixture, double half)
{
	const DpQueryNoise *a = mixture->a;
	double inside = 0;

	for (uint32_t k = 0; k < mixture->n; k++)
	{
		double shift = mixture->factor * k;

		inside += mixture->p[k] *
				  (noise_below(a->table, mixture->a_stddev, (half - shift) / a->unit) +
				   noise_below(a->table, mixture->a_stddev, (half + shift) / a->unit) - 1);
	}
	return inside;
}

static double
mixture_half_width(const Mixture *mixture, double confidence)
{
	double low = 0, high = mixture->a->stddev;

	while (mixture_inside(mixture, high) < confidence)
		high *= 2;
	for (int i = 0; i < HALVINGS; i++)
	{
		double middle = (low + high) / 2;

		if (mixture_inside(mixture, middle) < confidence)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Both spread over many whole numbers, so that they are as good as continuous. */
static double
wide_half_width(const DpQueryNoise *a, const DpQueryNoise *b, double factor, double confidence)
{
	DpNoiseTerm term[] = {dp_noise_term(a->table), dp_noise_term(b->table)};

	term[0].coefficient = a->unit;
	term[1].coefficient = fabs(factor);
	return dp_noise_distribution_half_width(&(DpNoiseSum){2, term}, confidence);
}

double
dp_query_noise_linear(const DpQueryNoise *a, const DpQueryNoise *b, double factor,
					  double confidence)
{
	Mixture mixture;

	if (b->stddev > STDDEV_WIDE)
		return wide_half_width(a, b, factor, confidence);
	mixture_of(a, b, factor, &mixture);
	return mixture_half_width(&mixture, confidence);
}

/* ---- quantiles ---- */

#define NANO INT64_C(1000000000)
#define TIE 1e-6 /* rows: what is so near to a bound does not pass it */

DpStatus
dp_quantile_noise_prepare(const DpStatistic *choice, const DpTable *table, double confidence,
						  DpQuantileNoise *noise, DpArena *arena)
{
	uint32_t sides = DP_ZONES_MAX(choice->height) + 1;

	*noise =
		(DpQuantileNoise){.choice = choice, .zone = dp_noise_term(table), .confidence = confidence};
	noise->half = dp_alloc(arena, (size_t) sides * sides, sizeof(*noise->half));
	DP_TRY_ALLOC(noise->half);
	for (uint32_t i = 0; i < sides * sides; i++)
		noise->half[i] = -1;
	return DP_OK;
}

static int64_t
common_divisor(int64_t a, int64_t b)
{
	while (b != 0)
	{
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* (1 - q) times the noises before and q times those behind, in the largest unit in which both
 * factors are whole. Where the distribution is not exact, the noises count as continuous, which a
 * row makes up for. */
static double
half_of(const DpQuantileNoise *noise, uint32_t before, uint32_t behind)
{
	int64_t q = noise->choice->quantile_nano, unit = common_divisor(q, NANO);
	DpNoiseTerm term[] = {noise->zone, noise->zone};
	DpNoiseSum sum = {2, term};
	double tails = 2 * noise->confidence - 1;

	if (tails <= 0)
		return 0;
	term[0].coefficient = (double) ((NANO - q) / unit);
	term[0].count = before;
	term[1].coefficient = (double) (q / unit);
	term[1].count = behind;
	return dp_noise_distribution_half_width(&sum, tails) * (double) unit / (double) NANO +
		   (dp_noise_distribution_is_exact(&sum) ? 0 : 1);
}

double
dp_quantile_half_width(const DpQuantileNoise *noise, uint32_t before, uint32_t behind)
{
	double *half = &noise->half[before * (DP_ZONES_MAX(noise->choice->height) + 1) + behind];

	if (*half < 0)
		*half = half_of(noise, before, behind);
	return *half;
}

/* The zones with leaves, and the noisy numbers of rows in them. */
typedef struct Zones
{
	const DpQuantileNoise *noise;
	const int64_t *rows;
	uint32_t first, last;
} Zones;

static double
rows_between(const Zones *zones, uint32_t from, uint32_t until)
{
	double sum = 0;

	for (uint32_t z = from; z < until; z++)
		sum += (double) zones->rows[z];
	return sum;
}

/* How many rows too many lie before a zone for the quantile to be in it or behind. */
static double
excess(const Zones *zones, uint32_t zone)
{
	double q = (double) zones->noise->choice->quantile_nano / (double) NANO;

	return (1 - q) * rows_between(zones, zones->first, zone) -
		   q * rows_between(zones, zone, zones->last + 1);
}

static double
half_at(const Zones *zones, uint32_t zone)
{
	return dp_quantile_half_width(zones->noise, zone - zones->first, zones->last + 1 - zone);
}

/* Standard deviation of the private choice, in leaves, from the density of rows in the interval:
 * its number of rows over its number of leaves. */
static double
stddev_of(const Zones *zones, uint32_t low_zone, uint32_t high_zone, double leaves)
{
	double rows = rows_between(zones, low_zone, high_zone + 1), least = 0;

	if (low_zone > zones->first)
		least += half_at(zones, low_zone);
	if (high_zone < zones->last)
		least += half_at(zones, high_zone + 1);
	rows = rows > least ? rows : least;
	return leaves == 0
			   ? 0
			   : leaves / (rows > 1 ? rows : 1) * sqrt(2) * dp_choice_rows(zones->noise->choice);
}

DpQuantilePlace
dp_quantile_place(const DpQuantileNoise *noise, uint32_t chosen, const int64_t *rows)
{
	uint32_t height = noise->choice->height, last = (UINT32_C(1) << height) - 1;
	Zones zones = {noise, rows, dp_quantile_zone_first(chosen, height),
				   dp_quantile_zone_last(chosen, height)};
	uint32_t low = zones.first, high = zones.last;
	DpQuantilePlace place;

	while (low < height && excess(&zones, low + 1) < -half_at(&zones, low + 1) - TIE)
		low++;
	while (high > height && excess(&zones, high) > half_at(&zones, high) + TIE)
		high--;
	place.low = dp_quantile_zone_begin(low, chosen, height);
	place.high = high == zones.last ? last : dp_quantile_zone_begin(high + 1, chosen, height) - 1;
	if ((low == zones.first && low < height) || (high == zones.last && high > height))
		place.stddev = -1;
	else
		place.stddev = stddev_of(&zones, low, high, place.high - place.low);
	return place;
}
