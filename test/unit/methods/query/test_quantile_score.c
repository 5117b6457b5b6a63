/*
 * test_quantile_score.c -- the score of a quantile: what a row moves, how near the best leaf is,
 * and what a distance says of the rows between a leaf and the quantile.
 */
#include "core/methods/query/quantile_score.h"

#include "unit.h"

#define LEAVES 3
#define ROWS_MAX 4
#define HALF_NANO 2e9 /* of the unit of scores, in a row */

static const int64_t shares[] = {1, 100000000, 333333333, 500000000, 900000000, 999999999};

static int64_t
sensitivity_of(int64_t q)
{
	return 2 * (q > 1000000000 - q ? q : 1000000000 - q);
}

/* In real numbers, from the words of the header. */
static double
distance_of(const int64_t *leaf, uint32_t v, const DpQuantileRank *rank)
{
	double n = 0, before = 0, half = fmin((double) leaf[v] / 2, (double) rank->margin_rows), wanted;

	for (uint32_t u = 0; u < LEAVES; u++)
	{
		n += (double) leaf[u];
		before += u < v ? (double) leaf[u] : 0;
	}
	wanted = n * (double) rank->quantile_nano / 1e9;
	return fmax(fmax(before + half - wanted, wanted - (before + (double) leaf[v] - half)), 0);
}

/* The leaf of the first value whose cumulated count reaches q n. */
static uint32_t
holder_of(const int64_t *leaf, int64_t q)
{
	int64_t n = leaf[0] + leaf[1] + leaf[2], sum = 0;
	uint32_t v = 0;

	for (sum = leaf[0]; v + 1 < LEAVES && sum * 1000000000 < n * q; sum += leaf[++v])
		continue;
	return v;
}

typedef struct Found
{
	double value;       /* largest difference from the reference, in rows */
	int64_t over, most; /* what a row moves beyond the sensitivity, and at most */
	double far;         /* of the holder, beyond the margin */
	double between;     /* rows between a leaf and the holder, beyond the distance */
	double loss;        /* of the exponential mechanism, beyond epsilon */
} Found;

/* ln P of each leaf by the exponential mechanism at an epsilon of 1. */
static void
distribution_of(const int64_t *score, int64_t sensitivity, double *log_p)
{
	double sum = 0;

	for (uint32_t v = 0; v < LEAVES; v++)
		sum += exp((double) score[v] / (2 * (double) sensitivity));
	for (uint32_t v = 0; v < LEAVES; v++)
		log_p[v] = (double) score[v] / (2 * (double) sensitivity) - log(sum);
}

static void
try_row(const int64_t *leaf, const int64_t *score, const DpQuantileRank *rank, Found *found)
{
	int64_t sensitivity = sensitivity_of(rank->quantile_nano), other[LEAVES], moved[LEAVES];
	double here[LEAVES], there[LEAVES];

	distribution_of(score, sensitivity, here);
	for (uint32_t at = 0; at < LEAVES; at++)
	{
		memcpy(other, leaf, sizeof(other));
		other[at]++;
		dp_quantile_scores(other, LEAVES, rank, moved);
		distribution_of(moved, sensitivity, there);
		for (uint32_t v = 0; v < LEAVES; v++)
		{
			int64_t gap = llabs(moved[v] - score[v]);

			found->over = gap - sensitivity > found->over ? gap - sensitivity : found->over;
			found->most = gap == sensitivity ? gap : found->most;
			found->loss = fmax(found->loss, fabs(here[v] - there[v]) - 1);
		}
	}
}

static void
try_table(const int64_t *leaf, const DpQuantileRank *rank, Found *found)
{
	uint32_t holder = holder_of(leaf, rank->quantile_nano);
	int64_t score[LEAVES];

	dp_quantile_scores(leaf, LEAVES, rank, score);
	for (uint32_t v = 0; v < LEAVES; v++)
	{
		double distance = -(double) score[v] / HALF_NANO, between = 0;

		for (uint32_t u = (v < holder ? v : holder) + 1; u < (v < holder ? holder : v); u++)
			between += (double) leaf[u];
		found->value = fmax(found->value, fabs(distance - distance_of(leaf, v, rank)));
		found->between = fmax(found->between, between - distance);
	}
	found->far = fmax(found->far, -(double) score[holder] / HALF_NANO - (double) rank->margin_rows);
	try_row(leaf, score, rank, found);
}

int
main(void)
{
	int64_t huge[LEAVES] = {INT64_MAX, INT64_MAX, INT64_MAX}, score[LEAVES];

	for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++)
	{
		Found found = {0};

		for (int64_t margin = 0; margin <= 2; margin++)
			for (int64_t a = 0; a <= ROWS_MAX; a++)
				for (int64_t b = 0; b <= ROWS_MAX; b++)
					for (int64_t c = 0; c <= ROWS_MAX; c++)
						try_table((int64_t[]){a, b, c}, &(DpQuantileRank){shares[s], margin},
								  &found);
		CHECK(found.value < 1e-9, "scores of q = %g are as stated", (double) shares[s] / 1e9);
		CHECK(found.over <= 0 && found.most > 0, "a row moves them by the sensitivity at most");
		CHECK(found.loss <= 1e-9, "so that a choice is epsilon-DP");
		CHECK(found.far <= 1e-9, "the leaf of the quantile is within the margin");
		CHECK(found.between <= 1e-9, "no more rows than the distance lie between");
	}
	dp_quantile_scores(huge, LEAVES, &(DpQuantileRank){500000000, 1}, score);
	CHECK(score[1] == 0 && score[0] == -(INT64_C(1) << 62), "what does not fit is cut");
	return unit_finish();
}
