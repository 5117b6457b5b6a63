/*
 * disjoint.h -- many private choices, each about rows of its own,
 * for the price of one.
 */
#ifndef DP_DISJOINT_H
#define DP_DISJOINT_H

#include "core/accounting/privacy_unit.h"
#include "core/mechanism/noise_source.h"

/* What each group of rows chooses from. SECRET. Each row is in one group, and the scores of a
 * group depend on its rows alone. */
typedef struct DpDisjointScores
{
	const int64_t *score; /* [groups x candidates]; the scores of a group are contiguous */
	uint64_t groups;
	uint64_t candidates;
	int64_t row_sensitivity; /* how far a score moves when one row joins or leaves its group */
} DpDisjointScores;

/* Sets chosen[g] to one of the candidates for each group, by dp_select. All choices together are
 * (epsilon, 0)-DP; that is what is charged. */
extern DpStatus dp_select_disjoint(const DpNoiseSource *noise, const DpDisjointScores *scores,
								   int64_t epsilon_nano, DpUnit unit, uint32_t *chosen) DP_MUST_USE;
/* The same by dp_select_concentrated: all choices together are rho-zCDP; that is what is
 * charged. */
extern DpStatus dp_select_disjoint_concentrated(const DpNoiseSource *noise,
												const DpDisjointScores *scores, int64_t rho_pico,
												DpUnit unit, uint32_t *chosen) DP_MUST_USE;
/* The rho of one of those choices: rho_pico / L1^2, rounded down. 0 means that rho is too
 * little. */
extern int64_t dp_disjoint_rho(int64_t rho_pico, DpUnit unit);
/* The epsilon of one of these choices: epsilon_nano / L1, rounded down. 0 means that epsilon is
 * too little. */
extern int64_t dp_disjoint_epsilon(int64_t epsilon_nano, DpUnit unit);

#endif
