/*
 * unit_trial.h -- whole releases over the stand-ins of the mechanisms: the settings of methods that
 * are tried, small domains and tables, and one release with a log of all that was asked.
 */
#ifndef UNIT_TRIAL_H
#define UNIT_TRIAL_H

#include "unit_data.h"
#include "unit_stand_in.h"

typedef struct TrialSetting
{
	const char *method;
	const char *options; /* "name=value name=value" */
	bool delta;
	bool open;         /* the last attribute is */
	bool range;        /* the second attribute has one, and the first may be missing */
	const char *asked; /* method query: "by" groups, "filter" has one, "null" leaves values out */
} TrialSetting;

static const TrialSetting trial_settings[] = {
	{"mst", "", true, false},
	{"mst", "", false, false},
	{"mst", "margin_share=0.05 selection_share=0.9", true, false},
	{"mst", "predict=c1", true, false},
	{"mst", "score=distance", true, false},
	{"mst", "group_rare=false", true, true},
	{"aim", "", true, false},
	{"aim", "", false, false},
	{"aim", "rounds=2", true, false},
	{"aim", "rounds=60 workload=2", true, false},
	{"aim", "rounds=60 group_rare=true", false, false},
	{"aim", "rounds=60 workload=2 batch=3", true, false},
	{"aim", "rounds=60 predict=c1", true, false},
	{"aim", "rounds=60 workload=2 batch=3", false, false},
	{"aim", "", true, true},
	{"mwem", "", false, false},
	{"mwem", "rounds=12 selection_share=0.9", false, false},
	{"cipher", "", false, false},
	{"privbayes", "", false, false},
	{"privbayes", "parents=2", false, false},
	{"privbayes", "parents=1", true, true},
	{"sbhg", "", true, false},
	{"sbhg", "parents=2", true, false},
	{"sbhg", "dense_cells=0", true, false},
	{"sbhg", "dense_cells=5", true, true},
	{"sba", "", true, false},
	{"sba", "", true, true},
	{"steps", "", false, false},
	{"steps", "branches=clusters", false, false},
	{"steps", "branches=own", false, false},
	{"steps", "branches=own score=dependence", false, false},
	{"steps", "score=dependence dense_cells=5", false, false},
	{"steps", "branches=own score=dependence layers=2 layer_width=2", false, false},
	{"steps", "branches=own layers=2", true, true},
	{"uh", "", false, false},
	{"uh", "dense_cells=5", false, false},
	{"flat", "", false, false},
	{"flat", "dense_cells=0", false, false},
	{"flat", "", true, true},
	{"marginal", "", false, false},
	{"marginal", "rows=7 mechanism=bootstrap", false, false},
	{"pegs", "rows=5", false, false},
	{"pegs", "rows=7 block=3", false, false},
	{"pegs", "rows=6 block=2 sweeps=3", false, false},
	{"pegs", "rows=5", true, true},
	{"pmi", "rows=5", false, false},
	{"pmi", "rows=4 sweeps=2", false, false},
	{"histogram", "", false, false},
	{"histogram", "mechanism=laplace", false, false},
	{"histogram", "mechanism=stability", true, false},
	{"histogram", "mechanism=stability", true, true},
	{"cathist", "", false, false},
	{"cathist", "joint=true", false, false},
	{"mst", "", true, false, true},
	{"mst", "", true, true, true},
	{"aim", "", true, false, true},
	{"aim", "", false, false, true},
	{"mwem", "rounds=4", false, false, true},
	{"cipher", "", false, false, true},
	{"privbayes", "", false, false, true},
	{"sbhg", "dense_cells=5", true, true, true},
	{"sba", "", true, false, true},
	{"steps", "branches=own", false, false, true},
	{"uh", "dense_cells=5", false, false, true},
	{"flat", "", false, false, true},
	{"marginal", "", false, false, true},
	{"pegs", "rows=7 block=3", false, false, true},
	{"pmi", "rows=5", false, false, true},
	{"histogram", "", false, false, true},
	{"histogram", "mechanism=stability", true, true, true},
	{"cathist", "joint=true", false, false, true},
	{"query", "", false, false, false, "by"},
	{"query", "", true, false, false, "by"},
	{"query", "", true, true, false, "by null"},
	{"query", "", false, false, false, ""},
	{"query", "", true, false, false, ""},
	{"query", "", false, false, false, "filter null"},
	{"query", "", true, false, false, "filter"},
	{"query", "narrow=true", false, false, true, "by"},
	{"query", "narrow=true", true, false, true, "by filter"},
	{"query", "narrow=true", true, false, true, ""},
};
#define TRIAL_SETTINGS (sizeof(trial_settings) / sizeof(*trial_settings))

