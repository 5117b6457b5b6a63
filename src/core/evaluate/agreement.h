/*
 * agreement.h -- whether two estimates of one coefficient say the same.
 */
#ifndef DP_AGREEMENT_H
#define DP_AGREEMENT_H

#include "core/base/status.h"

typedef struct DpConfidenceInterval
{
	double low, high;
} DpConfidenceInterval;

/* Sign and statistical significance of a synthetic estimate beside the original one. */
typedef enum DpSignificanceClass
{
	DP_SSS_BEST = 0, /* both agree */
	DP_SSS_NEUTRAL,  /* other sign, and neither is significant */
	DP_SSS_II_PLUS,  /* significance is lost */
	DP_SSS_I_PLUS,   /* significance is made up */
	DP_SSS_II_MINUS, /* lost, with the other sign */
	DP_SSS_I_MINUS,  /* made up, with the other sign */
	DP_SSS_WORST     /* both are significant, with other signs */
} DpSignificanceClass;

/*
 * The share of each interval that both have in common, on average. 1: they are the same; 0: they
 * do not meet. Source: Karr, Kohnen, Oganian, Reiter, Sanil, "A framework for evaluating the
 * utility of data altered to protect confidentiality" (2006).
 */
extern double dp_interval_overlap(DpConfidenceInterval a, DpConfidenceInterval b);
/*
 * Source: Eugenio, Liu, "Construction of differentially private empirical distributions from a
 * low-order marginals set through solving linear equations with l2 regularization" (2021), table 1.
 */
extern DpSignificanceClass dp_significance_class(bool same_sign, bool original, bool synthetic);
/* "best", "neutral", "II+", "I+", "II-", "I-", "worst". */
extern const char *dp_significance_name(DpSignificanceClass of);

#endif
