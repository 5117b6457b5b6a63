/*
 * raking.c -- weights of levels, from what rows of a trial have and what the model says.
 */
#include "core/sample/raking.h"

#include <math.h>
#include <string.h>

#include "core/sample/graphical_fit.h"

#define ALONE UINT32_MAX
#define CELLS_MAX UINT64_C(65536)         /* of the table of a pair */
#define SUM_CELLS_MAX (UINT64_C(1) << 18) /* on the way to such a table */
#define PAIRS_MAX 1000
#define PRIOR_ROWS 10 /* as many rows of the model's own are counted with each trial */
#define TRIALS_FULL 3 /* the first ones, which change weights by all that they show */
#define RATIO_MAX 4   /* by which a weight changes in a trial, at most */
#define NOISE 0.5     /* a pair that is off by less, in distances of drawn rows, is left as it is */
#define DISTANCE_LEAST 0.002
#define ROOT_ROWS_MAX 16384
#define MEAN_ABSOLUTE 0.4 /* half of the mean of |Z|, Z standard normal */

/* A drawn attribute, alone or given a known one. */
typedef struct Pair
{
	uint32_t known; /* ALONE: none */
	uint32_t drawn;
	uint32_t rows, columns; /* groups of levels of the known one, and of the drawn one */
	bool used;              /* its weights are not all 1 */
	double *share;          /* [rows x columns] of a row of the table, by the model */
	double *count;          /* [rows x columns] of this trial */
	double *weight;         /* [rows x columns] */
	/* rows of the trial that are still to be counted, all with the shares of the row before */
	uint32_t pending_row;
	double pending; /* their weight */
} Pair;

struct DpRaking
{
	const DpGraphicalFit *fit;
	uint32_t attributes;
	const bool *known;
	int trials; /* so far; the first one shows which pairs are off */
	uint32_t pairs;
	Pair *pair;    /* those of one drawn attribute follow each other, and that alone is the first */
	uint32_t used; /* pairs whose weights are not all 1 */
	uint32_t *at;  /* [used] */
	double **last; /* [attributes] shares of the row before; NULL: it has no pair */
	uint64_t *version; /* [attributes] of them */
};

static uint32_t
group_of(const DpRaking *raking, uint32_t attribute, uint32_t code)
{
	return raking->fit->group == NULL ? code : raking->fit->group[attribute][code];
}

/* ---- the model's tables ---- */

/* Makes shares of the counts of each row of the table. */
static void
shares_of(const Pair *pair)
{
	for (uint32_t i = 0; i < pair->rows; i++)
	{
		double *row = pair->share + (size_t) i * pair->columns, sum = 0;

		for (uint32_t k = 0; k < pair->columns; k++)
			sum += row[k];
		for (uint32_t k = 0; k < pair->columns; k++)
			row[k] = sum > 0 ? row[k] / sum : 0;
	}
}

/* DP_ERR_LIMIT: the model cannot say it at a bearable cost. */
static DpStatus
pair_shares(const DpRaking *raking, const Pair *pair, DpArena *arena)
{
	bool alone = pair->known == ALONE, drawn_first = !alone && pair->drawn < pair->known;
	uint32_t attribute[2] = {alone || drawn_first ? pair->drawn : pair->known,
							 drawn_first ? pair->known : pair->drawn};
	uint64_t cells = (uint64_t) pair->rows * pair->columns;
	double *counts = dp_alloc(arena, cells, sizeof(*counts));

	DP_TRY_ALLOC(counts);
	DP_TRY(dp_belief_marginal(&raking->fit->graphical.belief,
							  &(DpAttributeSet){alone ? 1 : 2, attribute}, SUM_CELLS_MAX, counts,
							  arena));
	for (uint32_t i = 0; i < pair->rows; i++)
		for (uint32_t k = 0; k < pair->columns; k++)
		{
			double count =
				counts[drawn_first ? (size_t) k * pair->rows + i : (size_t) i * pair->columns + k];

			pair->share[(size_t) i * pair->columns + k] = count > 0 ? count : 0;
		}
	dp_free(arena, counts, cells, sizeof(*counts));
	shares_of(pair);
	return DP_OK;
}

static Pair
pair_of(const DpRaking *raking, uint32_t known, uint32_t drawn)
{
	const uint32_t *levels = raking->fit->graphical.levels;

	return (Pair){.known = known,
				  .drawn = drawn,
				  .rows = known == ALONE ? 1 : levels[known],
				  .columns = levels[drawn]};
}

