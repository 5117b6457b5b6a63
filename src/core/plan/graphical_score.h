/*
 * graphical_score.h -- behind the wall: scores by which methods that fit a graphical model choose
 * the next table. Their sensitivity is exact.
 */
#ifndef DP_GRAPHICAL_SCORE_H
#define DP_GRAPHICAL_SCORE_H

#include "core/plan/graphical_measure.h"

#define DP_SCORE_UNIT 4                           /* scores are in quarters of a row */
#define DP_ABSOLUTE_OF_NORMAL 0.79788456080286541 /* sqrt(2/pi): mean of |Z|, Z standard normal */
#define DP_DISTANCE_MAX (INT64_C(1) << 50)
#define DP_GAIN_NONE (-DP_DISTANCE_MAX / 2)
#define DP_SHRINKAGE_ONE 64

/*
 * The L1 distance between exact[i] and a table that is expected, in 1/DP_SCORE_UNIT rows. That
 * table is a function of what is public or released, and is first rounded to that unit, so that the
 * sensitivity is dp_unit_l1 x DP_SCORE_UNIT exactly. A distance over DP_DISTANCE_MAX is cut to it,
 * which does not raise the sensitivity.
 */
extern int64_t dp_graphical_distance_from(const DpGraphicalMeasure *measure, uint32_t i,
										  const double *expected);
/* The share of a deviation that a fit takes over from a table with noise of this standard
 * deviation, in a cell where so many rows are expected: 0 to DP_SHRINKAGE_ONE. */
extern int64_t dp_graphical_shrinkage(double expected, double stddev);
/* The noise that a fit takes over from such a table, in L1 and in rows. */
extern double dp_graphical_noise(const double *expected, uint64_t cells, double stddev);
/*
 * How much nearer a fit is expected to come to exact[i], in L1, with a table of it whose noise has
 * this standard deviation: the distance of each cell, less what is left of it and of the noise once
 * the fit has taken over its share of both. In 1/DP_SCORE_UNIT rows, with the sensitivity of
 * dp_graphical_distance_from; DP_GAIN_NONE where a fit would take over nothing, since 0 would win
 * against tables of which little is left to tell. expected[cells] is scratch memory; what the fit
 * expects is left there.
 */
extern DpStatus dp_graphical_gain(const DpGraphicalMeasure *measure, uint32_t i, double stddev,
								  double *expected, int64_t *gain) DP_MUST_USE;

#endif
