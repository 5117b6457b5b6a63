/*
 * noise_share.h -- how much of what the rows of a release say is noise, by public figures alone.
 */
#ifndef DP_NOISE_SHARE_H
#define DP_NOISE_SHARE_H

/* Less of it is in any release. */
#define DP_NOISE_WORTH_A_WORD .25
#define DP_NOISE_MOST .5

/* The number of rows of which half is noise, where the best counts have this standard deviation, in
 * rows. */
extern double dp_noise_rows(double stddev);
/* The share, in 0..1, of what so many rows say that is noise; half: of how many rows it is half. */
extern double dp_noise_share(double half, double rows);
/* "most", "about half", for a share that is worth a word. */
extern const char *dp_noise_share_words(double share);

#endif
