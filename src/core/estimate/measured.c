/*
 * measured.c -- groups summed from noisy tables, and the best combination of several tables.
 */
#include "core/estimate/measured.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"
#include "core/domain/zeros.h"
#include "core/estimate/measured_table.h"

#define TABLES_USED_MAX 64 /* tables that one group is combined from, the most precise first */
#define STDDEV_FEW 3.0 /* rows: below, one table is taken, whose distribution is known exactly */
#define TERMS_MAX (2 * TABLES_USED_MAX)
#define TICK_CELLS 65536
#define ZERO_CELLS_MAX 10000000

static bool
any_given(const DpMarginalQuery *question)
{
	for (uint32_t a = 0; a < question->domain->attributes; a++)
		if (dp_marginal_query_gives(question, a))
			return true;
	return false;
}

/* ---- several tables ---- */

/* The tables that one group is estimated from, with weights that add up to 1. */
typedef struct Mix
{
	uint32_t n;
	const DpTableSums *table[TABLES_USED_MAX];
	double weight[TABLES_USED_MAX];
	bool with_rest;
	double rest; /* rows of the rest that are counted with the group, at most */
} Mix;

static const DpCellSums *
total_of(const DpMarginalQuery *question, const DpTableSums *table)
{
	return question->measure == DP_MEASURE_RATE ? &table->given : &table->all;
}

/*
 * Rows of the rest that a group of a table may hold, at most: negative where it holds none, NAN
 * where nothing bounds them. rest is that of each attribute. Rates have no bound, since the rest is
 * in their total, too.
 */
static double
rest_of(const DpMarginalQuery *question, const DpTableSums *table, const double *rest,
		uint64_t group)
{
	double sum = 0;
	bool any = false;

	for (uint32_t k = 0; k < table->table->n; k++)
	{
		if (!dp_axis_has_rest(&table->axis[k], group))
			continue;
		any = true;
		sum += question->measure == DP_MEASURE_RATE ? NAN : rest[table->table->attribute[k]];
	}
	return any ? sum : -1;
}

static bool
is_usable(const DpMarginalQuery *question, const DpTableSums *table, uint64_t group)
{
	if (table->group[group].unusable || table->group[group].squares <= 0)
		return false;
	return question->measure == DP_MEASURE_COUNT || !total_of(question, table)->unusable;
}

static double
precision_of(const DpTableSums *table, uint64_t group)
{
	return 1 / (table->term.variance * table->group[group].squares);
}

/* Puts a table into its place by precision, where it is among the best. */
static void
mix_insert(Mix *mix, const DpTableSums *table, double precision)
{
	uint32_t k = mix->n;

	if (k == TABLES_USED_MAX)
	{
		if (precision <= mix->weight[k - 1])
			return;
		k--;
	}
	else
		mix->n++;
	for (; k > 0 && mix->weight[k - 1] < precision; k--)
	{
		mix->weight[k] = mix->weight[k - 1];
		mix->table[k] = mix->table[k - 1];
	}
	mix->weight[k] = precision;
	mix->table[k] = table;
}

/* Takes the usable tables that count nothing else with the group, or those that count the rest. */
static void
mix_usable(const DpMarginalQuery *question, const DpTableSums *table, uint32_t tables,
		   const double *rest, uint64_t group, bool with_rest, Mix *mix)
{
	mix->n = 0;
	mix->with_rest = with_rest;
	mix->rest = 0;
	for (uint32_t t = 0; t < tables; t++)
	{
		double own = rest_of(question, &table[t], rest, group);

		if (isnan(own) || (own >= 0) != with_rest || !is_usable(question, &table[t], group))
			continue;
		mix->rest = fmax(mix->rest, own);
		mix_insert(mix, &table[t], precision_of(&table[t], group));
	}
}

static void
mix_tables(const DpMarginalQuery *question, const DpTableSums *table, uint32_t tables,
		   const double *rest, uint64_t group, Mix *mix)
{
	double sum = 0;

	mix_usable(question, table, tables, rest, group, false, mix);
	if (mix->n == 0)
		mix_usable(question, table, tables, rest, group, true, mix);
	for (uint32_t i = 0; i < mix->n; i++)
		sum += mix->weight[i];
	if (mix->n > 1 && question->measure == DP_MEASURE_COUNT && 1 / sum < STDDEV_FEW * STDDEV_FEW)
	{
		mix->n = 1;
		sum = mix->weight[0];
	}
	for (uint32_t i = 0; i < mix->n; i++)
		mix->weight[i] /= sum;
}