/* A pair whose table is too large is left out. */
static DpStatus
pair_add(DpRaking *raking, uint32_t known, uint32_t drawn, DpArena *arena)
{
	const uint32_t *levels = raking->fit->graphical.levels;
	Pair *pair = &raking->pair[raking->pairs];
	uint64_t cells = (uint64_t) levels[drawn] * (known == ALONE ? 1 : levels[known]);
	DpStatus status;

	if (cells > CELLS_MAX || raking->pairs == PAIRS_MAX)
		return DP_OK;
	*pair = pair_of(raking, known, drawn);
	pair->share = dp_alloc(arena, cells, sizeof(double));
	pair->count = dp_alloc(arena, cells, sizeof(double));
	pair->weight = dp_alloc(arena, cells, sizeof(double));
	DP_TRY_ALLOC(pair->share && pair->count && pair->weight);
	for (uint64_t i = 0; i < cells; i++)
		pair->weight[i] = 1;
	status = pair_shares(raking, pair, arena);
	raking->pairs += status == DP_OK;
	return status == DP_ERR_LIMIT ? DP_OK : status;
}

DpStatus
dp_raking_build(const void *fitted, const bool *known, const bool *given, DpRaking **out,
				const DpTick *tick, DpArena *arena)
{
	DpRaking *raking = dp_alloc(arena, 1, sizeof(*raking));
	const DpGraphicalFit *fit = fitted;
	uint32_t p = fit->graphical.attributes;

	DP_TRY_ALLOC(raking);
	*raking = (DpRaking){
		.fit = fit,
		.attributes = p,
	};
	raking->known = dp_memdup(arena, known, p * sizeof(*known));
	raking->pair = dp_alloc(arena, PAIRS_MAX, sizeof(*raking->pair));
	raking->at = dp_alloc(arena, PAIRS_MAX, sizeof(*raking->at));
	raking->last = dp_alloc(arena, p + 1, sizeof(*raking->last));
	raking->version = dp_alloc(arena, p + 1, sizeof(*raking->version));
	DP_TRY_ALLOC(raking->known && raking->pair && raking->at && raking->last && raking->version);
	for (uint32_t b = 0; b < p; b++)
	{
		uint32_t before = raking->pairs;

		if (known[b])
			continue;
		DP_TRY(pair_add(raking, ALONE, b, arena));
		for (uint32_t a = 0; a < p && raking->pairs > before; a++)
		{
			dp_tick(tick, -1.0);
			if (given[a])
				DP_TRY(pair_add(raking, a, b, arena));
		}
		if (raking->pairs == before)
			continue;
		raking->last[b] = dp_alloc(arena, raking->pair[before].columns, sizeof(double));
		DP_TRY_ALLOC(raking->last[b]);
	}
	*out = raking;
	return DP_OK;
}

/* ---- trials ---- */

static bool
is_counted(const DpRaking *raking, const Pair *pair)
{
	return pair->used || pair->known == ALONE || raking->trials == 0;
}

/* Counts what is pending. */
static void
pair_flush(const DpRaking *raking, Pair *pair)
{
	double *count = pair->count + (size_t) pair->pending_row * pair->columns;
	const double *share = raking->last[pair->drawn];

	for (uint32_t k = 0; k < pair->columns && pair->pending > 0; k++)
		count[k] += pair->pending * share[k];
	pair->pending = 0;
}

void
dp_raking_count(DpRaking *raking, const uint32_t *codes, DpRakingShares shares, double weight)
{
	for (uint32_t i = 0; i < raking->pairs; i++)
	{
		Pair *pair = &raking->pair[i];
		uint32_t row = pair->known == ALONE ? 0 : group_of(raking, pair->known, codes[pair->known]);

		if (shares.version[pair->drawn] != raking->version[pair->drawn] || row != pair->pending_row)
			pair_flush(raking, pair);
	}
	for (uint32_t i = 0; i < raking->pairs; i++)
	{
		Pair *pair = &raking->pair[i];

		if (shares.version[pair->drawn] != raking->version[pair->drawn])
			memcpy(raking->last[pair->drawn], shares.share[pair->drawn],
				   pair->columns * sizeof(double));
		raking->version[pair->drawn] = shares.version[pair->drawn];
		if (!is_counted(raking, pair))
			continue;
		pair->pending_row =
			pair->known == ALONE ? 0 : group_of(raking, pair->known, codes[pair->known]);
		pair->pending += weight;
	}
}

static double
row_count(const Pair *pair, uint32_t row)
{
	double count = 0;

	for (uint32_t k = 0; k < pair->columns; k++)
		count += pair->count[(size_t) row * pair->columns + k];
	return count;
}