static const DpUnit trial_units[] = {
	{DP_ADD_REMOVE, 1}, {DP_REPLACE_ONE, 1}, {DP_ADD_REMOVE, 3}, {DP_REPLACE_ONE, 2}};
#define TRIAL_UNITS (sizeof(trial_units) / sizeof(*trial_units))

#define TRIAL_COLUMNS_MAX 5
#define TRIAL_LEVELS_MAX 4
#define TRIAL_RANGE 1      /* the attribute that has a range, where one has */
#define TRIAL_RANGE_STEP 5 /* codes are so far from each other on its grid */

/* All that is public of a release. */
typedef struct Trial
{
	const TrialSetting *setting;
	DpUnit unit;
	DpBudget budget;
	uint64_t seed; /* of what the stand-ins give back */
	int64_t width; /* of their counts */
	bool full; /* each cell of the joint table is occupied; else stability histograms are silent */
	bool constrained; /* by a structural zero and a prior */
	uint32_t sets;    /* independent */
	uint32_t columns;
	uint32_t levels[TRIAL_COLUMNS_MAX];
	uint32_t joint; /* cells */
} Trial;

typedef struct TrialRow
{
	uint32_t code[TRIAL_COLUMNS_MAX];
} TrialRow;

typedef struct TrialOutcome
{
	DpArena arena;
	bool planned;
	DpBudget cost;
	DpStatus status;
	DpError error;
	unsigned char *model;
	size_t model_bytes;
	unsigned scans;
	StandIns log;
} TrialOutcome;

/* Times that each setting is tried: DPSYN_TRIALS multiplies what make check has time for. */
static inline unsigned
trial_repeats(unsigned usual)
{
	const char *text = getenv("DPSYN_TRIALS");

	return usual * (text == NULL || atoi(text) < 1 ? 1 : (unsigned) atoi(text));
}

static inline void
trial_name(const Trial *trial, char *out, size_t bytes)
{
	const TrialSetting *setting = trial->setting;

	snprintf(out, bytes, "%s%s%s%s%s%s", setting->method, *setting->options != '\0' ? " " : "",
			 setting->options, setting->delta ? " delta" : "", setting->open ? " open" : "",
			 setting->range ? " range" : "");
}

/* Each repeat meets another mix of what else is public. */
static inline Trial
trial_make(size_t setting, size_t unit, unsigned repeat, DpPrng *prng)
{
	Trial trial = {.setting = &trial_settings[setting], .unit = trial_units[unit], .joint = 1};
	static const int64_t widths[] = {60, 20, 300, 100000};
	unsigned turn = (unsigned) (setting + unit) + repeat;

	dp_prng_seed(prng, (DpStream){setting, unit, repeat});
	trial.seed = dp_prng_u64(prng);
	trial.width = widths[(turn / 2) % 4];
	trial.full = turn % 2 == 0;
	trial.constrained = dp_prng_below(prng, 2) == 0 && !trial.setting->range;
	trial.sets = 1 + (uint32_t) dp_prng_below(prng, 2);
	if (trial.setting->open && strcmp(trial.setting->method, "histogram") == 0)
		trial.sets = 1; /* nothing can be drawn from it */
	if (trial.setting->asked != NULL)
		trial.sets = 1;
	trial.budget.epsilon_nano = INT64_C(3) * DP_EPSILON_ONE;
	if (trial.setting->delta)
		trial.budget.delta_atto = DP_DELTA_ONE / 1000000;
	trial.columns = 3 + (uint32_t) dp_prng_below(prng, 2);
	for (uint32_t a = 0; a < trial.columns; a++)
	{
		trial.levels[a] = 2 + (uint32_t) dp_prng_below(prng, TRIAL_LEVELS_MAX - 1);
		trial.joint *= trial.levels[a];
	}
	return trial;
}

