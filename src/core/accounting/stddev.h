/*
 * stddev.h -- the parameters of additive noise, and its standard deviation. Plans and
 * estimates use it too, which hold no noise source.
 */
#ifndef DP_STDDEV_H
#define DP_STDDEV_H

#include "core/accounting/privacy_unit.h"

/* Discrete Laplace noise on counts: P[Z = z] is proportional to exp(-|z| epsilon / sensitivity). */
typedef struct DpLaplace
{
	int64_t epsilon_nano;   /* 1..DP_EPSILON_NANO_MAX */
	int64_t sensitivity_l1; /* rows, >= 1 */
} DpLaplace;

/* Discrete Gaussian noise on counts: sigma^2 = sensitivity_l2_squared / (2 rho). */
typedef struct DpGaussian
{
	int64_t rho_pico;               /* 1..DP_RHO_PICO_MAX */
	int64_t sensitivity_l2_squared; /* rows^2, >= 1 */
} DpGaussian;

/* The noise for one histogram into which each row was counted once at most. */
extern DpLaplace dp_unit_laplace(const DpUnit *unit, int64_t epsilon_nano);
extern DpGaussian dp_unit_gaussian(const DpUnit *unit, int64_t rho_pico);

/* In rows: sqrt(2 a) / (1 - a) with a = exp(-epsilon / sensitivity). */
extern double dp_laplace_stddev(DpLaplace distribution);

/* In rows: sigma, or less where sigma is well below a row. */
extern double dp_gaussian_stddev(DpGaussian distribution);

#endif
