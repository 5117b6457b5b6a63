/*
 * unit_walk.h -- the distribution of a sampler by enumeration, with no random number.
 *
 * A test program defines some of the core's sources of chance itself (the
 * linker takes its definitions in place of the archive's) and lets them call
 * walk_branch(): a walk over all that they could return, each branch with its
 * exact probability. A path that gets less likely than a cutoff is cut and its
 * mass is "lost". So each probability found is a lower bound, and the lost mass
 * is how far below the truth all of them together may be.
 */
#ifndef UNIT_WALK_H
#define UNIT_WALK_H

#include "unit_stat.h"

#define WALK_DEPTH_MAX 1000
#define WALK_OUTCOMES 1024

typedef struct Walk
{
	uint64_t branches[WALK_DEPTH_MAX];
	uint64_t branch[WALK_DEPTH_MAX];
	int length; /* of the path that is being replayed and extended */
	int position;
	long double probability; /* of the path up to position */
	long double cutoff;
	bool cut;
	int starts;           /* of the sampler on this path */
	long double returned; /* mass of paths that came back to the start */
	long double lost;
	long double mass[WALK_OUTCOMES];
} Walk;

/* A sampler under test: its outcome as an index below WALK_OUTCOMES, or -1 for one outside. */
typedef DpStatus (*WalkSampler)(DpRng *rng, const void *parameter, int *outcome);

/* Which of n branches this path takes: a new node begins at its first. DP_ERR_RANDOM: cut here. */
static inline DpStatus
walk_branch(Walk *walk, uint64_t n, uint64_t *branch)
{
	if (walk->cut || walk->probability <= 0 ||
		(walk->position == walk->length &&
		 (walk->probability < walk->cutoff || walk->length == WALK_DEPTH_MAX)))
	{
		walk->cut = true;
		return DP_ERR_RANDOM;
	}
	if (walk->position == walk->length)
	{
		walk->branches[walk->length] = n;
		walk->branch[walk->length++] = 0;
	}
	*branch = walk->branch[walk->position++];
	return DP_OK;
}

static inline DpStatus
walk_uniform(Walk *walk, uint64_t n, uint64_t *value)
{
	*value = 0;
	if (n <= 1)
		return n == 1 ? DP_OK : DP_ERR_ARGUMENT;
	DP_TRY(walk_branch(walk, n, value));
	walk->probability /= (long double) n;
	return DP_OK;
}

static inline DpStatus
walk_coin(Walk *walk, long double heads_probability, bool *heads)
{
	uint64_t branch = 0;

	*heads = heads_probability >= 1;
	if (heads_probability >= 1 || heads_probability <= 0)
		return DP_OK;
	DP_TRY(walk_branch(walk, 2, &branch));
	walk->probability *= branch == 0 ? heads_probability : 1 - heads_probability;
	*heads = branch == 0;
	return DP_OK;
}

/*
 * For a sampler that throws all away and starts again: called where it starts.
 * What follows the second start has the distribution of the whole, so the path ends
 * there, and walk_all() divides by the mass that did not come back.
 */
static inline DpStatus
walk_start(Walk *walk)
{
	walk->cut = walk->cut || walk->starts > 0;
	walk->starts++;
	return walk->cut ? DP_ERR_RANDOM : DP_OK;
}

/* The next path in order; false after the last. */
static inline bool
walk_turn(Walk *walk)
{
	while (walk->length > 0 && ++walk->branch[walk->length - 1] == walk->branches[walk->length - 1])
		walk->length--;
	return walk->length > 0;
}

/* Where the mass of a finished path belongs. */
static inline long double *
walk_bin(Walk *walk, int outcome)
{
	if (walk->starts > 1)
		return &walk->returned;
	return walk->cut || outcome < 0 ? &walk->lost : &walk->mass[outcome];
}

static inline void
walk_all(Walk *walk, long double cutoff, WalkSampler sampler, const void *parameter)
{
	DpRng rng;

	memset(walk, 0, sizeof(*walk));
	walk->cutoff = cutoff;
	rng.context = walk;
	do
	{
		int outcome = -1;

		walk->position = 0;
		walk->probability = 1;
		walk->cut = false;
		walk->starts = 0;
		if (sampler(&rng, parameter, &outcome) != DP_OK && !walk->cut)
			walk->lost = INFINITY;
		*walk_bin(walk, outcome) += walk->probability;
	} while (walk_turn(walk));
	for (int i = 0; i < WALK_OUTCOMES; i++)
		walk->mass[i] /= 1 - walk->returned;
	walk->lost /= 1 - walk->returned;
}

/* 0 <= truth - found <= lost, for each outcome and in sum. */
static inline bool
walk_agrees(const Walk *walk, const long double *truth)
{
	long double missing = 0;

	for (int i = 0; i < WALK_OUTCOMES; i++)
	{
		if (walk->mass[i] > truth[i] + 1e-15L)
			return false;
		missing += truth[i] - walk->mass[i];
	}
	return missing <= walk->lost + 1e-14L;
}

#endif