/* Two combinations of the first two attributes cannot occur; counts of the first and the second. */
static inline void
trial_constrain(const Trial *trial, DpDomain *domain, DpArena *arena)
{
	static const uint32_t attributes[] = {0, 1}, codes[] = {0, 0, 1, 1};
	uint64_t cells = (uint64_t) trial->levels[0] * trial->levels[1];
	int64_t *count = dp_alloc(arena, cells, sizeof(*count));

	for (uint64_t i = 0; i < cells; i++)
		count[i] = 1 + 3 * (int64_t) i;
	domain->zeros = (DpZeros){1, dp_alloc(arena, 1, sizeof(DpZeroSet))};
	domain->zeros.set[0] = (DpZeroSet){2, dp_memdup(arena, attributes, sizeof(attributes)), 2,
									   dp_memdup(arena, codes, sizeof(codes))};
	domain->priors = 1;
	domain->prior = dp_alloc(arena, 1, sizeof(DpPrior));
	domain->prior[0] = (DpPrior){2, dp_memdup(arena, attributes, sizeof(attributes)), cells, count,
								 INT64_C(10000000)};
}

/* Its last level becomes the one for what is missing, so that edges are placed by it. */
static inline void
trial_let_miss(DpAttribute *attribute)
{
	attribute->labels_n--;
	attribute->has_other = true;
	dp_attribute_count_levels(attribute);
}

static inline void
trial_options(const Trial *trial, UnitOptions *out, DpArena *arena)
{
	char *text = dp_strdup(arena, trial->setting->options);

	for (char *name = strtok(text, " "); name != NULL; name = strtok(NULL, " "))
	{
		char *value = strchr(name, '=');

		*value++ = '\0';
		if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
			unit_add_option(out, name, DP_VALUE_BOOLEAN)->flag = *value == 't';
		else if (*value >= '0' && *value <= '9')
			unit_number(out, name, value);
		else
			unit_word(out, name, value);
	}
	if (trial->sets > 1)
		unit_add_option(out, "independent_sets", DP_VALUE_BOOLEAN)->flag = true;
}

/* Row i of those that occupy each cell of the joint table. */
static inline TrialRow
trial_cell(const Trial *trial, uint32_t i)
{
	TrialRow row = {{0}};

	for (uint32_t a = 0; a < trial->columns; a++)
	{
		row.code[a] = i % trial->levels[a];
		i /= trial->levels[a];
	}
	return row;
}

/* Rows of no pattern, all alike, each attribute by the first one, or few that are not like the
 * others. */
static inline void
trial_rows(const Trial *trial, DpPrng *prng, uint32_t n, TrialRow *out)
{
	enum
	{
		ANY,
		ALIKE,
		TIED,
		MOSTLY_ALIKE,
		PATTERNS
	} pattern = dp_prng_below(prng, PATTERNS);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t a = 0; a < trial->columns; a++)
		{
			uint32_t levels = trial->levels[a];
			bool alike =
				pattern == ALIKE || (pattern == MOSTLY_ALIKE && dp_prng_below(prng, 6) > 0);

			out[i].code[a] = alike ? 0 : (uint32_t) dp_prng_below(prng, levels);
			if (pattern == TIED && a > 0)
				out[i].code[a] = out[i].code[0] % levels;
		}
}

static void
trial_see_stage(void *context, const char *name)
{
	StandInCall *call = stand_in_log(STAND_IN_SHOWN);

	(void) context;
	for (size_t i = 0; name[i] != '\0'; i++)
		call->known[0] = (call->known[0] * 31 + name[i]) % INT64_C(1000000007);
}

static void
trial_see_progress(void *context, double share_done)
{
	(void) context;
	if (share_done >= 0)
		stand_in_log(STAND_IN_SHOWN)->known[1] = (int64_t) (share_done * 1e9);
}