/* Whether a pair is far from the model. The sums of probabilities are several times nearer to the
 * model than counts of as many drawn rows would be. */
static bool
is_off(const Pair *pair)
{
	double distance = 0, noise = 0, all = 0;

	for (uint32_t i = 0; i < pair->rows; i++)
	{
		double rows = row_count(pair, i);

		for (uint32_t k = 0; k < pair->columns; k++)
		{
			size_t at = (size_t) i * pair->columns + k;
			double expected = rows * pair->share[at];

			distance += fabs(pair->count[at] - expected) / 2;
			noise += MEAN_ABSOLUTE * sqrt(expected * (1 - pair->share[at]));
		}
		all += rows;
	}
	return distance > NOISE * noise && distance > DISTANCE_LEAST * all;
}

/* By how much a cell of the table should be larger. */
static double
ratio_of(const Pair *pair, uint32_t row, double rows, uint32_t column)
{
	size_t at = (size_t) row * pair->columns + column;
	double share = pair->share[at];
	double ratio;

	if (share <= 0)
		return 1;
	ratio = share * (rows + PRIOR_ROWS) / (pair->count[at] + PRIOR_ROWS * share);
	return fmin(fmax(ratio, 1.0 / RATIO_MAX), RATIO_MAX);
}

static void
weights_change(Pair *pair, const Pair *alone, double step)
{
	double all = row_count(alone, 0);

	for (uint32_t i = 0; i < pair->rows; i++)
	{
		double rows = row_count(pair, i);

		for (uint32_t k = 0; k < pair->columns; k++)
		{
			double ratio = ratio_of(pair, i, rows, k);

			if (pair != alone)
				ratio /= ratio_of(alone, 0, all, k);
			pair->weight[(size_t) i * pair->columns + k] *= pow(ratio, step);
		}
	}
}

/* How many known attributes give weights to what a pair draws. Several may show one
 * difference. */
static uint32_t
pairs_of(const DpRaking *raking, uint32_t number)
{
	uint32_t pairs = 0;

	for (uint32_t i = 0; i < raking->pairs; i++)
		pairs += raking->pair[i].used && raking->pair[i].known != ALONE &&
				 raking->pair[i].drawn == raking->pair[number].drawn;
	return pairs;
}

bool
dp_raking_end_trial(DpRaking *raking)
{
	double step = raking->trials < TRIALS_FULL ? 1 : 1.0 / (raking->trials - TRIALS_FULL + 2);
	const Pair *alone = NULL;

	for (uint32_t i = 0; i < raking->pairs; i++)
	{
		Pair *pair = &raking->pair[i];

		pair_flush(raking, pair);
		if (raking->trials == 0)
			pair->used = is_off(pair);
		if (raking->trials == 0 && pair->used)
			raking->at[raking->used++] = i;
	}
	for (uint32_t i = 0; i < raking->pairs; i++)
	{
		Pair *pair = &raking->pair[i];

		alone = pair->known == ALONE ? pair : alone;
		if (pair->used)
			weights_change(pair, alone, pair == alone ? step : step / sqrt(pairs_of(raking, i)));
	}
	for (uint32_t i = 0; i < raking->pairs; i++)
		memset(raking->pair[i].count, 0,
			   sizeof(double) * raking->pair[i].rows * raking->pair[i].columns);
	raking->trials++;
	return raking->used > 0;
}

int
dp_raking_size(uint64_t wanted, uint64_t *rows)
{
	int size = DP_RAKING_SIZES - 1;

	for (*rows = ROOT_ROWS_MAX; size > 0 && *rows / 2 >= wanted; *rows /= 2)
		size--;
	return size;
}

double
dp_raking_trials_rows(double root_rows, double rows)
{
	uint64_t trial_rows;

	(void) dp_raking_size((uint64_t) fmin(root_rows, ROOT_ROWS_MAX), &trial_rows);
	return DP_RAKING_TRIALS * fmin(DP_RAKING_ROWS, rows / fmax(root_rows, 1) * (double) trial_rows);
}

/* ---- weights ---- */

