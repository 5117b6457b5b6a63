/*
 * test_query_noise.c -- noise of sums of statistics, and of zones around a quantile.
 */
#include "core/estimate/query_answer.h"
#include "core/model/noisy_table.h"

#include "unit_query.h"

#define SPAN 1500 /* whole numbers that a noise can be */

/* The masses of the noise of a table, p[z + SPAN]. */
static void
distribution_of_noise(const DpTable *table, double *p)
{
	double all = 0, rate = (double) table->cost.epsilon_nano / 1e9 / (double) table->sensitivity_l1;
	double sigma2 = (double) table->sensitivity_l2_squared * 1e12 /
					(2 * (double) (table->cost.rho_pico > 0 ? table->cost.rho_pico : 1));

	for (int z = -SPAN; z <= SPAN; z++)
		all += p[z + SPAN] = table->noise == DP_NOISE_GAUSSIAN ? exp(-(double) z * z / (2 * sigma2))
															   : exp(-rate * abs(z));
	for (int z = -SPAN; z <= SPAN; z++)
		p[z + SPAN] /= all;
}

/* P[|unit a + factor b| <= half], all combinations added up. */
static double
inside_of(const double *a, const double *b, double unit, double factor, double half)
{
	double inside = 0;

	for (int y = -SPAN; y <= SPAN; y++)
		for (int x = -SPAN; x <= SPAN && b[y + SPAN] > 1e-9; x++)
			if (fabs(unit * x + factor * y) <= half)
				inside += a[x + SPAN] * b[y + SPAN];
	return inside;
}

/* Noises of sums of values up to 3 and of numbers of rows, at rates for rows that leave single rows
 * (6) up to such as are taken for continuous (0.03), and Gaussian ones. */
static void
test_linear(void)
{
	static const double rates[] = {6, 2, 0.5, 0.1, 0.03};
	static const double factors[] = {0, 0.4, 1.5, 3};
	static double a[2 * SPAN + 1], b[2 * SPAN + 1];

	for (int gaussian = 0; gaussian < 2; gaussian++)
		for (size_t r = 0; r < 5; r++)
		{
			DpTable rows = zone_table((int64_t) (rates[r] * 1e9)), sum = rows;
			double near = gaussian && rates[r] > 1 ? 0.03 : 0.001;

			if (gaussian)
			{
				rows.noise = sum.noise = DP_NOISE_GAUSSIAN;
				rows.cost = sum.cost =
					(DpBudget){.rho_pico = (int64_t) (rates[r] * rates[r] * 1e12 / 2)};
				rows.sensitivity_l2_squared = 1;
				sum.sensitivity_l2_squared = 9;
			}
			sum.sensitivity_l1 = 3;
			distribution_of_noise(&sum, a);
			distribution_of_noise(&rows, b);
			for (size_t f = 0; f < 4; f++)
			{
				DpQueryNoise of_sum = {&sum, 0.1, 0.1 * sqrt(dp_table_variance(&sum)), 0, NULL};
				DpQueryNoise of_rows = {&rows, 1, sqrt(dp_table_variance(&rows)), 0, NULL};
				double factor = factors[f] * 0.1;
				double half = dp_query_noise_linear(&of_sum, &of_rows, -factor, 0.95);
				double more = inside_of(a, b, 0.1, factor, half * 1.000001);
				double less = inside_of(a, b, 0.1, factor, half * 0.999999);

				CHECK(more > 0.95 - near && less < 0.95 + near,
					  "rate %g, factor %g: %.4f to %.4f of the noise lies inside", rates[r], factor,
					  less, more);
			}
		}
}

#define HEIGHT 6
#define LEAVES (1 << HEIGHT)
#define REACH 400 /* of a sum of noises */

/* The distribution of the sum of n noises, P[sum = k - REACH]. */
static void
sum_distribution(double rate, uint32_t n, double *distribution)
{
	static double single[2 * REACH + 1], next[2 * REACH + 1];
	double a = exp(-rate);

	for (int k = -REACH; k <= REACH; k++)
	{
		single[k + REACH] = (1 - a) / (1 + a) * pow(a, abs(k));
		distribution[k + REACH] = k == 0;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		for (int k = -REACH; k <= REACH; k++)
		{
			next[k + REACH] = 0;
			for (int j = -REACH; j <= REACH; j++)
				if (abs(k - j) <= REACH)
					next[k + REACH] += distribution[j + REACH] * single[k - j + REACH];
		}
		memcpy(distribution, next, sizeof(next));
	}
}

/* The noises of the zones before and behind, added up in all ways, lie below -h as seldom as they
 * must. The zones are those of leaf 5 of 64: three before it, and six behind. */
static void
test_width(DpArena *arena)
{
	static const int64_t shares[] = {500000000, 900000000, 10000000, 123456789};
	static const double rates[] = {0.5, 1, 3, 6};
	static double before[2 * REACH + 1], behind[2 * REACH + 1];

	for (size_t r = 0; r < 4; r++)
		for (size_t s = 0; s < 4; s++)
		{
			DpStatistic choice = {.height = HEIGHT, .quantile_nano = shares[s]};
			DpTable table = zone_table((int64_t) (rates[r] * 1e9));
			double q = (double) shares[s] / 1e9, h, fails = 0;
			DpQuantileNoise noise;

			MUST(dp_quantile_noise_prepare(&choice, &table, 0.95, &noise, arena));
			h = dp_quantile_half_width(&noise, 3, 7);
			sum_distribution(rates[r], 3, before);
			sum_distribution(rates[r], 7, behind);
			for (int a = -REACH; a <= REACH; a++)
				for (int b = -REACH; b <= REACH; b++)
					if ((1 - q) * a - q * b < -h - 1e-6)
						fails += before[a + REACH] * behind[b + REACH];
			CHECK(fails < 0.05 + 1e-9, "quantile %g at a rate of %g: %.4f beyond %g", q, rates[r],
				  fails, h);
		}
}

static void
test_places(DpArena *arena)
{
	DpStatistic choice = {.height = HEIGHT, .quantile_nano = 500000000, .choice_nano = 300000000};
	DpTable table = zone_table(1000000000);
	int64_t rows[DP_ZONES_MAX(HEIGHT)] = {0};
	DpQuantileNoise noise;
	DpQuantilePlace place;

	MUST(dp_quantile_noise_prepare(&choice, &table, 0.95, &noise, arena));
	place = dp_quantile_place(&noise, 20, rows);
	CHECK(place.low == 0 && place.high == LEAVES - 1 && place.stddev < 0,
		  "without rows the interval is the range");
	rows[HEIGHT] = 100;
	place = dp_quantile_place(&noise, 20, rows);
	CHECK(place.low == 20 && place.high == 20 && place.stddev == 0,
		  "rows of one value leave no doubt");
	rows[HEIGHT - 2] = rows[HEIGHT + 3] = 100;
	rows[HEIGHT] = 0;
	place = dp_quantile_place(&noise, 20, rows);
	CHECK(place.low == 17 && place.high == 27, "rows around it give ends: %u to %u", place.low,
		  place.high);
	CHECK_NEAR(place.stddev, 10.0 / 200 * sqrt(2) / 0.3, 1e-9,
			   "and tell how many leaves a row is worth");
	rows[HEIGHT - 6] = 1000;
	place = dp_quantile_place(&noise, 20, rows);
	CHECK(place.low == 17 && place.high == 27, "zones beyond the range do not count");
	place = dp_quantile_place(&noise, 0, rows);
	CHECK(place.low == 0, "before the first leaf there is nothing");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_linear();
	test_width(&arena);
	test_places(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
