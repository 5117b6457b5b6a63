/*
 * query_quantile.c -- where a quantile lies.
 */
#include "core/estimate/query_quantile.h"

#include <math.h>

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
	if (noise->half == NULL)
		return DP_ERR_MEMORY;
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

/* Of the choice, in leaves: so many rows, where the interval has so many in so many leaves. */
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
