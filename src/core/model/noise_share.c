/*
 * noise_share.c -- how much of what the rows of a release say is noise; see noise_share.h.
 */
#include "core/model/noise_share.h"

#include <math.h>

/* The noise of ten cells of standard deviation s is as much as half of 8 s rows: 10 s sqrt(2 / pi). */
double
dp_noise_rows(double stddev)
{
	return 8 * stddev;
}

double
dp_noise_share(double half, double rows)
{
	return rows > 0 ? fmin(half / (2 * rows), 1) : 0;
}

const char *
dp_noise_share_words(double share)
{
	if (share > DP_NOISE_MOST)
		return share >= .9 ? "nearly all" : "most";
	return share >= .4 ? "about half" : "a third or so";
}
