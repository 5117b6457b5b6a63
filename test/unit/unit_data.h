/*
 * unit_data.h -- small tables in memory for the tests of methods: a domain, a
 * DpCounter over columns, and options as the glue would hand them over.
 */
#ifndef UNIT_DATA_H
#define UNIT_DATA_H

#include "core/plan/method.h"
#include "core/methods/registry.h"
#include "core/plan/planner.h"
#include "core/plan/run.h"

#include "unit.h"

#define UNIT_COLUMNS_MAX 128

/* Categorical attributes c0, c1, ... with labels v0, v1, ... */
static inline DpDomain
unit_domain(DpArena *arena, const uint32_t *levels, uint32_t n)
{
	DpDomain domain = {.attributes = n, .attribute = dp_alloc(arena, n, sizeof(DpAttribute))};
	char text[32];

	for (uint32_t i = 0; i < n; i++)
	{
		DpAttribute *attribute = &domain.attribute[i];

		snprintf(text, sizeof(text), "c%u", i);
		attribute->name = dp_strdup(arena, text);
		attribute->type = "text";
		attribute->labels_n = levels[i];
		attribute->labels = dp_alloc(arena, levels[i], sizeof(char *));
		for (uint32_t k = 0; k < levels[i]; k++)
		{
			snprintf(text, sizeof(text), "v%u", k);
			attribute->labels[k] = dp_strdup(arena, text);
		}
		dp_attribute_count_levels(attribute);
	}
	return domain;
}

/* Its levels are to be discovered; the data go on to mean v0, v1, ... */
static inline void
unit_open(DpAttribute *attribute)
{
	attribute->open = true;
	attribute->has_other = true;
	attribute->labels_n = 0;
	dp_attribute_count_levels(attribute);
}

/* Its bins are to be found on the grid 0..last; the data are coordinates, or UNIT_MISSING. */
#define UNIT_MISSING UINT32_MAX

static inline void
unit_range(DpArena *arena, DpAttribute *attribute, int64_t last, uint32_t bins_max)
{
	DpRange *range = dp_alloc(arena, 1, sizeof(*range));

	range->grid = (DpGrid){DP_GRID_NUMBER, 0, last, 1, 0};
	range->bins_max = bins_max;
	attribute->kind = DP_BINS;
	attribute->range = range;
	attribute->type = "integer";
	attribute->labels_n = 0;
	attribute->labels = NULL;
	dp_attribute_count_levels(attribute);
}

static inline bool
unit_prng_fill(void *context, void *buffer, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *) buffer)[i] = (unsigned char) (dp_prng_u64(context) >> 32);
	return true;
}

/* A source of noise that is the same in every run, so that a test never fails by chance. */
static inline void
unit_fixed_rng(DpRng *rng, DpPrng *prng, uint64_t seed)
{
	dp_prng_seed(prng, (DpStream){seed, 0, 0});
	dp_rng_init(rng, unit_prng_fill, prng);
}

typedef struct UnitTable
{
	DpArena *arena;
	const DpDomain *domain; /* as requested: open attributes still open */
	uint32_t rows;
	uint32_t *code[UNIT_COLUMNS_MAX]; /* of an open attribute: k stands for the text "v<k>" */
	unsigned scans;
} UnitTable;

static inline UnitTable
unit_table(DpArena *arena, const DpDomain *domain, uint32_t rows)
{
	UnitTable table = {.arena = arena, .domain = domain, .rows = rows};

	for (uint32_t i = 0; i < domain->attributes; i++)
		table.code[i] = dp_alloc(arena, rows, sizeof(uint32_t));
	return table;
}

/* The level of "v<raw>" in a discovered attribute: its label's place, or the last one. */
static inline uint32_t
unit_encode(const DpAttribute *attribute, uint32_t raw)
{
	char text[32];

	snprintf(text, sizeof(text), "v%u", raw);
	for (uint32_t i = 0; i < attribute->labels_n; i++)
		if (strcmp(attribute->labels[i], text) == 0)
			return i;
	return attribute->levels - 1;
}

