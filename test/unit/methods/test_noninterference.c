/*
 * test_noninterference.c -- non-interference, from outside: nothing of a table reaches a release,
 * what the caller sees of it, or what is asked next, but through a mechanism.
 *
 * Stand-ins give back what does not depend on the table. Then tables that have nothing in common
 * must all give the same bytes, or the same error, by the same calls with the same public numbers:
 * sizes, budgets, sensitivities. That is the assumption of adaptive composition, for each method.
 */
#include "core/methods/mst/tree_growth.h"

#include "unit_trial.h"

#define REPEATS 2
#define TABLES 4
#define ROWS_MORE 200
#define ROWS_MAX (1024 + ROWS_MORE) /* TRIAL_LEVELS_MAX ^ TRIAL_COLUMNS_MAX */

/* What a release may reach, so that the test is of that, too. */
static bool annealed, last_round, through_tree, later_round, own_branches, several_sets, refused;

/* How many rows table t has. Where the number is public it is that of table 0. */
static uint32_t
choose_rows(const Trial *trial, unsigned t, uint32_t rows, DpPrng *prng)
{
	uint32_t more = (uint32_t) dp_prng_below(prng, ROWS_MORE);

	if (t > 0 && dp_unit_rows_public(&trial->unit))
		return rows;
	if (trial->full)
		return trial->joint + (t == 0 ? 0 : more);
	return t < 2 ? t : more;
}

static void
make_rows(const Trial *trial, DpPrng *prng, uint32_t n, TrialRow *rows)
{
	trial_rows(trial, prng, n, rows);
	for (uint32_t i = 0; trial->full && i < trial->joint; i++)
		rows[i] = trial_cell(trial, i);
}

static bool
same_call(const StandInCall *a, const StandInCall *b)
{
	return a->kind == b->kind && memcmp(&a->cost, &b->cost, sizeof(a->cost)) == 0 &&
		   a->sensitivity == b->sensitivity && memcmp(a->known, b->known, sizeof(a->known)) == 0;
}

/* What differs, or NULL. */
static const char *
find_difference(const TrialOutcome *a, const TrialOutcome *b)
{
	if (a->status != b->status || strcmp(a->error.message, b->error.message) != 0)
		return "what it ends with";
	if (a->log.calls != b->log.calls)
		return "how much is asked";
	for (size_t i = 0; i < a->log.calls; i++)
		if (!same_call(&a->log.call[i], &b->log.call[i]))
			return a->log.call[i].kind == STAND_IN_SHOWN ? "what is shown" : "what is asked";
	if (a->scans != b->scans)
		return "scans";
	if (a->status == DP_OK &&
		(a->model_bytes != b->model_bytes || memcmp(a->model, b->model, a->model_bytes) != 0))
		return "the release";
	return NULL;
}

/* A table dearer than the one before, by what anneal() does, is not the last round's: that has less
 * than twice the round before. */
static void
note_rounds(const Trial *trial, const TrialOutcome *outcome)
{
	const StandInCall *call = outcome->log.call, *before = NULL;
	uint32_t selections = 0;

	for (size_t i = 0; i < outcome->log.calls; i++)
	{
		if (call[i].kind == STAND_IN_SELECT)
			selections++;
		own_branches |=
			call[i].kind == STAND_IN_DISJOINT && strcmp(trial->setting->method, "steps") == 0;
		through_tree |= call[i].kind == STAND_IN_SELECT &&
						strcmp(trial->setting->method, "mst") == 0 &&
						call[i].sensitivity > dp_unit_l1(&trial->unit) *
												  dp_tree_growth_sensitivity(0, trial->columns);
		if (call[i].kind != STAND_IN_GAUSSIAN || strcmp(trial->setting->method, "aim") != 0)
			continue;
		annealed |= before != NULL && call[i].cost.rho_pico >= 2 * before->cost.rho_pico;
		before = &call[i];
	}
	later_round |= strcmp(trial->setting->method, "mwem") == 0 && selections >= 3;
	several_sets |= trial->sets > 1 && outcome->status == DP_OK;
	last_round |= before != NULL && outcome->log.charged.rho_pico == outcome->cost.rho_pico;
	if (outcome->status != DP_OK)
		unit_note("%s: %s", trial->setting->method, outcome->error.message);
	refused |= outcome->status != DP_OK;
}

/* What differs between any two of the tables, or NULL. */
static const char *
try_tables(const Trial *trial, DpPrng *prng)
{
	static TrialRow rows[ROWS_MAX];
	TrialOutcome first, other;
	const char *different = NULL;
	uint32_t n = 0;

	for (unsigned t = 0; t < TABLES && different == NULL; t++)
	{
		n = choose_rows(trial, t, n, prng);
		make_rows(trial, prng, n, rows);
		trial_run(trial, rows, n, t == 0 ? &first : &other);
		if (t == 0)
		{
			note_rounds(trial, &first);
			continue;
		}
		different = find_difference(&first, &other);
		trial_free(&other);
	}
	trial_free(&first);
	return different;
}

static void
test_setting(size_t setting)
{
	bool same = true;
	char name[128];
	Trial trial;

	for (size_t unit = 0; unit < TRIAL_UNITS; unit++)
		for (unsigned repeat = 0; repeat < trial_repeats(REPEATS); repeat++)
		{
			DpPrng prng;
			const char *different;

			trial = trial_make(setting, unit, repeat, &prng);
			different = try_tables(&trial, &prng);
			same = same && different == NULL;
			if (different != NULL)
				unit_note("unit %zu, repeat %u: %s", unit, repeat, different);
		}
	trial_name(&trial, name, sizeof(name));
	CHECK(same, "%s: the same for all tables", name);
}

/* Methods without a guarantee promise nothing of the kind. */
static void
test_every_method(void)
{
	for (uint32_t i = 0; i < dp_methods_n; i++)
	{
		bool tried = dp_methods[i]->unprotected;

		for (size_t setting = 0; setting < TRIAL_SETTINGS; setting++)
			tried |= strcmp(trial_settings[setting].method, dp_methods[i]->name) == 0;
		CHECK(tried, "%s is tried, or promises nothing", dp_methods[i]->name);
	}
}

int
main(void)
{
	test_every_method();
	for (size_t setting = 0; setting < TRIAL_SETTINGS; setting++)
		test_setting(setting);
	CHECK(annealed, "aim came to rounds with less noise");
	CHECK(last_round, "and to a last one that took all that was left");
	CHECK(through_tree, "mst came to gains through its tree");
	CHECK(later_round, "mwem came to later rounds");
	CHECK(own_branches, "branches of their own were chosen");
	CHECK(several_sets, "independent sets were measured");
	CHECK(!refused, "none failed");
	return unit_finish();
}