DpStatus
dp_raking_place_new(const DpRaking *raking, DpRakingPlace **out, DpArena *arena)
{
	DpRakingPlace *place = dp_alloc(arena, 1, sizeof(*place));

	DP_TRY_ALLOC(place);
	*place = (DpRakingPlace){.trials = -1};
	place->row = dp_alloc(arena, (uint64_t) raking->pairs + 1, sizeof(uint32_t));
	place->is_changed = dp_alloc(arena, (uint64_t) raking->attributes + 1, sizeof(bool));
	place->is_stale = dp_alloc(arena, (uint64_t) raking->attributes + 1, sizeof(bool));
	DP_TRY_ALLOC(place->row && place->is_changed && place->is_stale);
	*out = place;
	return DP_OK;
}

/* Goes to the place of a row. */
static void
place_move(const DpRaking *raking, const uint32_t *group, DpRakingPlace *place)
{
	for (uint32_t a = 0; a < raking->attributes; a++)
	{
		place->is_changed[a] = place->is_stale[a] || place->trials != raking->trials;
		place->is_stale[a] = false;
	}
	for (uint32_t i = 0; i < raking->used; i++)
	{
		const Pair *pair = &raking->pair[raking->at[i]];
		uint32_t row = pair->known == ALONE ? 0 : group[pair->known];

		place->is_changed[pair->drawn] |= place->row[i] != row;
		place->row[i] = row;
	}
	place->trials = raking->trials;
}

void
dp_raking_weigh(const DpRaking *raking, const uint32_t *group, DpRakingPlace *place,
				double *const *weight)
{
	place_move(raking, group, place);
	for (uint32_t a = 0; a < raking->attributes; a++)
		for (uint32_t k = 0;
			 place->is_changed[a] && !raking->known[a] && k < raking->fit->graphical.levels[a]; k++)
			weight[a][k] = 1;
	for (uint32_t i = 0; i < raking->used; i++)
	{
		const Pair *pair = &raking->pair[raking->at[i]];
		const double *given = pair->weight + (size_t) place->row[i] * pair->columns;

		for (uint32_t k = 0; k < pair->columns && place->is_changed[pair->drawn]; k++)
			weight[pair->drawn][k] *= given[k];
	}
}

/* ---- weights for another process ---- */

static size_t
weight_bytes(const Pair *pair)
{
	return sizeof(double) * pair->rows * pair->columns;
}

size_t
dp_raking_weights_bytes(const DpRaking *raking)
{
	size_t bytes = sizeof(raking->used);

	for (uint32_t i = 0; i < raking->used; i++)
		bytes += 2 * sizeof(uint32_t) + weight_bytes(&raking->pair[raking->at[i]]);
	return bytes;
}

static unsigned char *
put(unsigned char *to, const void *value, size_t bytes)
{
	memcpy(to, value, bytes);
	return to + bytes;
}

void
dp_raking_weights_write(const DpRaking *raking, unsigned char *to)
{
	to = put(to, &raking->used, sizeof(raking->used));
	for (uint32_t i = 0; i < raking->used; i++)
	{
		const Pair *pair = &raking->pair[raking->at[i]];

		to = put(to, &pair->known, sizeof(pair->known));
		to = put(to, &pair->drawn, sizeof(pair->drawn));
		to = put(to, pair->weight, weight_bytes(pair));
	}
}

DpStatus
dp_raking_weights_read(const void *fitted, const bool *known, const unsigned char *from,
					   DpRaking **out, DpArena *arena)
{
	const DpGraphicalFit *fit = fitted;
	DpRaking *raking = dp_alloc(arena, 1, sizeof(*raking));

	DP_TRY_ALLOC(raking);
	*raking = (DpRaking){.fit = fit, .attributes = fit->graphical.attributes};
	memcpy(&raking->used, from, sizeof(raking->used));
	from += sizeof(raking->used);
	raking->pairs = raking->used;
	raking->known = dp_memdup(arena, known, raking->attributes * sizeof(*known));
	raking->pair = dp_alloc(arena, (uint64_t) raking->used + 1, sizeof(*raking->pair));
	raking->at = dp_alloc(arena, (uint64_t) raking->used + 1, sizeof(*raking->at));
	DP_TRY_ALLOC(raking->known && raking->pair && raking->at);
	for (uint32_t i = 0; i < raking->used; i++)
	{
		Pair *pair = &raking->pair[i];
		uint32_t attribute[2]; /* known, drawn */

		memcpy(attribute, from, sizeof(attribute));
		*pair = pair_of(raking, attribute[0], attribute[1]);
		pair->used = true;
		pair->weight = dp_memdup(arena, from + sizeof(attribute), weight_bytes(pair));
		DP_TRY_ALLOC(pair->weight);
		raking->at[i] = i;
		from += sizeof(attribute) + weight_bytes(pair);
	}
	*out = raking;
	return DP_OK;
}
