/*
 * test_sensitivity.c -- sensitivity, from outside: between neighbours no count and no score that is
 * handed to a mechanism moves by more than what is paid for.
 *
 * Stand-ins give back the same for a table and its neighbour, so that both releases ask the same
 * again and again, to the last round; and each of what they ask is compared, by the norm in which
 * its mechanism's proof has it. Of draws from perturbed distributions it is the privacy loss
 * itself: the logarithm of how much likelier the same values of a block are.
 */
#include "unit_trial.h"

#define REPEATS 8
#define SHARE_SEEN 0.95 /* of what is paid for: a norm that no neighbours come near tests little */
#define SHARE_OF_DRAWS 0.5 /* all draws of a block are hardly ever at their worst */
#define ROUNDING 1e-9      /* of the sums of logarithms */
#define UNIT_ROWS_MAX 3
#define ROWS_MAX (1024 + 120 + UNIT_ROWS_MAX) /* TRIAL_LEVELS_MAX ^ TRIAL_COLUMNS_MAX and more */

static const char *const kind_names[STAND_IN_KINDS] = {
	"Laplace",   "Gaussian", "selection", "disjoint selections",
	"stability", "sparse",   "tree",      "draws"};

/* How far each mechanism's input moved, as a share of what was paid for; the largest. */
typedef struct Shares
{
	double of[STAND_IN_KINDS];
} Shares;

/* ---- neighbours ---- */

typedef struct Neighbours
{
	uint32_t n[2];
	TrialRow rows[2][ROWS_MAX];
} Neighbours;

/* A unit's rows at the end of either table: all alike, or of no pattern. */
static uint32_t
add_unit(const Trial *trial, DpPrng *prng, uint32_t n, TrialRow *rows)
{
	uint32_t k = trial->unit.rows_max, own;

	own = dp_unit_rows_public(&trial->unit) ? 1 : k - (uint32_t) dp_prng_below(prng, k);
	trial_rows(trial, prng, own, rows + n);
	if (dp_prng_below(prng, 2) == 0)
		for (uint32_t i = 0; i < own; i++)
			rows[n + i] = trial_cell(trial, trial->joint - 1);
	return n + own;
}

/*
 * Two columns whose dependence a row moves by 2.8 if it is taken from cell (2, 0) and put into cell
 * (0, 1), of the 3 that are paid for. No rows without a pattern come near that.
 */
#define CRAFTED_LEVELS 3
static const uint32_t crafted[CRAFTED_LEVELS][CRAFTED_LEVELS] = {
	{0, 0, 9}, {0, 12, 100}, {0, 0, 0}};
static const TrialRow crafted_rows[] = {{{2, 0}}, {{0, 1}}};

static uint32_t
add_rows(uint32_t n, TrialRow *rows, TrialRow row, uint32_t times)
{
	for (uint32_t i = 0; i < times; i++)
		rows[n + i] = row;
	return n + times;
}

static void
make_crafted(const Trial *trial, Neighbours *out)
{
	bool replaced = trial->unit.neighbours == DP_REPLACE_ONE;
	uint32_t n = 0;

	for (uint32_t a = 0; a < CRAFTED_LEVELS; a++)
		for (uint32_t b = 0; b < CRAFTED_LEVELS; b++)
			n = add_rows(n, out->rows[0], (TrialRow){{a, b}}, crafted[a][b]);
	for (uint32_t i = 0; trial->full && i < trial->joint; i++)
		n = add_rows(n, out->rows[0], trial_cell(trial, i), 1);
	memcpy(out->rows[1], out->rows[0], sizeof(out->rows[0]));
	out->n[0] = add_rows(n, out->rows[0], crafted_rows[0], replaced ? trial->unit.rows_max : 0);
	out->n[1] = add_rows(n, out->rows[1], crafted_rows[1], trial->unit.rows_max);
}