/* The levels of the coordinates of a column: cells, or bins. */
static inline void
unit_encode_range(const DpAttribute *attribute, const uint32_t *raw, uint32_t rows, uint32_t *out)
{
	bool found = attribute->range->state == DP_RANGE_FOUND;
	DpGridCells cells;

	if (!found)
		dp_grid_cells(&attribute->range->grid, &cells);
	for (uint32_t i = 0; i < rows; i++)
	{
		if (raw[i] == UNIT_MISSING)
			out[i] = attribute->levels - 1;
		else
			out[i] = found ? dp_range_bin(attribute->range, raw[i]) : dp_grid_cell(&cells, raw[i]);
	}
}

/* The levels of a column of a table whose rows are raw values. */
static inline uint32_t *
unit_encode_column(UnitTable *table, const DpDomain *domain, uint32_t a)
{
	const DpAttribute *attribute = &domain->attribute[a];
	uint32_t *encoded = table->code[a];

	if (table->domain->attribute[a].open || attribute->range != NULL)
		encoded = dp_alloc(table->arena, table->rows, sizeof(*encoded));
	if (attribute->range != NULL)
		unit_encode_range(attribute, table->code[a], table->rows, encoded);
	else if (table->domain->attribute[a].open)
		for (uint32_t i = 0; i < table->rows; i++)
			encoded[i] = unit_encode(attribute, table->code[a][i]);
	return encoded;
}

static inline DpStatus
unit_count(void *context, const DpDomain *domain, DpMarginal *const *marginals, uint32_t n,
		   DpError *error)
{
	UnitTable *table = context;
	const uint32_t *codes[UNIT_COLUMNS_MAX];

	(void) error;
	table->scans++;
	for (uint32_t a = 0; a < domain->attributes; a++)
		codes[a] = unit_encode_column(table, domain, a);
	for (uint32_t i = 0; i < n; i++)
		DP_TRY(dp_marginal_add(marginals[i], codes, table->rows));
	return DP_OK;
}

static inline DpStatus
unit_distinct(void *context, const DpDomain *domain, const uint32_t *attributes, uint32_t n,
			  DpValueCounts *out, DpError *error)
{
	UnitTable *table = context;

	(void) domain;
	(void) error;
	table->scans++;
	for (uint32_t i = 0; i < n; i++)
	{
		const uint32_t *code = table->code[attributes[i]];
		uint32_t highest = 0;
		int64_t *count;

		for (uint32_t row = 0; row < table->rows; row++)
			highest = code[row] > highest ? code[row] : highest;
		count = dp_alloc(table->arena, highest + 1, sizeof(*count));
		for (uint32_t row = 0; row < table->rows; row++)
			count[code[row]]++;
		out[i].value = dp_alloc(table->arena, highest + 1, sizeof(char *));
		out[i].count = dp_alloc(table->arena, highest + 1, sizeof(int64_t));
		out[i].n = 0;
		/* Downwards: an order that must not show in the release. */
		for (uint32_t k = highest + 1; k-- > 0;)
		{
			char text[32];

			if (count[k] == 0)
				continue;
			snprintf(text, sizeof(text), "v%u", k);
			out[i].value[out[i].n] = dp_strdup(table->arena, text);
			out[i].count[out[i].n++] = count[k];
		}
	}
	return DP_OK;
}

/* The index of "v<raw>" in an open attribute; false: outside its universe. */
static inline bool
unit_index(DpArena *arena, const DpAttribute *attribute, uint32_t raw, uint64_t *index)
{
	char text[32];
	char *scratch;

	*index = raw;
	if (attribute->range != NULL)
	{
		uint32_t level;

		unit_encode_range(attribute, &raw, 1, &level);
		*index = level;
	}
	if (!attribute->open || attribute->universe == NULL)
		return true;
	scratch = dp_alloc(arena, attribute->universe->text_bytes + 1, 1);
	snprintf(text, sizeof(text), "v%u", raw);
	return dp_universe_find(attribute->universe, text, strlen(text), scratch, index);
}

