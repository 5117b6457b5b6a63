/*
 * test_noise_share.c -- the share of what rows say that is noise, and its words.
 */
#include "core/model/noise_share.h"

#include <string.h>

#include "unit.h"

static void
test_share(void)
{
	double half = dp_noise_rows(100);

	CHECK_NEAR(dp_noise_share(half, 800), .5, 1e-12, "half, of eight standard deviations");
	CHECK_NEAR(dp_noise_share(half, 8000), .05, 1e-12, "a twentieth, of ten times as many");
	CHECK_NEAR(dp_noise_share(half, 1), 1, 1e-12, "never more than all");
	CHECK_NEAR(dp_noise_share(half, 0), 0, 1e-12, "nothing is known of no rows");
	CHECK_NEAR(dp_noise_share(dp_noise_rows(0), 5), 0, 1e-12, "none without noise");
}

static void
test_words(void)
{
	CHECK(strcmp(dp_noise_share_words(.95), "nearly all") == 0, "of .95");
	CHECK(strcmp(dp_noise_share_words(.6), "most") == 0, "of .6");
	CHECK(strcmp(dp_noise_share_words(DP_NOISE_MOST), "about half") == 0, "of a half");
	CHECK(strcmp(dp_noise_share_words(DP_NOISE_WORTH_A_WORD), "a third or so") == 0,
		  "of a quarter");
}

int
main(void)
{
	test_share();
	test_words();
	return unit_finish();
}
