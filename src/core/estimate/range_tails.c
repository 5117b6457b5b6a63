/*
 * range_tails.c -- a smooth tail through the noisy counts of the leaves at an end of a range.
 *
 * At the end of a column rows are few, so that leaves are wide and their counts are not clear of
 * the noise. A single count says little there, but all together follow a smooth distribution:
 * beyond a high threshold, the tail of almost any distribution is close to a generalized Pareto
 * distribution (Pickands 1975), with a negative shape where values end, 0 for an exponential tail,
 * and a positive one for a heavy tail. Its three numbers are found by least squares over a grid of
 * scales and shapes. The number of rows follows from these. Large shapes have a penalty, because
 * few noisy counts hardly tell them apart.
 */
#include "core/estimate/range_tails.h"

#include <math.h>

#define SHAPE_LEAST (-1.0) /* values end, and are uniform up to there */
#define SHAPE_MOST 0.5
#define SHAPE_STEP 0.1
#define HEAVY_STDDEV 0.4  /* of the penalty of a positive shape */
#define LIGHT_STDDEV 0.8  /* of a negative one */
#define SCALE_STEP 1.15   /* between scales that are tried */
#define SCALE_LEAST 0.125 /* in parts of the narrowest leaf */
#define SCALE_MOST 100.0  /* in parts of all leaves together: as good as uniform */
#define REACH_STDDEVS 0.6 /* so many rows are not put further out, but at the reach */
#define RARE_PARTS 1.4    /* a leaf that does little harm is clear at a smaller count */
#define HARM 0.25         /* how far noise in it moves the mean, in mean distances */
#define ROUNDS 4

/* ---- the distribution ---- */

/* The part of the rows that is further out than y. */
static double
further(double shape, double scale, double y)
{
	double base = 1 + shape * y / scale;

	if (fabs(shape) < SHAPE_STEP / 2)
		return exp(-y / scale);
	return base <= 0 ? 0 : pow(base, -1 / shape);
}

double
dp_range_tail_rows(const DpRangeTail *tail, double from, double to)
{
	if (from >= tail->reach)
		return 0;
	return tail->rows * (further(tail->shape, tail->scale, from) -
						 further(tail->shape, tail->scale, to >= tail->reach ? tail->end : to));
}

double
dp_range_tail_cut(const DpRangeTail *tail, double from, double to, double part)
{
	double low = from, high = fmin(to, tail->reach);
	double wanted = part * dp_range_tail_rows(tail, from, to);

	for (int i = 0; i < 64; i++)
	{
		double middle = low + (high - low) / 2;

		if (dp_range_tail_rows(tail, from, middle) < wanted)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Where the distribution has so few rows left that they are none. */
static double
reach_of(const DpRangeTail *tail, double end, double stddev_rows)
{
	double part = fmin(fmax(REACH_STDDEVS * stddev_rows, 1) / tail->rows, 1);
	double reach = fabs(tail->shape) < SHAPE_STEP / 2
					   ? -tail->scale * log(part)
					   : tail->scale / tail->shape * (pow(part, -tail->shape) - 1);

	return fmin(reach, end);
}

/* ---- fit ---- */

/* The least sum of squares for a scale and a shape, in variances, and the rows it has. */
static double
misfit(const DpEndLeaves *leaves, const bool *alone, DpRangeTail *tail)
{
	double all = 0, with = 0, own = 0, before = 1;
	double penalty = tail->shape / (tail->shape < 0 ? LIGHT_STDDEV : HEAVY_STDDEV);

	for (uint32_t i = 0; i < leaves->n; i++)
	{
		double after = before > 0 ? further(tail->shape, tail->scale, leaves->edge[i + 1]) : before;
		double part = before - after;

		before = after;
		if (alone[i])
			continue;
		all += leaves->count[i] * leaves->count[i];
		with += leaves->count[i] * part;
		own += part * part;
	}
	tail->rows = own > 0 ? fmax(with / own, 0) : 0;
	return (all - tail->rows * with) / (leaves->stddev_rows * leaves->stddev_rows) +
		   penalty * penalty;
}

static DpRangeTail
best_tail(const DpEndLeaves *leaves, const bool *alone)
{
	double narrowest = INFINITY, least = INFINITY, end = leaves->edge[leaves->n];
	DpRangeTail best = {0}, tail;

	for (uint32_t i = 0; i < leaves->n; i++)
		narrowest = fmin(narrowest, leaves->edge[i + 1] - leaves->edge[i]);
	for (tail.shape = SHAPE_LEAST; tail.shape < SHAPE_MOST + SHAPE_STEP / 2;
		 tail.shape += SHAPE_STEP)
		for (tail.scale = narrowest * SCALE_LEAST; tail.scale < end * SCALE_MOST;
			 tail.scale *= SCALE_STEP)
		{
			double own = misfit(leaves, alone, &tail);

			if (own < least && tail.rows > 0)
			{
				least = own;
				best = tail;
			}
		}
	best.end = end;
	if (best.rows > 0)
		best.reach = reach_of(&best, end, leaves->stddev_rows);
	return best;
}

/*
 * By how much a count must exceed the tail to stand out. Noise that passes for rows does the more
 * harm the further out it is.
 */
static double
clear_rows(const DpEndLeaves *leaves, uint32_t i)
{
	double distance = leaves->edge[i] + (leaves->edge[i + 1] - leaves->edge[i]) / 2;
	bool harmless = leaves->rare_rows * distance <= HARM * leaves->distances;

	return harmless ? leaves->rare_rows / RARE_PARTS : leaves->rare_rows;
}

bool
dp_range_tail_fit(const DpEndLeaves *leaves, DpRangeTail *tail, bool *alone)
{
	bool found = true;

	for (uint32_t i = 0; i < leaves->n; i++)
		alone[i] = false;
	for (int round = 0; found && round < ROUNDS; round++)
	{
		found = false;
		*tail = best_tail(leaves, alone);
		if (tail->rows <= 0)
			return false;
		for (uint32_t i = 0; i < leaves->n; i++)
		{
			double more =
				leaves->count[i] - dp_range_tail_rows(tail, leaves->edge[i], leaves->edge[i + 1]);

			if (!alone[i] && more < -leaves->rare_rows)
				return false;
			if (!alone[i] && more > clear_rows(leaves, i))
				found = alone[i] = true;
		}
	}
	return !found;
}