static void
make_neighbours(const Trial *trial, DpPrng *prng, Neighbours *out)
{
	uint32_t n = (uint32_t) dp_prng_below(prng, dp_prng_below(prng, 3) == 0 ? 6 : 120);

	trial_rows(trial, prng, n, out->rows[0]);
	for (uint32_t i = 0; trial->full && i < trial->joint; i++)
		out->rows[0][n++] = trial_cell(trial, i);
	memcpy(out->rows[1], out->rows[0], sizeof(out->rows[0]));
	out->n[0] = n;
	if (trial->unit.neighbours == DP_REPLACE_ONE)
		out->n[0] = add_unit(trial, prng, n, out->rows[0]);
	out->n[1] = add_unit(trial, prng, n, out->rows[1]);
}

/* ---- norms ---- */

static double
difference(const StandInCall *a, const StandInCall *b, uint64_t i)
{
	return fabs((double) (a->value[i] - b->value[i]));
}

static double
sum(const StandInCall *a, const StandInCall *b, int power)
{
	double all = 0;

	for (uint64_t i = 0; i < a->n; i++)
		all += pow(difference(a, b, i), power);
	return all;
}

/* A row that comes counts 73/28 on its path, and one that goes counts 1; or the other way round. */
static double
sum_of_paths(const StandInCall *a, const StandInCall *b)
{
	double more = 0, less = 0;

	for (uint64_t i = 0; i < a->n; i++)
	{
		more += fmax(0, (double) (b->value[i] - a->value[i]));
		less += fmax(0, (double) (a->value[i] - b->value[i]));
	}
	return fmax(73 * more + 28 * less, 28 * more + 73 * less);
}

static double
largest(const StandInCall *a, const StandInCall *b, uint64_t first, uint64_t n)
{
	double most = 0;

	for (uint64_t i = first; i < first + n; i++)
		most = fmax(most, difference(a, b, i));
	return most;
}

/* In rows: each moves the scores of one group. */
static double
rows_of_groups(const StandInCall *a, const StandInCall *b)
{
	uint64_t candidates = (uint64_t) a->known[1];
	double rows = 0;

	for (uint64_t first = 0; first < a->n; first += candidates)
		rows += largest(a, b, first, candidates) / (double) a->sensitivity;
	return rows;
}

/* Of cells in ascending order, of which either may have some that the other has not. */
static double
sum_of_cells(const StandInCall *a, const StandInCall *b)
{
	uint64_t i = 0, k = 0;
	double all = 0;

	while (i < a->n || k < b->n)
	{
		if (k == b->n || (i < a->n && a->index[i] < b->index[k]))
			all += (double) a->value[i++];
		else if (i == a->n || b->index[k] < a->index[i])
			all += (double) b->value[k++];
		else
			all += fabs((double) (a->value[i++] - b->value[k++]));
	}
	return all;
}

static int
descending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

	return (x < y) - (x > y);
}

/* Which cells a stability histogram is of it does not say: in order of size counts are no further
 * from each other than in any other order. */
static double
sum_in_order(const StandInCall *a, const StandInCall *b)
{
	uint64_t n = a->n > b->n ? a->n : b->n;
	int64_t *sorted = calloc(2 * n + 1, sizeof(*sorted));
	double all = 0;

	if (a->n > 0)
		memcpy(sorted, a->value, a->n * sizeof(*sorted));
	if (b->n > 0)
		memcpy(sorted + n, b->value, b->n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), descending);
	qsort(sorted + n, n, sizeof(*sorted), descending);
	for (uint64_t i = 0; i < n; i++)
		all += fabs((double) (sorted[i] - sorted[n + i]));
	free(sorted);
	return all;
}

/* ---- what is asked of both ---- */

static bool
same_query(const StandInCall *a, const StandInCall *b)
{
	bool secret_n = a->kind == STAND_IN_SPARSE || a->kind == STAND_IN_STABILITY;

	return a->kind == b->kind && a->sensitivity == b->sensitivity && (secret_n || a->n == b->n);
}