static inline void
unit_cells_add(DpCells *set, const uint64_t *index)
{
	for (uint64_t c = 0; c < set->cells; c++)
		if (memcmp(set->index + c * set->n, index, set->n * sizeof(*index)) == 0)
		{
			set->count[c]++;
			return;
		}
	memcpy(set->index + set->cells * set->n, index, set->n * sizeof(*index));
	set->count[set->cells++] = 1;
}

/* v0, v1, ... as far as they occur. */
static inline void
unit_seen(UnitTable *table, uint32_t attribute, DpCells *set, uint32_t k)
{
	char text[32];

	for (uint32_t row = 0; row < table->rows; row++)
		if (table->code[attribute][row] >= set->seen_n[k])
			set->seen_n[k] = table->code[attribute][row] + 1;
	set->seen[k] = dp_alloc(table->arena, set->seen_n[k], sizeof(char *));
	for (uint64_t i = 0; i < set->seen_n[k]; i++)
	{
		snprintf(text, sizeof(text), "v%u", (unsigned) i);
		set->seen[k][i] = dp_strdup(table->arena, text);
	}
}

static inline DpStatus
unit_cells(void *context, const DpDomain *domain, DpCells *sets, uint32_t n, DpError *error)
{
	UnitTable *table = context;

	(void) error;
	table->scans++;
	for (uint32_t i = 0; i < n; i++)
	{
		DpCells *set = &sets[i];
		uint64_t *index = dp_alloc(table->arena, set->n, sizeof(*index));

		set->rows = table->rows;
		set->index = dp_alloc(table->arena, table->rows, set->n * sizeof(*index));
		set->count = dp_alloc(table->arena, table->rows, sizeof(int64_t));
		/* Downwards: an order that must not show. */
		for (uint32_t row = table->rows; row-- > 0;)
		{
			bool inside = true;

			for (uint32_t k = 0; k < set->n; k++)
				inside &= unit_index(table->arena, &domain->attribute[set->attribute[k]],
									 table->code[set->attribute[k]][row], &index[k]);
			if (inside)
				unit_cells_add(set, index);
		}
		for (uint32_t k = 0; k < set->n; k++)
			if (domain->attribute[set->attribute[k]].open &&
				domain->attribute[set->attribute[k]].universe == NULL)
				unit_seen(table, set->attribute[k], set, k);
	}
	return DP_OK;
}

/* The value of a code as a coordinate, some of them outside of every range. */
#define UNIT_COORDINATE(code) (INT64_C(7) * (code) -4)

/* Whether a row passes, where rows of low values of the third attribute are selected, and what it says:
 * the last level of an attribute that may be NULL is that. */
static inline bool
unit_sum_row(const UnitTable *table, const DpDomain *domain, const DpQuery *query, uint32_t row,
			 bool *present, int64_t *coordinate, uint32_t *code)
{
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		code[a] = unit_encode(&domain->attribute[a], table->code[a][row]);
		coordinate[a] = UNIT_COORDINATE(code[a]);
		present[a] = !query->nullable[a] || code[a] + 1 < domain->attribute[a].levels;
	}
	return !query->selects || (present[2] && coordinate[2] >= 0 && coordinate[2] <= 9);
}

static inline DpStatus
unit_sums(void *context, const DpDomain *domain, const DpQuery *query, DpSums *sums, DpError *error)
{
	UnitTable *table = context;
	bool present[UNIT_COLUMNS_MAX];
	int64_t coordinate[UNIT_COLUMNS_MAX];
	uint32_t code[UNIT_COLUMNS_MAX];

	(void) error;
	table->scans++;
	for (uint32_t row = 0; row < table->rows; row++)
	{
		uint64_t cell = 0;

		if (!unit_sum_row(table, domain, query, row, present, coordinate, code))
			continue;
		for (uint32_t k = 0; k < query->by; k++)
			cell = cell * domain->attribute[query->by_attribute[k]].levels +
				   code[query->by_attribute[k]];
		dp_sums_add(sums, &(DpSumRow){cell, present, coordinate, code});
	}
	return DP_OK;
}