static void
add_term(DpNoiseSum *distribution, const DpNoiseTerm *of, double count, double squares)
{
	DpNoiseTerm *term = &distribution->term[distribution->terms];

	if (count <= 0 || squares <= 0)
		return;
	*term = *of;
	term->count = count;
	term->coefficient = squares == count ? 1 : sqrt(squares / count);
	distribution->terms++;
}

/* Unequal coefficients as equal ones with the same second and fourth moment. */
static double
equal_count(const DpCellSums *sums)
{
	return sums->squares * sums->squares / sums->fourths;
}

static void
count_distribution(const Mix *mix, uint64_t group, DpNoiseSum *distribution)
{
	distribution->terms = 0;
	for (uint32_t i = 0; i < mix->n; i++)
	{
		const DpCellSums *own = &mix->table[i]->group[group];

		add_term(distribution, &mix->table[i]->term, equal_count(own),
				 mix->weight[i] * mix->weight[i] * own->squares);
	}
}

/* The distribution of X - pD, where X is the group and D the total. */
static void
share_distribution(const DpMarginalQuery *question, const Mix *mix, uint64_t group, double p,
				   DpNoiseSum *distribution)
{
	distribution->terms = 0;
	for (uint32_t i = 0; i < mix->n; i++)
	{
		const DpCellSums *own = &mix->table[i]->group[group];
		const DpCellSums *total = total_of(question, mix->table[i]);
		double w2 = mix->weight[i] * mix->weight[i], inside, rest;

		if (question->measure == DP_MEASURE_RATE) /* both have the weights of the condition */
		{
			inside = (1 - p) * (1 - p) * own->squares;
			rest = total->squares - own->squares;
		}
		else
		{
			inside = own->squares - 2 * p * own->weights + p * p * own->cells;
			rest = total->squares - own->cells;
		}
		add_term(distribution, &mix->table[i]->term, equal_count(own), w2 * inside);
		add_term(distribution, &mix->table[i]->term, total->cells - own->cells, w2 * p * p * rest);
	}
}

/* ---- intervals ---- */

/* The distribution at hand, and the half width of the one before; neighbouring groups mostly have the same. */
typedef struct Laws
{
	DpNoiseSum distribution;
	DpNoiseTerm term[TERMS_MAX];
	DpNoiseTerm last_term[TERMS_MAX];
	uint32_t last_terms;
	double last_confidence;
	double half_width;
	double confidence;           /* of an interval */
	double confidence_with_rest; /* of one beside a bound for each rest that is counted with it */
} Laws;

static double
half_width(Laws *distributions, const Mix *mix)
{
	double confidence =
		mix->with_rest ? distributions->confidence_with_rest : distributions->confidence;
	const DpNoiseSum *distribution = &distributions->distribution;
	bool same = distributions->last_terms == distribution->terms && distribution->terms > 0 &&
				distributions->last_confidence == confidence;

	for (uint32_t i = 0; i < distribution->terms && same; i++)
		same = distributions->last_term[i].noise == distribution->term[i].noise &&
			   distributions->last_term[i].scale == distribution->term[i].scale &&
			   distributions->last_term[i].coefficient == distribution->term[i].coefficient &&
			   distributions->last_term[i].count == distribution->term[i].count;
	if (same)
		return distributions->half_width;
	memcpy(distributions->last_term, distribution->term,
		   distribution->terms * sizeof(*distribution->term));
	distributions->last_terms = distribution->terms;
	distributions->last_confidence = confidence;
	distributions->half_width = dp_noise_distribution_half_width(distribution, confidence);
	return distributions->half_width;
}

/* What is counted is neither negative nor more than the most, so that clipping an interval never
 * takes the truth out of it. What is counted with the group may be none of it. */
static void
set_interval(DpGroupAnswer *answer, double half, double rest, double most)
{
	answer->low = fmin(fmax(answer->estimate - half - rest, 0), most);
	answer->high = fmin(fmax(answer->estimate + half, 0), most);
}

static void
answer_count(const DpMarginalQuery *question, const Mix *mix, uint64_t group, Laws *distributions,
			 DpGroupAnswer *answer)
{
	double estimate = 0;

	for (uint32_t i = 0; i < mix->n; i++)
		estimate += mix->weight[i] * mix->table[i]->group[group].value;
	count_distribution(mix, group, &distributions->distribution);
	answer->estimate = estimate;
	answer->std_error = sqrt(dp_noise_distribution_variance(&distributions->distribution));
	set_interval(answer, half_width(distributions, mix), mix->rest,
				 question->rows_public >= 0 ? question->rows_public : INFINITY);
}

