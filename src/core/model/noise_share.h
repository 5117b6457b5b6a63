/*
 * noise_share.h -- how much of what the rows of a release say is noise, by public figures alone.
 */
#ifndef DP_NOISE_SHARE_H
#define DP_NOISE_SHARE_H

#include "core/model/model.h"

/* Less of it is in any release. */
#define DP_NOISE_WORTH_A_WORD .25
#define DP_NOISE_MOST .5

/* The number of rows of which half is noise, where the best counts have this standard deviation, in
 * rows. */
extern double dp_noise_rows(double stddev);
/* The share of noise in the result for so many rows, 0 to 1. half: the number of rows at which it
 * is 1/2. */
extern double dp_noise_share(double half, double rows);
/* "most", "about half", for a share that is worth a word. */
extern const char *dp_noise_share_words(double share);

/* Which part of the rows has one level of an attribute, by what was released. */

/*
 * The share, in 0..1, of rows that have a level of an attribute, as the smallest table with the
 * attribute tells it, or the rows that the model holds. Negative counts are taken as they are, so
 * that noise cancels out. The result is -1 where nothing tells it, or no rows are left.
 */
extern double dp_level_share(const DpModel *model, uint32_t attribute, uint32_t level);

#endif