static inline DpCounter
unit_counter(UnitTable *table)
{
	return (DpCounter){.context = table,
					   .count = unit_count,
					   .distinct = unit_distinct,
					   .cells = unit_cells,
					   .sums = unit_sums};
}

#define UNIT_OPTIONS_MAX 16

typedef struct UnitOptions
{
	DpOption option[UNIT_OPTIONS_MAX];
	DpOptions options;
	DpNameList list[UNIT_COLUMNS_MAX];
	const char *name[UNIT_COLUMNS_MAX * 9];
	uint32_t lists;
	uint32_t names;
} UnitOptions;

static inline DpOption *
unit_add_option(UnitOptions *to, const char *name, DpOptionKind kind)
{
	DpOption *option = &to->option[to->options.n++];

	*option = (DpOption){.name = name, .kind = kind};
	to->options.option = to->option;
	return option;
}

static inline void
unit_number(UnitOptions *to, const char *name, const char *text)
{
	unit_add_option(to, name, DP_VALUE_NUMBER)->text = text;
}

static inline void
unit_flag(UnitOptions *to, const char *name, bool flag)
{
	unit_add_option(to, name, DP_VALUE_BOOLEAN)->flag = flag;
}

static inline void
unit_word(UnitOptions *to, const char *name, const char *text)
{
	unit_add_option(to, name, DP_VALUE_STRING)->text = text;
}

/* names: one string, blanks between; added to the option that was added last. */
static inline void
unit_list(UnitOptions *to, DpArena *arena, const char *key, const char *names)
{
	DpOption *option = &to->option[to->options.n - 1];
	DpNameList *list = &to->list[to->lists++];
	char *text = dp_strdup(arena, names);

	*list = (DpNameList){.key = key, .name = &to->name[to->names]};
	for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
	{
		to->name[to->names++] = word;
		list->n++;
	}
	if (option->lists++ == 0)
		option->list = list;
}

/* Plan, measure and prepare in one step; what fails ends the test. */
typedef struct UnitRelease
{
	DpRequest request;
	DpPlan plan;
	DpMeter meter;
	DpModel model;
	void *sampler;
	DpError error;
} UnitRelease;

static inline DpStatus
unit_release(UnitRelease *release, const char *method, UnitTable *table, DpUnit unit,
			 DpBudget budget, const DpOptions *options, DpRng *rng, DpArena *arena)
{
	DpCounter counter = unit_counter(table);

	release->request =
		(DpRequest){.domain = table->domain, .unit = unit, .budget = budget, .options = options};
	DP_TRY(
		dp_plan(dp_method_find(method), &release->request, &release->plan, arena, &release->error));
	dp_meter_init(&release->meter, release->plan.cost);
	DP_TRY(dp_measure(&(DpMeasurement){.plan = &release->plan,
									   .counter = &counter,
									   .noise = {.meter = &release->meter, .rng = rng},
									   .arena = arena},
					  &release->model, &release->error));
	return release->plan.method->sampler->prepare(&release->model, &release->sampler, NULL, arena,
												  &release->error);
}

/* The sampler of the method that made a model. */
static inline const DpSampler *
unit_sampler(const DpModel *model)
{
	return dp_method_find(model->method)->sampler;
}

/* Rows of the stream (seed, set 1), block by block. */
static inline uint32_t *
unit_draw(const UnitRelease *release, DpArena *arena, uint32_t rows, uint64_t seed)
{
	uint32_t p = release->model.domain.attributes;
	uint32_t *codes = dp_alloc(arena, rows, p * sizeof(*codes));

	for (uint32_t first = 0; first < rows; first += DP_BLOCK_ROWS)
		dp_draw_block(release->plan.method->sampler, release->sampler, p,
					  &(DpRowBlock){{seed, 1, first / DP_BLOCK_ROWS},
									rows - first < DP_BLOCK_ROWS ? rows - first : DP_BLOCK_ROWS},
					  codes + (size_t) first * p, NULL);
	return codes;
}

#endif