static void
answer_share(const DpMarginalQuery *question, const Mix *mix, uint64_t group, Laws *distributions,
			 DpGroupAnswer *answer)
{
	bool exact = question->measure == DP_MEASURE_SHARE && question->rows_public > 0;
	double part = 0, total = 0;

	for (uint32_t i = 0; i < mix->n; i++)
	{
		part += mix->weight[i] * mix->table[i]->group[group].value;
		total += mix->weight[i] * total_of(question, mix->table[i])->value;
	}
	total = exact ? question->rows_public : total;
	if (!(total > 0))
		return; /* the noise has swallowed the total */
	answer->estimate = part / total;
	if (exact)
		count_distribution(mix, group, &distributions->distribution);
	else
		share_distribution(question, mix, group, answer->estimate, &distributions->distribution);
	answer->std_error = sqrt(dp_noise_distribution_variance(&distributions->distribution)) / total;
	set_interval(answer, half_width(distributions, mix) / total, mix->rest / total, 1);
}

/* ---- what is known without noise ---- */

static void
answer_exactly(DpGroupAnswer *answer, DpBasis basis, double value)
{
	*answer = (DpGroupAnswer){.basis = basis, .estimate = value, .low = value, .high = value};
}

/* Finds the groups none of whose cells can occur. */
static DpStatus
answer_zeros(const DpMarginalQuery *question, DpGroupAnswer *out, uint64_t groups,
			 const DpTick *tick, DpArena *arena)
{
	const DpDomain *domain = question->domain;
	uint32_t *attribute = dp_alloc(arena, domain->attributes, sizeof(*attribute));
	uint32_t *code = dp_alloc(arena, domain->attributes, sizeof(*code));
	DpAxis *axis = dp_alloc(arena, domain->attributes, sizeof(*axis));
	bool *possible = dp_alloc(arena, groups, sizeof(*possible));
	DpZeroTest zeros;
	uint64_t cells;
	uint32_t n = 0;

	if (attribute == NULL || code == NULL || axis == NULL || possible == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		if (!dp_marginal_query_gives(question, a) && !dp_marginal_query_groups_by(question, a))
			continue;
		axis[n] = (DpAxis){
			.levels = domain->attribute[a].levels,
			.weight = dp_marginal_query_gives(question, a) ? question->given->weight[a] : NULL,
			.step = dp_marginal_query_step(question, a)};
		attribute[n++] = a;
	}
	cells = dp_domain_cells(domain, attribute, n);
	DP_TRY(dp_zero_test_build(&zeros, domain, attribute, n, arena));
	for (uint64_t i = 0; i < cells && cells <= ZERO_CELLS_MAX; i++, dp_cell_next(axis, n, code))
	{
		DpCellPlace place = dp_cell_place(axis, n, code);

		if (i % TICK_CELLS == 0)
			dp_tick(tick, -1.0);
		possible[place.group] |=
			place.weight > 0 && !(zeros.n > 0 && dp_zero_test_forbids(&zeros, code));
	}
	for (uint64_t b = 0; b < groups && cells <= ZERO_CELLS_MAX; b++)
		if (!possible[b])
			answer_exactly(&out[b], DP_BASIS_ZERO, 0);
	dp_free(arena, attribute, domain->attributes, sizeof(*attribute));
	dp_free(arena, code, domain->attributes, sizeof(*code));
	dp_free(arena, axis, domain->attributes, sizeof(*axis));
	dp_free(arena, possible, groups, sizeof(*possible));
	return DP_OK;
}

/* The number of all rows, where it is public, and its share of itself. */
static bool
answer_total(const DpMarginalQuery *question, DpGroupAnswer *out)
{
	if (question->by.n > 0 || any_given(question))
		return false;
	if (question->measure != DP_MEASURE_COUNT)
		answer_exactly(out, DP_BASIS_PUBLIC, 1);
	else if (question->rows_public >= 0)
		answer_exactly(out, DP_BASIS_PUBLIC, question->rows_public);
	else
		return false;
	return true;
}

/* ---- the rest ---- */