/* All measures of the second attribute, whose range leaves some values out on either side. */
static inline const DpQuery *
trial_query(const Trial *trial, const DpDomain *domain, DpArena *arena)
{
	static const DpMeasureKind kinds[] = {DP_COUNT_ROWS, DP_COUNT, DP_COUNT_DISTINCT, DP_SUM,
										  DP_QUANTILE,   DP_AVG,   DP_STDDEV,         DP_QUANTILE};
	const char *asked = trial->setting->asked;
	DpQuery *query = dp_alloc(arena, 1, sizeof(*query));
	DpGrid *grid = dp_alloc(arena, domain->attributes, sizeof(*grid));
	bool *nullable = dp_alloc(arena, domain->attributes, sizeof(*nullable));

	if (asked == NULL)
		return NULL;
	for (uint32_t a = 0; a < domain->attributes; a++)
		grid[a] = a == 1 || a == 2 ? (DpGrid){.first = a == 1 ? -2 : 3, .last = 9, .step = 1}
								   : (DpGrid){.first = 1, .step = 1};
	nullable[1] = strstr(asked, "null") != NULL;
	query->grid = grid;
	query->nullable = nullable;
	query->by_attribute = dp_alloc(arena, 1, sizeof(*query->by_attribute));
	query->by_attribute[0] = domain->attributes - 1;
	query->by = strstr(asked, "by") != NULL;
	query->selects = strstr(asked, "filter") != NULL;
	query->measure = dp_alloc(arena, 8, sizeof(*query->measure));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		query->measure[query->measures++] =
			(DpMeasure){.kind = kinds[i],
						.column = i == 0 ? DP_NO_COLUMN : 1,
						.quantile_nano = i == 7 ? 900000000 : 500000000};
	/* a sum as such, of a column of which no mean is asked for */
	query->measure[3].column = 2;
	return query;
}

/* One release of the rows. The noise source's bytes are the same in all: what is public, such as
 * where a tree begins, is drawn from them. */
static inline void
trial_run(const Trial *trial, const TrialRow *rows, uint32_t n, TrialOutcome *out)
{
	DpArena *arena = &out->arena;
	const DpTick tick = {.call = trial_see_progress};
	DpDomain domain;
	UnitOptions options = {.lists = 0};
	UnitTable table;
	DpCounter counter;
	DpRequest request;
	DpPlan plan;
	DpMeter meter;
	DpModel model;
	DpPrng prng;
	DpRng rng;

	*out = (TrialOutcome){.arena = dp_arena_malloc()};
	domain = unit_domain(arena, trial->levels, trial->columns);
	if (trial->setting->open)
		unit_open(&domain.attribute[trial->columns - 1]);
	if (trial->setting->range)
	{
		unit_range(arena, &domain.attribute[TRIAL_RANGE], TRIAL_LEVELS_MAX * TRIAL_RANGE_STEP,
				   TRIAL_LEVELS_MAX);
		trial_let_miss(&domain.attribute[0]);
	}
	if (trial->constrained)
		trial_constrain(trial, &domain, arena);
	table = unit_table(arena, &domain, n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t a = 0; a < trial->columns; a++)
			table.code[a][i] =
				rows[i].code[a] * (domain.attribute[a].range != NULL ? TRIAL_RANGE_STEP : 1);
	trial_options(trial, &options, arena);
	request = (DpRequest){.domain = &domain,
						  .unit = trial->unit,
						  .budget = trial->budget,
						  .options = &options.options,
						  .sets = trial->sets,
						  .query = trial_query(trial, &domain, arena)};
	counter = unit_counter(&table);
	stand_in = (StandIns){
		.seed = trial->seed, .width = trial->width, .silent = !trial->full, .arena = arena};
	out->status =
		dp_plan(dp_method_find(trial->setting->method), &request, &plan, arena, &out->error);
	out->planned = out->status == DP_OK;
	if (!out->planned)
		return;
	out->cost = plan.cost;
	dp_meter_init(&meter, plan.cost);
	unit_fixed_rng(&rng, &prng, 5);
	out->status = dp_measure(&(DpMeasurement){.plan = &plan,
											  .counter = &counter,
											  .noise = {&meter, &rng, &tick},
											  .arena = arena,
											  .stage = trial_see_stage},
							 &model, &out->error);
	if (out->status == DP_OK)
		out->status =
			dp_model_serialise(&model, &out->model, &out->model_bytes, arena, &out->error);
	out->scans = table.scans;
	out->log = stand_in;
	if (memcmp(&meter.spent, &stand_in.charged, sizeof(meter.spent)) != 0)
	{
		printf("Bail out! %s spends on a mechanism that has no stand-in\n", plan.method->name);
		exit(EXIT_FAILURE);
	}
}

static inline void
trial_free(TrialOutcome *outcome)
{
	dp_arena_malloc_free(&outcome->arena);
}

#endif