/* As a share of what was paid for; *loss: of the block, so far. */
static double
share_moved(const StandInCall *a, const StandInCall *b, double *loss)
{
	double paid = (double) a->sensitivity;

	switch (a->kind)
	{
		case STAND_IN_LAPLACE:
			return sum(a, b, 1) / paid;
		case STAND_IN_GAUSSIAN:
			return sum(a, b, 2) / paid;
		case STAND_IN_SELECT:
			return largest(a, b, 0, a->n) / paid;
		case STAND_IN_DISJOINT:
			return rows_of_groups(a, b) / (double) a->known[2];
		case STAND_IN_STABILITY:
			return sum_in_order(a, b) / paid;
		case STAND_IN_SPARSE:
			return sum_of_cells(a, b) / paid;
		case STAND_IN_TREE:
			return sum_of_paths(a, b) / paid;
		default:
			*loss += a->log_probability - b->log_probability;
			return fabs(*loss) / (paid / DP_EPSILON_ONE) - ROUNDING;
	}
}

/* false: they were asked different things. */
static bool
compare(const StandIns *a, const StandIns *b, Shares *shares)
{
	int64_t block = -1;
	double loss = 0;

	if (a->calls != b->calls)
		return false;
	for (size_t i = 0; i < a->calls; i++)
	{
		const StandInCall *one = &a->call[i];

		if (!same_query(one, &b->call[i]))
			return false;
		if (one->kind == STAND_IN_SHOWN)
			continue;
		if (one->kind == STAND_IN_DRAW && one->known[3] != block)
		{
			block = one->known[3];
			loss = 0;
		}
		shares->of[one->kind] = fmax(shares->of[one->kind], share_moved(one, &b->call[i], &loss));
	}
	return true;
}

static bool
try_neighbours(const Trial *trial, DpPrng *prng, Shares *shares)
{
	static Neighbours neighbours;
	TrialOutcome outcome[2];
	bool compared;

	if (trial->levels[0] >= CRAFTED_LEVELS && trial->levels[1] >= CRAFTED_LEVELS &&
		dp_prng_below(prng, 3) == 0)
		make_crafted(trial, &neighbours);
	else
		make_neighbours(trial, prng, &neighbours);
	for (int side = 0; side < 2; side++)
		trial_run(trial, neighbours.rows[side], neighbours.n[side], &outcome[side]);
	compared = outcome[0].status == DP_OK && outcome[1].status == DP_OK &&
			   compare(&outcome[0].log, &outcome[1].log, shares);
	for (int side = 0; side < 2; side++)
		trial_free(&outcome[side]);
	return compared;
}

/* The largest share of all kinds. */
static double
describe(const Shares *shares, char *out, size_t bytes)
{
	double most = 0;
	size_t length = 0;

	*out = '\0';
	for (int kind = 0; kind < STAND_IN_KINDS; kind++)
	{
		most = fmax(most, shares->of[kind]);
		if (shares->of[kind] > 0 && length < bytes)
			length += (size_t) snprintf(out + length, bytes - length, "%s%s %.4f",
										length > 0 ? ", " : "", kind_names[kind], shares->of[kind]);
	}
	return most;
}

static void
test_setting(size_t setting, Shares *all)
{
	bool asked_the_same = true;
	Shares shares = {{0}};
	char name[128], text[256];
	Trial trial;
	double most;

	for (size_t unit = 0; unit < TRIAL_UNITS; unit++)
		for (unsigned repeat = 0; repeat < trial_repeats(REPEATS); repeat++)
		{
			DpPrng prng;

			trial = trial_make(setting, unit, repeat, &prng);
			asked_the_same &= try_neighbours(&trial, &prng, &shares);
		}
	trial_name(&trial, name, sizeof(name));
	most = describe(&shares, text, sizeof(text));
	CHECK(asked_the_same, "%s: neighbours are asked the same", name);
	CHECK(most > 0 && most <= 1, "%s: of what is paid for moves %s", name, text);
	for (int kind = 0; kind < STAND_IN_KINDS; kind++)
		all->of[kind] = fmax(all->of[kind], shares.of[kind]);
}

int
main(void)
{
	Shares all = {{0}};

	for (size_t setting = 0; setting < TRIAL_SETTINGS; setting++)
		test_setting(setting, &all);
	for (int kind = 0; kind < STAND_IN_KINDS; kind++)
		CHECK(all.of[kind] >= (kind == STAND_IN_DRAW ? SHARE_OF_DRAWS : SHARE_SEEN),
			  "%s: neighbours came to %.4f of what is paid for", kind_names[kind], all.of[kind]);
	return unit_finish();
}