/* Bounds, for each attribute whose rest some table counts with another level, the rows of it. */
static DpStatus
bound_rests(const DpMarginalQuery *question, const DpMeasuredTable *table, uint32_t tables,
			const bool *joined, double confidence, double *rest, const DpTick *tick, DpArena *arena)
{
	const DpDomain *domain = question->domain;
	DpGiven given = {.attributes = domain->attributes};
	DpMarginalQuery own = {.domain = domain,
						   .given = &given,
						   .confidence = confidence,
						   .rows_public = question->rows_public};

	given.weight = dp_alloc(arena, domain->attributes, sizeof(*given.weight));
	if (given.weight == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		DpGroupAnswer answer;

		rest[a] = NAN;
		if (!joined[a])
			continue;
		given.weight[a] = dp_alloc(arena, domain->attribute[a].levels, sizeof(double));
		if (given.weight[a] == NULL)
			return DP_ERR_MEMORY;
		given.weight[a][domain->attribute[a].levels - 1] = 1;
		DP_TRY(dp_measured_answer(&own, table, tables, &answer, tick, arena));
		rest[a] = answer.high;
		given.weight[a] = NULL;
	}
	return DP_OK;
}

static DpStatus
find_rests(const DpMarginalQuery *question, const DpMeasuredTable *table, uint32_t tables,
		   const DpTableSums *sums, uint32_t n, Laws *distributions, double **rest,
		   const DpTick *tick, DpArena *arena)
{
	uint32_t p = question->domain->attributes, found = 0;
	bool *joined = dp_alloc(arena, p, sizeof(*joined));

	*rest = dp_alloc(arena, p, sizeof(**rest));
	if (joined == NULL || *rest == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t t = 0; t < n; t++)
		for (uint32_t k = 0; k < sums[t].table->n; k++)
		{
			const DpAxis *axis = &sums[t].axis[k];
			uint32_t a = sums[t].table->attribute[k];

			if (joined[a] || axis->with_rest == DP_NO_LEVEL ||
				(axis->step == 0 && !axis->rest_differs))
				continue;
			joined[a] = true;
			found++;
		}
	distributions->confidence = question->confidence;
	distributions->confidence_with_rest = 1 - (1 - question->confidence) / (found + 1);
	if (found > 0)
		DP_TRY(bound_rests(question, table, tables, joined, distributions->confidence_with_rest,
						   *rest, tick, arena));
	dp_free(arena, joined, p, sizeof(*joined));
	return DP_OK;
}

DpStatus
dp_measured_answer(const DpMarginalQuery *question, const DpMeasuredTable *table, uint32_t tables,
				   DpGroupAnswer *out, const DpTick *tick, DpArena *arena)
{
	uint64_t groups = dp_marginal_query_groups(question);
	DpTableSums *sums = dp_alloc(arena, tables, sizeof(*sums));
	Laws *distributions = dp_alloc(arena, 1, sizeof(*distributions));
	double *rest;
	uint32_t n = 0;
	Mix mix;

	if (groups > DP_ANSWER_CELLS_MAX)
		return DP_ERR_LIMIT;
	if (sums == NULL || distributions == NULL)
		return DP_ERR_MEMORY;
	distributions->distribution.term = distributions->term;
	for (uint64_t b = 0; b < groups; b++)
		out[b] = (DpGroupAnswer){DP_BASIS_NONE, NAN, NAN, NAN, NAN, 0};
	if (answer_total(question, out))
		return DP_OK;
	DP_TRY(answer_zeros(question, out, groups, tick, arena));
	for (uint32_t t = 0; t < tables; t++)
		if (dp_noise_is_additive(table[t].table) &&
			dp_marginal_query_is_held(question, table[t].table))
			DP_TRY(dp_table_sums(question, &table[t], &sums[n++], tick, arena));
	DP_TRY(find_rests(question, table, tables, sums, n, distributions, &rest, tick, arena));
	for (uint64_t b = 0; b < groups; b++)
	{
		if (b % TICK_CELLS == 0)
			dp_tick(tick, -1.0);
		mix_tables(question, sums, n, rest, b, &mix);
		if (out[b].basis == DP_BASIS_ZERO || mix.n == 0)
			continue;
		out[b].basis = DP_BASIS_MEASURED;
		out[b].rest = mix.rest;
		if (question->measure == DP_MEASURE_COUNT)
			answer_count(question, &mix, b, distributions, &out[b]);
		else
			answer_share(question, &mix, b, distributions, &out[b]);
	}
	for (uint32_t t = 0; t < n; t++)
		dp_table_sums_free(&sums[t], groups, arena);
	dp_free(arena, rest, question->domain->attributes, sizeof(*rest));
	dp_free(arena, distributions, 1, sizeof(*distributions));
	dp_free(arena, sums, tables, sizeof(*sums));
	return DP_OK;
}
